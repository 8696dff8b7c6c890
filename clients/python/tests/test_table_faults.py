"""Tables with faults on the way: limits of tiers, cut connections, overload."""

from __future__ import annotations

import httpx
import pyarrow as pa
import pytest
from caller import Caller
from faulty_proxy import FAULTS, FINAL, Fault, FaultyProxy
from frames import frame, table
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from service_process import ServiceProcess

from nurselog import Client, errors
from nurselog._table.columns import answer_schema
from nurselog._table.exchange import Reply, _read

# Examples share the service and the proxy, whose state each sets anew.
SHARED = settings(max_examples=20)


def rows_sent(body: bytes) -> int:
    with pa.ipc.open_stream(body) as reader:
        return int(reader.read_all().num_rows)


@pytest.mark.parametrize(("tier", "size"), [("spore", 10), ("mycel", 100)])
def test_pieces_take_the_size_of_the_tier_after_one_refusal(
    call: Caller, service: ServiceProcess, tier: str, size: int
) -> None:
    key = service.issue(tier)
    answered = call("predict_table", table(size * 5 + 1), api_key=key)
    assert answered["error_code"].isna().all()
    assert answered["plot"].tolist() == table(size * 5 + 1)["plot"].tolist()
    assert call("usage", api_key=key)["requests_today"] == 1 + 6


def test_pieces_beyond_the_bytes_of_a_request_are_divided(service: ServiceProcess, proxy: FaultyProxy) -> None:
    proxy.fail_next([])
    given = table(4_000).assign(species_code=[f"{row:04}" + "x" * 15_000 for row in range(4_000)])
    with Client(proxy.url, service.key) as client:
        answered = client.predict_table(given)
    assert set(answered["error_code"]) == {"invalid_species"}
    assert sum(map(rows_sent, proxy.received[1:])) >= 4_000
    assert len(proxy.answered) >= 2


def test_the_error_of_a_piece_is_raised(call: Caller, service: ServiceProcess) -> None:
    key = service.issue("spore")
    with pytest.raises(errors.RateLimitExceededError) as raised:
        call("predict_table", table(1200), api_key=key)
    assert raised.value.request_id is not None
    assert raised.value.details["limit"] == 100


def test_complete_record_batches_of_a_cut_response_are_kept(call: Caller, proxy: FaultyProxy) -> None:
    expected = call("predict_table", table(12_000))
    proxy.fail_next([None, "cut after"])
    assert_frame_equal(call("predict_table", table(12_000), url=proxy.url, retries=1), expected)
    rows = [rows_sent(body) for body in proxy.received]
    assert rows[:2] == [501, 11_499]
    assert 0 < rows[2] < 11_499


def test_attempts_are_counted_from_0_after_new_rows_arrived(call: Caller, proxy: FaultyProxy) -> None:
    proxy.fail_next([None, "cut after", "cut after"])
    assert len(call("predict_table", table(12_000), url=proxy.url, retries=1)) == 12_000
    assert proxy.requests == 4


@pytest.mark.parametrize("fault", FAULTS)
def test_the_last_error_is_raised_when_no_new_row_arrives(call: Caller, proxy: FaultyProxy, fault: Fault) -> None:
    proxy.fail_next([fault, fault])
    with pytest.raises(FINAL[fault]):
        call("predict_table", table(20), url=proxy.url, retries=1)
    assert proxy.requests == 2


def test_the_page_of_a_proxy_is_not_taken_for_a_broken_table() -> None:
    _, error = _read(Reply(httpx.Response(200, html="<h1>Log in</h1>")), 1, answer_schema(None, intervals=False))
    assert isinstance(error, errors.UnexpectedResponseError)


@SHARED
@given(
    faults=st.lists(st.none() | st.sampled_from(FAULTS), max_size=8),
    rows=st.integers(0, 3000),
    concurrency=st.integers(1, 4),
)
def test_whatever_fails_every_row_is_there_once_in_its_order(
    call: Caller, proxy: FaultyProxy, faults: list[Fault | None], rows: int, concurrency: int
) -> None:
    proxy.fail_next(faults)
    given = frame("pyarrow table", rows)
    answered = call("predict_table", given, url=proxy.url, retries=len(faults), concurrency=concurrency)
    assert answered.select(given.schema.names).equals(given)
    assert answered.column("error_code").null_count == rows
