"""When a request is sent again, without input and output: a generator that a driver runs."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from numbers import Real
from typing import TypeAlias
from urllib.request import getproxies, proxy_bypass

import httpx

from nurselog._calls.arguments import check_type
from nurselog._calls.operations import Answer, Operation, unexpected
from nurselog.errors import ConnectionFailedError, NurselogError, error_from_object

# A slow upload, quota, overload, and failures between a proxy and the service. All calls can be repeated without harm.
_TEMPORARY_STATUSES = frozenset({408, 429, 502, 503, 504})

DEFAULT_RETRIES = 10
"""With the waits below they take about a minute, so that a restart of the service loses nothing."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how soon a request is sent again.

    The delay doubles from `first_delay_s` up to `max_delay_s`, and is that of `Retry-After` if that is longer. Up to a
    quarter is added at random, so that callers do not return at the same moment. A `Retry-After` above
    `max_retry_after_s`, such as that of a used-up quota, ends the attempts.
    """

    retries: int
    first_delay_s: float = 0.5
    max_delay_s: float = 8.0
    max_retry_after_s: float = 60.0

    def __post_init__(self) -> None:
        """Raises TypeError if `retries` is no number."""
        check_type("retries", self.retries, Real, "a number")

    def delay_s(self, attempt: int, error: NurselogError) -> float | None:
        """Seconds before the attempt after `attempt`, which counts from 0; None if the error is final."""
        if not is_temporary(error) or attempt >= self.retries:
            return None
        delay_s = min(self.first_delay_s * 2.0 ** min(attempt, 60), self.max_delay_s)
        if error.retry_after is not None:
            if error.retry_after > self.max_retry_after_s:
                return None
            delay_s = max(delay_s, error.retry_after)
        return delay_s * random.uniform(1.0, 1.25)  # noqa: S311 - not for cryptography


def is_temporary(error: NurselogError) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, ConnectionFailedError) or error.status in _TEMPORARY_STATUSES


Outcome: TypeAlias = httpx.Response | httpx.RequestError
"""The result of sending a request once."""


def exchange(operation: Operation[Answer], policy: RetryPolicy) -> Generator[float, Outcome, Answer]:
    """Decides what to do until the request is answered or an error is final.

    Yields:
        Seconds to wait before the request is sent the next time; its outcome is sent to the generator.

    Raises:
        NurselogError: The final error.
    """
    delay_s = 0.0
    for attempt in count():
        outcome = yield delay_s
        if isinstance(outcome, httpx.RequestError):
            error = error_without_response(outcome)
        elif outcome.status_code in operation.answer_statuses:
            return operation.read(outcome)
        else:
            error = error_of_response(outcome)
        next_delay_s = policy.delay_s(attempt, error)
        if next_delay_s is None:
            raise error
        delay_s = next_delay_s
    raise AssertionError("unreachable: count() has no end")


def error_without_response(error: httpx.RequestError) -> NurselogError:
    """The error of a request that got no response."""
    is_timeout = isinstance(error, httpx.TimeoutException)
    reason = "the request timed out" if is_timeout else str(error) or type(error).__name__
    return ConnectionFailedError(f"No response from {address_of(error.request.url)}: {reason}.")


def address_of(url: httpx.URL) -> str:
    """Where requests to a URL go, and through which proxy of the environment, without a user name or password."""
    address = f"{url.scheme}://{url.netloc.decode()}"
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.netloc.decode()) or proxy_bypass(url.host):
        return address
    try:
        named = httpx.URL(proxy if "://" in proxy else f"http://{proxy}").netloc.decode()
    except httpx.InvalidURL:
        return address
    return f"{address} through the proxy {named}"


def error_of_response(response: httpx.Response) -> NurselogError:
    """The error of a response that is not an answer."""
    retry_after = _retry_after_s(response)
    try:
        return error_from_object(
            response.json()["error"],
            status=response.status_code,
            request_id=response.headers.get("x-request-id"),
            retry_after=retry_after,
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        location = response.headers.get("location")
        reason = "It has no error body." if location is None else f"It redirects to {location}."
        error = unexpected(response, reason)
        error.retry_after = retry_after
        return error


def _retry_after_s(response: httpx.Response) -> float | None:
    """The seconds of `Retry-After`, or until its date, as some proxies send it; None if it is neither."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    # Without a zone it is in UTC, as are all dates of HTTP.
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max((date - datetime.now(UTC)).total_seconds(), 0.0)
