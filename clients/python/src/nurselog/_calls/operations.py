"""The calls of the service without input and output: which request each sends and how its response is read.

`Client` and `AsyncClient` have a method for each function of this module that returns an `Operation`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import httpx

from nurselog._calls.notebooks import ShownRanking
from nurselog.errors import InvalidRequestError, NurselogError, UnexpectedResponseError, error_from_object
from nurselog.types import (
    ComparisonResult,
    Coverage,
    Health,
    Include,
    PlanResult,
    PlantingMethod,
    PredictionResult,
    RankingResult,
    Scenario,
    ServedModel,
    SpeciesList,
    Usage,
)

Answer = TypeVar("Answer")

Result = PredictionResult | NurselogError
"""What one site of a batch gets."""


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """A request and how its response is read. `read` is only called with a status of `answer_statuses`."""

    method: str
    path: str
    read: Callable[[httpx.Response], Answer]
    body: bytes | None = None
    answer_statuses: frozenset[int] = frozenset({200})


def predict(
    latitude: float,
    longitude: float,
    species_code: str,
    planting_method: PlantingMethod,
    *,
    horizons: Sequence[int] | None = None,
    elevation_m: float | None = None,
    conditions: Mapping[str, float] | None = None,
    scenario: Scenario | None = None,
    include: Sequence[Include] | None = None,
) -> Operation[PredictionResult]:
    """Predicts survival at one site, for one species and planting method.

    Args:
        latitude: Degrees north.
        longitude: Degrees east, so negative in Oregon and Washington.
        species_code: A code of `species()`, such as "PSME".
        planting_method: "manual" or "drone_seeded".
        horizons: Years after planting, of 1, 3 and 5; by default all.
        elevation_m: Elevation of the site in metres, which moves its climate from that of the data point.
        conditions: What was measured at the site, by feature and in the unit of `model()`, in place of the data.
        scenario: A changed climate: `warming_c`, `precipitation_change_percent` or both.
        include: What to add to the answer: "intervals", "explanation", "site".

    Raises:
        NurselogError: One subclass for each error code.
    """
    site = _site_fields(latitude, longitude, species_code, horizons, elevation_m, conditions, scenario, include)
    return _post("/v1/predict", {**site, "planting_method": planting_method})


def compare(
    latitude: float,
    longitude: float,
    species_code: str,
    *,
    horizons: Sequence[int] | None = None,
    elevation_m: float | None = None,
    conditions: Mapping[str, float] | None = None,
    scenario: Scenario | None = None,
    include: Sequence[Include] | None = None,
) -> Operation[ComparisonResult]:
    """Predicts survival at one site for both planting methods, with the difference. For the arguments see `predict`."""
    site = _site_fields(latitude, longitude, species_code, horizons, elevation_m, conditions, scenario, include)
    return _post("/v1/predict/compare", site)


def rank(
    latitude: float,
    longitude: float,
    *,
    planting_methods: Sequence[PlantingMethod] | None = None,
    species_codes: Sequence[str] | None = None,
    native_only: bool | None = None,
    horizons: Sequence[int] | None = None,
    elevation_m: float | None = None,
    conditions: Mapping[str, float] | None = None,
    scenario: Scenario | None = None,
    include: Sequence[Include] | None = None,
) -> Operation[RankingResult]:
    """Ranks species and planting methods at one site, best first.

    Args:
        latitude: Degrees north.
        longitude: Degrees east, so negative in Oregon and Washington.
        planting_methods: "manual", "drone_seeded" or, by default, both.
        species_codes: Codes of `species()`; by default all.
        native_only: Whether to leave out species that are not native to the data point; by default True.
        horizons: Years after planting, of 1, 3 and 5; the ranking is by the longest.
        elevation_m: See `predict`.
        conditions: See `predict`.
        scenario: See `predict`.
        include: See `predict`.

    Raises:
        NurselogError: One subclass for each error code.
    """
    choice = {
        "planting_methods": planting_methods,
        "species_codes": species_codes,
        "native_only": native_only,
        **_options(horizons, elevation_m, conditions, scenario, include),
    }
    given = {name: value for name, value in choice.items() if value is not None}
    body = encode({"latitude": latitude, "longitude": longitude, **given})
    return Operation("POST", "/v1/predict/rank", _shown_ranking, body)


def species() -> Operation[SpeciesList]:
    """Lists the species that can be predicted."""
    return get_object("/v1/species")


def coverage() -> Operation[Coverage]:
    """Lists the regions with data and their bounds."""
    return get_object("/v1/coverage")


def model() -> Operation[ServedModel]:
    """Describes the models of the service: version, origin of the outcomes, features with units and ranges, scores."""
    return get_object("/v1/model")


def usage() -> Operation[Usage]:
    """Returns how many requests the key made today and its limit. It is not counted as a request."""
    return get_object("/v1/usage")


def health() -> Operation[Health]:
    """Returns whether the service is ready. An answer that it is not ready is returned, too, without retries."""
    return Operation("GET", "/v1/health", _object, answer_statuses=frozenset({200, 503}))


def predict_batch(entries: Sequence[bytes]) -> Operation[Sequence[Result]]:
    """Predicts survival for sites encoded as JSON: an answer or an error for each, in their order."""

    def read(response: httpx.Response) -> Sequence[Result]:
        results = _object(response).get("results")
        if not isinstance(results, list) or len(results) != len(entries):
            raise unexpected(response, f"It does not have the {len(entries)} results of the batch.")
        request_id = response.headers.get("x-request-id")
        try:
            return [
                error_from_object(result["error"], request_id=request_id) if "error" in result else result
                for result in results
            ]
        except (TypeError, KeyError):
            raise unexpected(response, "One of its results is neither an answer nor an error.") from None

    return Operation("POST", "/v1/predict/batch", read, b'{"requests":[' + b",".join(entries) + b"]}")


def plan_request(units: bytes, options: bytes) -> Operation[PlanResult]:
    """Plans units: `units` is a FeatureCollection and `options` an object, both encoded as JSON."""

    def read(response: httpx.Response) -> PlanResult:
        answer = _object(response)
        if not isinstance(answer.get("units"), list):
            raise unexpected(response, "It does not have the units of a plan.")
        return cast("PlanResult", answer)

    others = options[1:-1]
    body = b'{"units":' + units + (b"," + others if others else b"") + b"}"
    return Operation("POST", "/v1/plan", read, body)


def encode(fields: Mapping[str, object]) -> bytes:
    """The fields as JSON in UTF-8, with scalars and arrays of numpy as numbers and lists.

    Raises:
        InvalidRequestError: A number is NaN or infinite, or a value cannot be written as JSON. Nothing was sent.
    """
    try:
        return _json(fields)
    except (TypeError, ValueError) as error:
        wrong = next((name for name, value in fields.items() if not is_encodable(value)), None)
        reason = error if wrong is None else f"{wrong} is {fields[wrong]!r}"
        raise InvalidRequestError(f"The request cannot be written as JSON: {reason}.") from None


def is_encodable(value: object) -> bool:
    """Whether a value can be written as JSON."""
    try:
        _json(value)
    except (TypeError, ValueError):
        return False
    return True


def unexpected(response: httpx.Response, reason: str) -> UnexpectedResponseError:
    """The error for a response that does not come from nurselog; `reason` is a sentence."""
    return UnexpectedResponseError(
        f"The response with status {response.status_code} is not one of nurselog: {reason}",
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
    )


def other_type(response: httpx.Response, wanted: str) -> UnexpectedResponseError | None:
    """The error for a body of another media type, such as the page of a proxy; None for the wanted one."""
    media_type = response.headers.get("content-type", "").partition(";")[0]
    return None if media_type == wanted else unexpected(response, f"Its type is {media_type!r}, not {wanted!r}.")


def _site_fields(
    latitude: float,
    longitude: float,
    species_code: str,
    horizons: Sequence[int] | None,
    elevation_m: float | None,
    conditions: Mapping[str, float] | None,
    scenario: Scenario | None,
    include: Sequence[Include] | None,
) -> dict[str, object]:
    options = _options(horizons, elevation_m, conditions, scenario, include)
    given = {name: value for name, value in options.items() if value is not None}
    return {"latitude": latitude, "longitude": longitude, "species_code": species_code, **given}


def _options(
    horizons: Sequence[int] | None,
    elevation_m: float | None,
    conditions: Mapping[str, float] | None,
    scenario: Scenario | None,
    include: Sequence[Include] | None,
) -> dict[str, object]:
    return {
        "horizons": horizons,
        "elevation_m": elevation_m,
        "conditions": conditions,
        "scenario": scenario,
        "include": include,
    }


def get_object(path: str) -> Operation[Any]:
    """Asks for a JSON object."""
    return Operation("GET", path, _object)


def _post(path: str, fields: Mapping[str, object]) -> Operation[Any]:
    return Operation("POST", path, _object, encode(fields))


def _shown_ranking(response: httpx.Response) -> RankingResult:
    return cast("RankingResult", ShownRanking(_object(response)))


def _object(response: httpx.Response) -> Any:  # noqa: ANN401 - the caller names the type of the answer
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        raise unexpected(response, "It is not JSON.") from None
    if not isinstance(answer, dict):
        raise unexpected(response, "It is not a JSON object.")
    return answer


def _json(value: object) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: object) -> object:
    to_list = getattr(value, "tolist", None)
    if to_list is None:
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    return cast("Callable[[], object]", to_list)()
