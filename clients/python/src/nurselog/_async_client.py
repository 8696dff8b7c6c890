"""The client for programs with asyncio: runs operations with httpx and tasks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Concatenate, ParamSpec

import httpx
import pyarrow as pa

from nurselog import _settings
from nurselog._calls import operations, plans, surfaces
from nurselog._calls.batches import MAX_BATCH_SITES, BatchPlan
from nurselog._calls.exchange import DEFAULT_RETRIES, Outcome, RetryPolicy, exchange
from nurselog._calls.operations import Answer, Operation, Result
from nurselog._calls.plans import PlanSteps
from nurselog._methods import described
from nurselog._raster.calls import Array, RasterCall, predict_raster
from nurselog._table import calls
from nurselog._table.calls import TableCall, TablesCall
from nurselog._table.exchange import Reply, TableLimits, TableRequest, table_exchange
from nurselog._table.frames import Frame
from nurselog._table.query import TableQuery
from nurselog.errors import NurselogError
from nurselog.types import Include, PlanResult, Scenario

_Parameters = ParamSpec("_Parameters")


def _method(
    build: Callable[_Parameters, Operation[Answer]],
) -> Callable[Concatenate[AsyncClient, _Parameters], Coroutine[Any, Any, Answer]]:
    async def method(self: AsyncClient, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Answer:
        return await self._run(build(*args, **kwargs))

    return described(method, build)


def _plan_method(
    build: Callable[_Parameters, PlanSteps],
) -> Callable[Concatenate[AsyncClient, _Parameters], Coroutine[Any, Any, PlanResult]]:
    async def method(self: AsyncClient, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> PlanResult:
        return await self._run_plan(build(*args, **kwargs))

    return described(method, build)


def _table_method(
    build: Callable[_Parameters, TableCall[Frame]],
) -> Callable[Concatenate[AsyncClient, _Parameters], Coroutine[Any, Any, Frame]]:
    async def method(self: AsyncClient, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Frame:
        call = build(*args, **kwargs)
        async with aclosing(self._answers(call)) as answers:
            try:
                async for answer in answers:
                    call.add(answer)
            except NurselogError as error:
                call.fail(error)
                raise
        return call.finish()

    return described(method, build)


def _tables_method(
    build: Callable[_Parameters, TablesCall[Frame]],
) -> Callable[Concatenate[AsyncClient, _Parameters], AsyncGenerator[Frame, None]]:
    async def method(
        self: AsyncClient, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> AsyncGenerator[Frame, None]:
        call = build(*args, **kwargs)
        async with aclosing(self._answers(call)) as answers:
            try:
                async for answer in answers:
                    yield call.finish(answer)
            except NurselogError as error:
                call.fail(error)
                raise

    return described(method, build, AsyncIterator)


def _raster_method(
    build: Callable[_Parameters, RasterCall[Array]],
) -> Callable[Concatenate[AsyncClient, _Parameters], Coroutine[Any, Any, Array]]:
    async def method(self: AsyncClient, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Array:
        with build(*args, **kwargs) as call:
            model = await self.model()
            async with aclosing(self._answers(call)) as answers:
                async for answer in answers:
                    call.add(answer)
            return await asyncio.to_thread(call.finish, model)  # compresses the file

    return described(method, build)


class AsyncClient:
    """Calls a nurselog service from asyncio. `async with` or `aclose()` closes its connections.

    Arguments, methods and errors are those of `Client`; the methods are coroutines.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        """Opens no connection yet."""
        self._http = _settings.http_client(httpx.AsyncClient, url, api_key, timeout)
        self._retry_policy = RetryPolicy(retries)
        self._batch_sites = MAX_BATCH_SITES
        self._table_limits = TableLimits()

    predict = _method(operations.predict)
    compare = _method(operations.compare)
    rank = _method(operations.rank)
    surface = _method(surfaces.surface)
    surface_file = _method(surfaces.surface_file)
    species = _method(operations.species)
    coverage = _method(operations.coverage)
    plan = _plan_method(plans.plan)
    model = _method(operations.model)
    usage = _method(operations.usage)
    health = _method(operations.health)
    predict_table = _table_method(calls.predict_table)
    predict_tables = _tables_method(calls.predict_tables)
    predict_raster = _raster_method(predict_raster)

    async def predict_many(
        self,
        sites: Iterable[Mapping[str, object]],
        *,
        horizons: Sequence[int] | None = None,
        scenario: Scenario | None = None,
        include: Sequence[Include] | None = None,
        concurrency: int = 4,
    ) -> list[Result]:
        """Predicts survival at any number of sites: see `Client.predict_many`."""
        options = {"horizons": horizons, "scenario": scenario, "include": include}
        plan = BatchPlan(sites, options, self._batch_sites, concurrency)
        while not plan.was_answered and await self._run_batch(plan):
            pass
        self._batch_sites = plan.batch_sites
        await self._run_batches(plan, plan.workers)
        return plan.results()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        """Returns the client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the connections."""
        await self.aclose()

    def __repr__(self) -> str:
        """The address, without the key."""
        return f"AsyncClient(url={str(self._http.base_url)!r})"

    async def _run(self, operation: Operation[Answer]) -> Answer:
        steps = exchange(operation, self._retry_policy)
        delay_s = next(steps)
        try:
            while True:
                await asyncio.sleep(delay_s)
                delay_s = steps.send(await self._send(operation))
        except StopIteration as end:
            answer: Answer = end.value
            return answer

    async def _run_plan(self, steps: PlanSteps) -> PlanResult:
        try:
            operation = next(steps)
            while True:
                try:
                    answer = await self._run(operation)
                except NurselogError as error:
                    operation = steps.throw(error)
                else:
                    operation = steps.send(answer)
        except StopIteration as end:
            plan: PlanResult = end.value
            return plan

    async def _send(self, operation: Operation[Answer]) -> Outcome:
        try:
            return await self._http.request(operation.method, operation.path, content=operation.body)
        except httpx.RequestError as error:
            return error

    async def _run_batch(self, plan: BatchPlan) -> bool:
        """Sends the next batch; False if there is none."""
        batch = plan.next_batch()
        if batch is None:
            return False
        try:
            plan.settle(batch, await self._run(batch.operation))
        except NurselogError as error:
            plan.fail(batch, error)
        return True

    async def _run_batches(self, plan: BatchPlan, workers: int) -> None:
        async def work() -> None:
            while await self._run_batch(plan):
                pass

        tasks = [asyncio.create_task(work()) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            await _end(tasks)

    async def _answers(
        self, call: TableCall[Frame] | TablesCall[Frame] | RasterCall[Array]
    ) -> AsyncGenerator[pa.Table, None]:
        """The answers to the pieces of a call in their order, with pieces in flight ahead of the one that is taken."""
        limits = self._table_limits
        waiting: deque[asyncio.Task[pa.Table]] = deque()
        slots = asyncio.Semaphore(call.concurrency)
        try:
            for sites in call.pieces(limits):
                waiting.append(asyncio.create_task(self._answer(sites, call.query, slots)))
                while len(waiting) > (call.concurrency if limits.is_known else 0):
                    yield await waiting.popleft()
            while waiting:
                yield await waiting.popleft()
        finally:
            await _end(waiting)

    async def _answer(self, sites: pa.Table, query: TableQuery, slots: asyncio.Semaphore) -> pa.Table:
        steps = table_exchange(sites, query.path, query.schema, self._table_limits, self._retry_policy)
        async with slots:
            try:
                delay_s, request = next(steps)
                while True:
                    await asyncio.sleep(delay_s)
                    delay_s, request = steps.send(await self._send_table(request))
            except StopIteration as end:
                return end.value

    async def _send_table(self, request: TableRequest) -> Reply:
        content = bytearray()
        outcome: Outcome | None = None
        try:
            async with self._http.stream(
                "POST", request.path, content=request.body, headers=request.headers
            ) as response:
                if response.status_code != 200:
                    await response.aread()
                outcome = response
                async for part in response.aiter_bytes():
                    content += part
        except httpx.RequestError as error:
            outcome = outcome or error
        return Reply(outcome, content)


async def _end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels those tasks that still run, and waits for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
