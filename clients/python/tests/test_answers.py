"""Both clients against the service: answers, types and errors."""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, get_origin

import pytest
from caller import Caller
from service_process import ServiceProcess
from sites import PLANTED, SITE, without_time

from generate_types import types_of
from nurselog import AsyncClient, Client, NurselogError, errors, types

OPTIONS: dict[str, Any] = {"horizons": [1, 5]}


def test_predict_answers_what_the_service_answers(call: Caller, service: ServiceProcess) -> None:
    answer = call("predict", 44.12, -122.03, "PSME", "manual", **OPTIONS)
    assert without_time(answer) == without_time(service.ask("/v1/predict", {**PLANTED, **OPTIONS}))


def test_compare_answers_what_the_service_answers(call: Caller, service: ServiceProcess) -> None:
    answer = call("compare", 44.12, -122.03, "PSME", **OPTIONS)
    assert without_time(answer) == without_time(service.ask("/v1/predict/compare", {**SITE, **OPTIONS}))


def test_rank_answers_what_the_service_answers(call: Caller, service: ServiceProcess) -> None:
    choice: dict[str, Any] = {"species_codes": ["PSME", "PIPO"], "planting_methods": ["manual"], "native_only": False}
    answer = call("rank", 44.12, -122.03, **choice, **OPTIONS, include=["site"])
    place = {"latitude": 44.12, "longitude": -122.03}
    body = {**place, **choice, **OPTIONS, "include": ["site"]}
    assert without_time(answer) == without_time(service.ask("/v1/predict/rank", body))
    assert without_time(call("rank", 44.12, -122.03)) == without_time(service.ask("/v1/predict/rank", place))


def test_surface_answers_what_the_service_answers(call: Caller, service: ServiceProcess) -> None:
    box = (-122.1, 44.0, -122.0, 44.1)
    answer = call("surface", "PSME", bbox=box, max_points=50, scenario={"warming_c": 1.5})
    query = "bbox=-122.1,44.0,-122.0,44.1&max_points=50&warming_c=1.5"
    assert answer == service.ask(f"/v1/surfaces/PSME?{query}")
    assert 0 < answer["points"] <= 50
    assert call("surface", "PSME", max_points=50) == service.ask("/v1/surfaces/PSME?max_points=50")


def test_a_species_code_of_a_surface_may_have_any_characters(call: Caller) -> None:
    with pytest.raises(errors.InvalidSpeciesError, match="P/S ME"):
        call("surface", "P/S ME")


@pytest.mark.parametrize("method", ["species", "coverage", "model"])
def test_lists_and_descriptions_are_those_of_the_service(call: Caller, service: ServiceProcess, method: str) -> None:
    assert call(method) == service.ask(f"/v1/{method}")


def test_usage_counts_the_requests_of_the_key_and_is_free(call: Caller, service: ServiceProcess) -> None:
    key = service.issue("spore")
    call("species", api_key=key)
    assert call("usage", api_key=key)["requests_today"] == 1
    assert call("usage", api_key=key)["remaining"] == 99


def test_health_is_answered(call: Caller) -> None:
    assert call("health")["status"] == "ok"


def test_types_equal_those_generated_from_the_document(service: ServiceProcess) -> None:
    assert Path(types.__file__).read_text() == types_of(service.ask("/openapi.json"))


def test_every_error_code_of_the_service_has_a_class(service: ServiceProcess) -> None:
    error = service.ask("/openapi.json")["components"]["schemas"]["ErrorObject"]
    assert set(error["properties"]["code"]["enum"]) <= set(errors.ERROR_CLASSES)


def test_both_clients_have_the_same_methods_with_the_same_parameters() -> None:
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        if not name.startswith("_") and name != "close":
            other = getattr(AsyncClient, name)
            assert inspect.iscoroutinefunction(other) or inspect.isasyncgenfunction(other)
            assert inspect.signature(method).parameters == inspect.signature(other).parameters
    returned = [inspect.signature(client.predict_tables).return_annotation for client in (Client, AsyncClient)]
    assert [get_origin(kind) for kind in returned] == [Iterator, AsyncIterator]


@pytest.mark.parametrize(
    ("changes", "error_class", "detail"),
    [
        ({"latitude": 10.0}, errors.OutsideCoverageError, "suggestion"),
        ({"latitude": 45.52, "longitude": -122.67}, errors.NoNearbyDataError, "search_radius_km"),
        ({"species_code": "PSMF"}, errors.InvalidSpeciesError, "suggestion"),
        ({"planting_method": "sown"}, errors.InvalidMethodError, None),
        ({"horizons": [2]}, errors.InvalidRequestError, "issues"),
    ],
)
def test_a_refusal_has_the_class_of_its_code_and_all_details_of_the_service(
    call: Caller, changes: dict[str, Any], error_class: type[NurselogError], detail: str | None
) -> None:
    with pytest.raises(error_class) as raised:
        call("predict", **{**PLANTED, **changes})
    error = raised.value
    assert error.code == error_class.default_code
    assert error.status == 422
    assert error.request_id is not None
    assert error.message in str(error)
    assert detail is None or detail in error.details


def test_refused_keys_have_different_errors(call: Caller, service: ServiceProcess) -> None:
    issued = service.keys("issue", "--tier", "spore", "--owner", "client tests")
    service.keys("deactivate", issued["id"])
    with pytest.raises(errors.KeyInactiveError):
        call("species", api_key=issued["key"])
    with pytest.raises(errors.InvalidApiKeyError):
        call("species", api_key="nurse_live_" + 32 * "0")


def test_a_used_up_quota_is_not_waited_for(call: Caller, service: ServiceProcess) -> None:
    key = service.nearly_used_key(left=0)
    with pytest.raises(errors.RateLimitExceededError) as raised:
        call("species", api_key=key, retries=3)
    assert raised.value.details["limit"] == 100
    assert raised.value.retry_after is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"latitude": math.nan}, "latitude is nan"),
        ({"conditions": {"vpd_max": math.inf}}, "conditions is {'vpd_max': inf}"),
        ({"species_code": object}, "species_code is <class 'object'>"),
    ],
)
def test_a_value_that_json_does_not_have_is_named_and_not_sent(
    call: Caller, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(errors.InvalidRequestError, match=message) as raised:
        call("predict", **{**PLANTED, **changes})
    assert raised.value.status is None


def test_a_page_of_another_server_is_an_error_that_says_so(call: Caller, service: ServiceProcess) -> None:
    with pytest.raises(errors.NotFoundError):
        call("species", url=f"{service.url}/elsewhere")


def test_errors_survive_pickling() -> None:
    error = errors.OverloadedError("Full.", details={"a": 1}, status=503, request_id="r", retry_after=1.0)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)
    assert str(copy) == "Full. (overloaded, request r)"


def test_an_error_code_of_a_newer_service_is_kept() -> None:
    error = errors.error_from_object({"code": "new_code", "message": "New."})
    assert type(error) is NurselogError
    assert error.code == "new_code"
