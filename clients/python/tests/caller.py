"""Calls the two clients alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from service_process import ServiceProcess

from nurselog import AsyncClient, Client
from nurselog._calls.exchange import RetryPolicy


@dataclass(frozen=True)
class Caller:
    """Calls a method of one of the two clients, each call with a client of its own."""

    client: type[Client] | type[AsyncClient]
    service: ServiceProcess

    def __call__(
        self,
        method: str,
        *args: Any,
        url: str | None = None,
        api_key: str | None = None,
        retries: int = 0,
        delay_s: float = 0.001,
        batch_sites: int | None = None,
        timeout: float = 60.0,
        **options: Any,
    ) -> Any:
        """`batch_sites` is the batch size that an earlier call found, `delay_s` the time between two attempts."""

        def prepare(client: Client | AsyncClient) -> None:
            client._retry_policy = RetryPolicy(retries, first_delay_s=delay_s, max_delay_s=delay_s)
            if batch_sites is not None:
                client._batch_sites = batch_sites

        client = self.client(url or self.service.url, api_key or self.service.key, timeout=timeout)
        if isinstance(client, AsyncClient):
            return asyncio.run(_call_async(client, prepare, method, args, options))
        with client:
            prepare(client)
            return getattr(client, method)(*args, **options)


async def _call_async(
    client: AsyncClient,
    prepare: Callable[[AsyncClient], None],
    method: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    async with client:
        prepare(client)
        return await getattr(client, method)(*args, **options)
