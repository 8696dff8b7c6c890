"""Requests that are sent again, how often and when."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from caller import Caller
from faulty_proxy import FAULTS, FINAL, Fault, FaultyProxy
from frames import table
from hypothesis import given
from hypothesis import strategies as st

from nurselog import errors
from nurselog._calls.exchange import RetryPolicy, exchange
from nurselog._calls.operations import Operation, predict_batch, species
from nurselog._calls.plans import plan


@pytest.mark.parametrize("fault", FAULTS)
def test_a_request_is_sent_again_until_it_is_answered(call: Caller, proxy: FaultyProxy, fault: Fault) -> None:
    proxy.fail_next([fault, fault])
    assert call("species", url=proxy.url, retries=2)["count"] == 31
    assert proxy.requests == 3


@pytest.mark.parametrize("fault", FAULTS)
def test_the_last_error_is_raised_when_the_retries_are_used_up(call: Caller, proxy: FaultyProxy, fault: Fault) -> None:
    proxy.fail_next([fault, fault, fault])
    with pytest.raises(FINAL[fault]):
        call("species", url=proxy.url, retries=2)
    assert proxy.requests == 3


def test_a_refusal_is_not_sent_again(call: Caller, proxy: FaultyProxy) -> None:
    proxy.fail_next([])
    with pytest.raises(errors.InvalidSpeciesError):
        call("predict", 44.12, -122.03, "XXXX", "manual", url=proxy.url, retries=5)
    assert proxy.requests == 1


def test_a_service_that_is_not_ready_answers_health_and_is_not_asked_again(call: Caller, proxy: FaultyProxy) -> None:
    proxy.fail_next(["overloaded"])
    assert call("health", url=proxy.url, retries=5)["error"]["code"] == "overloaded"
    assert proxy.requests == 1


def test_a_url_where_nobody_listens_is_connection_failed(call: Caller) -> None:
    with pytest.raises(errors.ConnectionFailedError, match=r"http://127\.0\.0\.1:9\b"):
        call("species", url="http://127.0.0.1:9", retries=1)


@pytest.mark.parametrize("proxy", ["http://me:word@127.0.0.1:9", "127.0.0.1:9"])
@pytest.mark.parametrize(("host", "named"), [("nurselog.test", True), ("127.0.0.1:9", False)])
def test_a_proxy_that_refuses_the_connection_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, call: Caller, proxy: str, host: str, named: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for method, argument in (("species", []), ("predict_table", [table(1)])):
        with pytest.raises(errors.ConnectionFailedError) as raised:
            call(method, *argument, url=f"http://{host}")
        through = " through the proxy 127.0.0.1:9" if named else ""
        assert f"No response from http://{host}{through}: " in str(raised.value)


@pytest.mark.parametrize("status", [408, 429, 503])
def test_the_wait_is_that_of_retry_after_with_at_most_a_quarter_more(status: int) -> None:
    steps = exchange(species(), RetryPolicy(1))
    assert next(steps) == 0
    body = {"error": {"code": "overloaded", "message": "Full."}}
    wait_s = steps.send(httpx.Response(status, json=body, headers={"Retry-After": "7"}))
    assert 7 <= wait_s <= 8.75


@pytest.mark.parametrize("retry_after", ["0", "1", "Sun, 06 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49", "soon"])
def test_a_short_or_malformed_retry_after_does_not_end_the_doubling(retry_after: str) -> None:
    steps = exchange(species(), RetryPolicy(4))
    next(steps)
    for shortest in (max(0.5, float(retry_after == "1")), 1, 2, 4):
        wait_s = steps.send(httpx.Response(503, headers={"Retry-After": retry_after}))
        assert shortest <= wait_s <= 1.25 * shortest


def test_a_date_of_retry_after_is_a_wait() -> None:
    steps = exchange(species(), RetryPolicy(4))
    next(steps)
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    with pytest.raises(errors.UnexpectedResponseError) as raised:
        steps.send(httpx.Response(503, headers={"Retry-After": tomorrow}))
    assert raised.value.retry_after is not None
    assert 0 < raised.value.retry_after <= 86_400


_REFUSAL = '{"error":{"code":"batch_too_large","message":"Large.","details":%s}}'


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (500, "", {"Retry-After": "Sun, 06 Nov 1994 08:49:37 -99999999999999999999"}),
        (500, "", {"Retry-After": "Sun, 06 Nov 99999999999999999999 08:49:37 GMT"}),
        (200, "[" * 100_000, {}),
        (422, "[" * 100_000, {}),
        (422, _REFUSAL % '"none"', {}),
        (422, _REFUSAL % '{"tier_limit":"none"}', {}),
        (422, _REFUSAL % '{"tier_limit":null}', {}),
        (422, _REFUSAL.replace("batch_too_large", "invalid_request") % '{"issues":null}', {}),
        (422, _REFUSAL.replace("batch_too_large", "invalid_request") % '{"issues":["none",{}]}', {}),
        (200, '{"results":[1,null],"units":1}', {}),
        (200, '{"results":["none",{"error":"none"}],"units":null}', {}),
        (200, '{"results":[{"error":{}},{"error":null}]}', {}),
    ],
)
def test_any_failure_of_a_server_is_an_error_of_the_client(status: int, body: str, headers: dict[str, str]) -> None:
    steps = plan({"type": "FeatureCollection", "features": [{"id": 1}, {"id": 2}]})
    operations: list[Operation[Any]] = [predict_batch([b"{}", b"{}"]), next(steps)]
    for operation in operations:
        sending = exchange(operation, RetryPolicy(0))
        next(sending)
        with pytest.raises(errors.NurselogError) as raised:
            sending.send(httpx.Response(status, text=body, headers=headers))
    with pytest.raises(errors.NurselogError):
        for _ in range(3):  # the units, then fewer of them
            steps.throw(raised.value)


@given(st.integers(0, 2000), st.none() | st.floats(0, 1e6))
def test_waits_are_bounded(attempt: int, retry_after: float | None) -> None:
    policy = RetryPolicy(retries=2000)
    wait_s = policy.delay_s(attempt, errors.OverloadedError("Full.", status=503, retry_after=retry_after))
    if (retry_after is not None and retry_after > policy.max_retry_after_s) or attempt == 2000:
        assert wait_s is None
    else:
        assert wait_s is not None
        shortest = max(8 if attempt >= 4 else 0.5 * 2**attempt, retry_after or 0)
        assert shortest <= wait_s <= 1.25 * shortest


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"])
def test_a_server_that_is_silent_or_sends_byte_by_byte_is_given_up(call: Caller, sent: bytes) -> None:
    def serve() -> None:
        with server.accept()[0] as connection, suppress(OSError):
            connection.sendall(sent)
            for _ in range(20):
                threading.Event().wait(0.05)
                connection.sendall(b" " if sent else b"")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        with pytest.raises(errors.ConnectionFailedError, match="timed out"):
            call("species", url=f"http://127.0.0.1:{server.getsockname()[1]}", timeout=0.1)
