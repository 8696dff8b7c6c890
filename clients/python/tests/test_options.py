"""The options of a site: by predict, compare, predict_many and the command."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from caller import Caller
from command_process import run
from rich.console import Console
from service_process import ServiceProcess
from sites import PLANTED, SITE, without_time

from nurselog import errors
from nurselog._commands import terminal
from nurselog.types import ComparisonResult, PredictionResult

OPTIONS: list[dict[str, Any]] = [
    {"elevation_m": 700},
    {"conditions": {"vpd_max": 14.0}},
    {"scenario": {"warming_c": 2, "precipitation_change_percent": -10}},
    {"include": ["explanation", "site"]},
    {"horizons": [5], "elevation_m": 0, "conditions": {}, "scenario": {"warming_c": 1}, "include": ["site"]},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_options_have_the_effect_that_the_service_gives_them(
    call: Caller, service: ServiceProcess, options: dict[str, Any]
) -> None:
    plain = without_time(call("predict", **PLANTED))
    wanted = without_time(service.ask("/v1/predict", {**PLANTED, **options}))
    assert wanted != plain
    assert without_time(call("predict", **PLANTED, **options)) == wanted
    [of_many] = call("predict_many", [{**PLANTED, **options}])
    assert without_time(of_many) == wanted
    comparison = call("compare", **SITE, **options)
    assert without_time(comparison) == without_time(service.ask("/v1/predict/compare", {**SITE, **options}))


def test_options_of_a_site_come_before_those_of_the_call(call: Caller) -> None:
    common: dict[str, Any] = {"scenario": {"warming_c": 3}, "include": ["site"]}
    wanted = [PLANTED, {**PLANTED, "scenario": {"warming_c": -1}}, {**PLANTED, "include": []}]
    results = call("predict_many", wanted, **common)
    for site, result in zip(wanted, results, strict=True):
        assert without_time(result) == without_time(call("predict", **{**common, **site}))


def test_an_elevation_in_feet_is_refused_with_both_elevations(call: Caller) -> None:
    with pytest.raises(errors.ElevationMismatchError) as raised:
        call("predict", **PLANTED, elevation_m=2140)
    assert set(raised.value.details) == {"elevation_m", "matched_elevation_m"}


def test_the_command_sends_its_options(service: ServiceProcess) -> None:
    words = "--elevation-m 700 --condition vpd_max=14 --condition soil_clay=20 --warming-c 2 --include explanation"
    arguments = ["site", "44.12", "-122.03", "PSME", "manual", "--horizon", "1", "--horizon", "5", *words.split()]
    options = {
        "horizons": [1, 5],
        "elevation_m": 700,
        "conditions": {"vpd_max": 14, "soil_clay": 20},
        "scenario": {"warming_c": 2},
        "include": ["explanation"],
    }
    answer = json.loads(run(service, *arguments, "--json").stdout)
    assert without_time(answer) == without_time(service.ask("/v1/predict", {**PLANTED, **options}))


def test_the_command_sends_an_elevation_of_0(service: ServiceProcess) -> None:
    output = run(service, "site", "44.12", "-122.03", "PSME", "manual", "--elevation-m", "0", "--json").stdout
    assert json.loads(output)["predictions"] == service.ask("/v1/predict", {**PLANTED, "elevation_m": 0})["predictions"]


def test_the_fields_that_include_adds_to_the_site_are_shown(service: ServiceProcess) -> None:
    output = run(service, "site", "44.12", "-122.03", "PSME", "--include", "site").stdout
    site = service.ask("/v1/predict/compare", {**SITE, "include": ["site"]})["site"]
    assert f"{site['matched_elevation_m']} m" in output
    assert "native range" in output


def test_intervals_are_shown(service: ServiceProcess) -> None:
    # The models that ship may have no intervals.
    interval = {"level": 0.8, "low": 0.1234, "high": 0.9876}
    prediction = service.ask("/v1/predict", PLANTED)
    prediction["predictions"][0]["interval"] = interval
    comparison = service.ask("/v1/predict/compare", SITE)
    comparison["method_differential"][0]["interval"] = {**interval, "low": -0.1234}
    console = Console(width=100)
    with console.capture() as capture:
        console.print(terminal.prediction_tables(cast("PredictionResult", prediction)))
        console.print(terminal.comparison_tables(cast("ComparisonResult", comparison)))
    assert "12.3% to 98.8%" in capture.get()
    assert "-12.3 to +98.8" in capture.get()
