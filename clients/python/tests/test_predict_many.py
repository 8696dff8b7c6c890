"""Any number of sites: one result or error for each, in their order."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from caller import Caller
from faulty_proxy import FAULTS, Fault, FaultyProxy
from hypothesis import given, settings
from hypothesis import strategies as st
from service_process import ServiceProcess
from sites import PLANTED, sites, without_time

from nurselog import Client, NurselogError, errors

# Examples share the service and the proxy, whose state each sets anew.
SHARED = settings(max_examples=50)


def test_no_sites_need_no_request(call: Caller) -> None:
    assert call("predict_many", [], url="http://127.0.0.1:9") == []


def test_sites_beyond_a_batch_get_the_answers_of_single_requests_in_their_order(
    call: Caller, service: ServiceProcess
) -> None:
    wanted = sites(1203)
    results = call("predict_many", iter(wanted), horizons=[1])
    assert len(results) == 1203
    for site, result in zip(wanted, results, strict=True):
        assert isinstance(result, errors.NoNearbyDataError) or result["site"]["latitude"] == site["latitude"]
    for position in (0, 499, 500, 999, 1000, 1202):
        if isinstance(results[position], dict):
            alone = service.ask("/v1/predict", {**wanted[position], "horizons": [1]})
            assert without_time(results[position]) == without_time(alone)


def test_a_bad_site_gets_its_error_and_the_others_their_answers(call: Caller) -> None:
    wanted = [
        PLANTED,
        {**PLANTED, "latitude": math.nan},
        {**PLANTED, "latitude": 10.0},
        {**PLANTED, "conditions": {"soil": object()}},
        {**PLANTED, "horizon": [1]},
        {**PLANTED, "horizons": [3]},
    ]
    results = call("predict_many", wanted, horizons=[5])
    kinds = [dict, errors.InvalidRequestError, errors.OutsideCoverageError, errors.InvalidRequestError]
    assert [type(result) for result in results] == [*kinds, dict, dict]
    assert [result["predictions"][0]["horizon_years"] for result in results if isinstance(result, dict)] == [5, 5, 3]
    assert results[2].request_id is not None


@pytest.mark.parametrize("missing", [math.nan, np.float32("nan"), pd.NA, None])
def test_a_missing_elevation_of_pandas_states_none(call: Caller, missing: object) -> None:
    rows = [{**PLANTED, "elevation_m": 700.0}, {**PLANTED, "elevation_m": missing}]
    results, wanted = call("predict_many", rows), call("predict_many", [rows[0], PLANTED])
    assert [without_time(result) for result in results] == [without_time(result) for result in wanted]


@pytest.mark.parametrize("value", [math.nan, date(2026, 5, 1), pd.NA, b"x", [object()]])
def test_other_fields_without_a_form_in_json_are_ignored(call: Caller, value: object) -> None:
    [result] = call("predict_many", [{**PLANTED, "mine": value}], horizons=[5])
    assert [prediction["horizon_years"] for prediction in result["predictions"]] == [5]


@pytest.mark.parametrize("name", ["latitude", "conditions", "horizons"])
def test_a_field_of_the_service_without_a_form_in_json_is_an_error(call: Caller, name: str) -> None:
    [result] = call("predict_many", [{**PLANTED, "mine": b"x", name: math.nan}], url="http://127.0.0.1:9")
    assert isinstance(result, errors.InvalidRequestError)
    assert f"{name} is nan" in result.message


@pytest.mark.parametrize(("tier", "batch_sites"), [("spore", 10), ("mycel", 100)])
def test_batches_take_the_size_of_the_tier_after_one_refusal(
    call: Caller, service: ServiceProcess, tier: str, batch_sites: int
) -> None:
    key = service.issue(tier)
    results = call("predict_many", sites(batch_sites * 5 + 1), api_key=key)
    assert len(results) == batch_sites * 5 + 1
    assert call("usage", api_key=key)["requests_today"] == 1 + 6


def test_a_client_remembers_the_size_of_the_tier(service: ServiceProcess) -> None:
    with Client(service.url, service.issue("spore")) as client:
        client.predict_many(sites(20))
        client.predict_many(sites(20))
        assert client.usage()["requests_today"] == 1 + 2 + 2


def test_batches_with_too_many_bytes_are_divided(call: Caller) -> None:
    wanted = [{**site, "note": "x" * 300_000} for site in sites(8)]
    assert [result["site"]["latitude"] for result in call("predict_many", wanted)] == [
        site["latitude"] for site in wanted
    ]


def test_sites_beyond_the_quota_get_its_error_and_the_others_their_answers(
    call: Caller, service: ServiceProcess
) -> None:
    # One of the four requests is refused for its size.
    results = call("predict_many", sites(50), api_key=service.nearly_used_key(left=4), concurrency=1)
    assert all(isinstance(result, dict) for result in results[:30])
    assert all(isinstance(result, errors.RateLimitExceededError) for result in results[30:])
    assert len(results) == 50


def test_an_error_is_raised_when_no_batch_is_answered(call: Caller, proxy: FaultyProxy) -> None:
    with pytest.raises(errors.InvalidApiKeyError):
        call("predict_many", sites(2000), api_key="nurse_live_" + 32 * "0")
    proxy.fail_next(["cut before"] * 10)
    with pytest.raises(errors.ConnectionFailedError):
        call("predict_many", sites(20), batch_sites=5, url=proxy.url)
    assert proxy.requests == 1


def test_concurrency_must_allow_a_batch(call: Caller) -> None:
    with pytest.raises(ValueError, match="concurrency"):
        call("predict_many", sites(1), concurrency=0)


@SHARED
@given(
    faults=st.lists(st.none() | st.sampled_from(FAULTS), max_size=20),
    count=st.integers(0, 60),
    batch_sites=st.integers(1, 20),
    concurrency=st.integers(1, 8),
    retries=st.integers(0, 3),
)
def test_whatever_fails_no_site_is_lost_or_answered_twice(
    call: Caller,
    proxy: FaultyProxy,
    faults: list[Fault | None],
    count: int,
    batch_sites: int,
    concurrency: int,
    retries: int,
) -> None:
    proxy.fail_next(faults)
    wanted = sites(count)
    try:
        results = call(
            "predict_many",
            wanted,
            url=proxy.url,
            retries=retries,
            batch_sites=batch_sites,
            concurrency=concurrency,
        )
    except NurselogError:
        assert proxy.answered == []
        return
    assert len(results) == count
    answered = []
    for site, result in zip(wanted, results, strict=True):
        if isinstance(result, NurselogError):
            continue
        answered.append(site["latitude"])
        assert result["site"]["latitude"] == site["latitude"]
    received = [site["latitude"] for site in proxy.answered_sites()]
    assert sorted(received) == answered
    if sum(fault is not None for fault in faults) <= retries:
        assert len(answered) == count
