"""The settings of a client, from its arguments and the environment."""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncIterator, Iterator
from importlib.metadata import version
from numbers import Real
from typing import Any, TypeVar

import httpx

from nurselog._calls.arguments import check_type
from nurselog.errors import ConfigurationError

URL_VARIABLE = "NURSELOG_URL"
KEY_VARIABLE = "NURSELOG_API_KEY"

# The default timeout in full would be waited for at each attempt to reach a host that is gone.
_MAX_CONNECT_S = 10.0

# A body that comes byte by byte meets the timeout of each part for ever.
_BODY_TIMEOUTS = 5

_Http = TypeVar("_Http", httpx.Client, httpx.AsyncClient)


def http_client(kind: type[_Http], url: str | None, api_key: str | None, timeout: float) -> _Http:
    """The client of httpx for a service. It opens no connection yet.

    Args:
        kind: Which of the two clients.
        url: See `Client`.
        api_key: See `Client`.
        timeout: Seconds to wait for each part of a response, and at most 10 of them for a connection; five times as
            long for all parts.

    Raises:
        ConfigurationError: The URL, the key, or proxies or certificates of the environment cannot be used.
    """

    def limit(response: httpx.Response) -> None:
        response.stream = _LimitedStream(response.stream, _BODY_TIMEOUTS * timeout)

    async def limit_async(response: httpx.Response) -> None:
        limit(response)

    check_type("timeout", timeout, Real, "a number of seconds")
    hooks = {"response": [limit if kind is httpx.Client else limit_async]}
    waits = httpx.Timeout(timeout, connect=min(timeout, _MAX_CONNECT_S))
    try:
        return kind(base_url=_base_url(url), headers=_headers(api_key), timeout=waits, event_hooks=hooks)
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        raise unusable(error) from None


class _LimitedStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response, which must arrive within a time."""

    def __init__(self, stream: Any, seconds: float) -> None:  # noqa: ANN401 - of either kind
        self._stream, self._deadline = stream, time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            yield self._in_time(part)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield self._in_time(part)

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _in_time(self, part: bytes) -> bytes:
        if time.monotonic() > self._deadline:
            raise httpx.ReadTimeout("The body is too slow.")
        return part


def _base_url(url: str | None) -> httpx.URL:
    """The address of the service: the argument, else the environment's.

    Raises:
        ConfigurationError: Neither is given, or it is not an http or https URL.
    """
    given = _given(url, URL_VARIABLE, "url", 'the address of the service, such as "http://127.0.0.1:8080"')
    try:
        parsed = httpx.URL(given)
        parsed.raw_host.decode().encode("idna")  # as it is looked up: "a..b" has no such form
        _ = parsed.host  # nor has "xn--a"
    except (httpx.InvalidURL, UnicodeError):
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise ConfigurationError(
            f"The address of the service (url or {URL_VARIABLE}) must be an http or https URL without a user name, "
            'such as "http://127.0.0.1:8080".'
        )
    return parsed


def _headers(api_key: str | None) -> dict[str, str]:
    """The headers of every request, with the API key: the argument, else the environment's.

    Raises:
        ConfigurationError: Neither is given, or it cannot be a key. The message does not repeat it.
    """
    key = _given(api_key, KEY_VARIABLE, "api_key", "your API key")
    if not isinstance(key, str):
        raise TypeError(f"api_key must be a text, not {type(key).__name__}")
    if not re.fullmatch("[!-~]+", key):
        raise ConfigurationError(
            f"The API key (api_key or {KEY_VARIABLE}) has characters that no key has, such as a space or a line break."
        )
    return {
        "X-API-Key": key,
        "Accept": "application/json",
        "Content-Type": "application/json",
        "User-Agent": f"nurselog-python/{version('nurselog')}",
    }


def unusable(error: Exception) -> ConfigurationError:
    """The error for proxies or certificates of the environment that httpx cannot use."""
    return ConfigurationError(
        f"The proxies or certificates of the environment cannot be used: {error}. Check ALL_PROXY, HTTP_PROXY, "
        "HTTPS_PROXY and NO_PROXY, which are URLs and hosts, and SSL_CERT_FILE and SSL_CERT_DIR, which exist."
    )


def _given(argument: str | None, variable: str, parameter: str, meaning: str) -> str:
    value = argument or os.environ.get(variable)
    if not value:
        raise ConfigurationError(
            f"{parameter} is missing: pass {parameter}=… to the client or set the environment variable {variable} "
            f"to {meaning}."
        )
    return value
