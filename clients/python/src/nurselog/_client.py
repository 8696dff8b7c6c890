"""The client for programs without asyncio: runs operations with httpx and threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Concatenate, ParamSpec

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
) -> Callable[Concatenate[Client, _Parameters], Answer]:
    def method(self: Client, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Answer:
        return self._run(build(*args, **kwargs))

    return described(method, build)


def _plan_method(
    build: Callable[_Parameters, PlanSteps],
) -> Callable[Concatenate[Client, _Parameters], PlanResult]:
    def method(self: Client, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> PlanResult:
        return self._run_plan(build(*args, **kwargs))

    return described(method, build)


def _table_method(
    build: Callable[_Parameters, TableCall[Frame]],
) -> Callable[Concatenate[Client, _Parameters], Frame]:
    def method(self: Client, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Frame:
        call = build(*args, **kwargs)
        try:
            for answer in self._answers(call):
                call.add(answer)
        except NurselogError as error:
            call.fail(error)
            raise
        return call.finish()

    return described(method, build)


def _tables_method(
    build: Callable[_Parameters, TablesCall[Frame]],
) -> Callable[Concatenate[Client, _Parameters], Iterator[Frame]]:
    def method(self: Client, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Iterator[Frame]:
        return self._finished(build(*args, **kwargs))

    return described(method, build, Iterator)


def _raster_method(
    build: Callable[_Parameters, RasterCall[Array]],
) -> Callable[Concatenate[Client, _Parameters], Array]:
    def method(self: Client, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Array:
        with build(*args, **kwargs) as call:
            model = self.model()
            for answer in self._answers(call):
                call.add(answer)
            return call.finish(model)

    return described(method, build)


class Client:
    """Calls a nurselog service. Threads may share it; `with` or `close()` closes its connections.

    Args:
        url: The address of the service; by default the environment variable NURSELOG_URL.
        api_key: The API key; by default the environment variable NURSELOG_API_KEY.
        timeout: Seconds to wait for each part of a response, and at most 10 of them for a connection; a whole body may
            take five times as long.
        retries: How often a request is sent again after a failed connection, an overload or a short rate limit; by
            default for about a minute, besides the time that the attempts take.

    Raises:
        ConfigurationError: The URL or the key is missing or malformed, or the environment has proxies or certificates
            that cannot be used.
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
        self._http = _settings.http_client(httpx.Client, url, api_key, timeout)
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

    def predict_many(
        self,
        sites: Iterable[Mapping[str, object]],
        *,
        horizons: Sequence[int] | None = None,
        scenario: Scenario | None = None,
        include: Sequence[Include] | None = None,
        concurrency: int = 4,
    ) -> list[Result]:
        """Predicts survival at any number of sites, in batches of the size that the key's tier allows.

        Args:
            sites: Fields of `PredictionRequest` for each site; other fields are ignored.
            horizons: See `predict`. For sites without `horizons` of their own.
            scenario: See `predict`. For sites without a `scenario` of their own.
            include: See `predict`. For sites without an `include` of their own.
            concurrency: The most batches in flight at a time.

        Returns:
            An answer or a `NurselogError` for each site, in the order of the sites. A failure that concerns all
            batches, such as a used-up quota, ends the sending and is the error of the sites without an answer.

        Raises:
            NurselogError: The service answered no batch at all.
            ValueError: `concurrency` is not above 0.
            TypeError: `sites` is no list of mappings, or `concurrency` no integer.
        """
        options = {"horizons": horizons, "scenario": scenario, "include": include}
        plan = BatchPlan(sites, options, self._batch_sites, concurrency)
        # One at a time until the size of batches is known: refused ones count against the quota.
        while not plan.was_answered and self._run_batch(plan):
            pass
        self._batch_sites = plan.batch_sites
        self._run_batches(plan, plan.workers)
        return plan.results()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        """Returns the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self.close()

    def __repr__(self) -> str:
        """The address, without the key."""
        return f"Client(url={str(self._http.base_url)!r})"

    def _run(self, operation: Operation[Answer], wait: Callable[[float], object] = time.sleep) -> Answer:
        """The answer. Raises `CancelledError` once `wait`, called with seconds, returns a true value."""
        steps = exchange(operation, self._retry_policy)
        delay_s = next(steps)
        try:
            while not wait(delay_s):
                delay_s = steps.send(self._send(operation))
            raise CancelledError
        except StopIteration as end:
            answer: Answer = end.value
            return answer

    def _run_plan(self, steps: PlanSteps) -> PlanResult:
        try:
            operation = next(steps)
            while True:
                try:
                    answer = self._run(operation)
                except NurselogError as error:
                    operation = steps.throw(error)
                else:
                    operation = steps.send(answer)
        except StopIteration as end:
            plan: PlanResult = end.value
            return plan

    def _send(self, operation: Operation[Answer]) -> Outcome:
        try:
            return self._http.request(operation.method, operation.path, content=operation.body)
        except httpx.RequestError as error:
            return error
        except UnicodeError as error:  # of the name of a proxy
            raise _settings.unusable(error) from None

    def _run_batch(self, plan: BatchPlan, wait: Callable[[float], object] = time.sleep) -> bool:
        """Sends the next batch; False if there is none."""
        batch = plan.next_batch()
        if batch is None:
            return False
        try:
            plan.settle(batch, self._run(batch.operation, wait))
        except NurselogError as error:
            plan.fail(batch, error)
        return True

    def _run_batches(self, plan: BatchPlan, workers: int) -> None:
        stopped = threading.Event()

        def work() -> None:
            while self._run_batch(plan, stopped.wait):
                pass

        with ThreadPoolExecutor(max(workers, 1), thread_name_prefix="nurselog") as pool:
            try:
                for worker in [pool.submit(work) for _ in range(workers)]:
                    worker.result()
            finally:
                # After an interrupt, the threads end with their current request.
                plan.stop()
                stopped.set()

    def _finished(self, call: TablesCall[Frame]) -> Iterator[Frame]:
        try:
            for answer in self._answers(call):
                yield call.finish(answer)
        except NurselogError as error:
            call.fail(error)
            raise

    def _answers(self, call: TableCall[Frame] | TablesCall[Frame] | RasterCall[Array]) -> Iterator[pa.Table]:
        """The answers to the pieces of a call in their order, with pieces in flight ahead of the one that is taken."""
        limits = self._table_limits
        waiting: deque[Future[pa.Table]] = deque()
        stopped = threading.Event()
        pool = ThreadPoolExecutor(call.concurrency, thread_name_prefix="nurselog")
        try:
            for sites in call.pieces(limits):
                waiting.append(pool.submit(self._answer, sites, call.query, stopped))
                while len(waiting) > (call.concurrency if limits.is_known else 0):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # After an error or an interrupt, the threads end with their current request.
            stopped.set()
            pool.shutdown(cancel_futures=True)

    def _answer(self, sites: pa.Table, query: TableQuery, stopped: threading.Event) -> pa.Table:
        steps = table_exchange(sites, query.path, query.schema, self._table_limits, self._retry_policy)
        try:
            delay_s, request = next(steps)
            while not stopped.wait(delay_s):
                delay_s, request = steps.send(self._send_table(request))
            raise CancelledError
        except StopIteration as end:
            return end.value

    def _send_table(self, request: TableRequest) -> Reply:
        content = bytearray()
        outcome: Outcome | None = None
        try:
            with self._http.stream("POST", request.path, content=request.body, headers=request.headers) as response:
                if response.status_code != 200:
                    response.read()
                outcome = response
                for part in response.iter_bytes():
                    content += part
        except httpx.RequestError as error:
            outcome = outcome or error
        except UnicodeError as error:  # of the name of a proxy
            raise _settings.unusable(error) from None
        return Reply(outcome, content)
