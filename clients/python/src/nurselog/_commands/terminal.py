"""Answers of the service as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table

from nurselog._calls.notebooks import SURVIVAL
from nurselog.errors import printable
from nurselog.types import (
    ComparisonResult,
    MethodDifference,
    Model,
    Prediction,
    PredictionResult,
    RankingResult,
    ServedModel,
    Site,
    SpeciesList,
    Usage,
)


def species_table(answer: SpeciesList) -> RenderableType:
    """One row for each species."""
    rows = [(s["species_code"], s["common_name"], s["scientific_name"], s["group"]) for s in answer["species"]]
    return _table(["code", "name", "scientific name", "group"], rows)


def usage_table(answer: Usage) -> RenderableType:
    """The count of the key."""
    limit, remaining = answer["limit"], answer["remaining"]
    return _fields(
        {
            "tier": answer["tier"],
            "requests today": f"{answer['requests_today']:,}",
            "limit": "unlimited" if limit is None else f"{limit:,}",
            "remaining": "unlimited" if remaining is None else f"{remaining:,}",
            "resets at": answer["resets_at"],
        }
    )


def model_tables(answer: ServedModel) -> RenderableType:
    """Identity and origin, then features, then scores."""
    identity = {
        "version": answer["version"],
        "outcomes": answer["outcomes"],
        "caution": answer["caution"],
        "alive, manual": answer["alive"]["manual"],
        "alive, drone_seeded": answer["alive"]["drone_seeded"],
        "data points": f"{answer['grid']['points']:,}",
        "digest": answer["digest"],
    }
    features = [
        (f["feature"], f["factor"], f["unit"], f"{f['minimum']:g}", f"{f['maximum']:g}") for f in answer["features"]
    ]
    scores = [
        (
            s["planting_method"],
            str(s["horizon_years"]),
            *(_number(s[key]) for key in ("auc", "brier", "calibration_slope", "expected_calibration_error")),
        )
        for s in answer["scores"]
    ]
    score_names = ["method", "years", "AUC", "Brier", "calibration slope", "calibration error"]
    return Group(
        _fields(identity),
        _table(["feature", "name", "unit", "minimum", "maximum"], features, numbers=[3, 4]),
        _table(score_names, scores, numbers=[1, 2, 3, 4, 5]),
    )


def prediction_tables(answer: PredictionResult) -> RenderableType:
    """The site, then survival and factors by horizon."""
    rows = [
        (str(p["horizon_years"]), _percent(p["survival_probability"]), *_interval(p, _percent), _factors(p))
        for p in answer["predictions"]
    ]
    names = ["years", "survival", *_interval_name(answer["predictions"]), "factors"]
    heading = {"method": answer["planting_method"], **_site(answer["site"], answer["model"])}
    return Group(_fields({"species": _species(answer), **heading}), _table(names, rows, numbers=[0, 1]))


def comparison_tables(answer: ComparisonResult) -> RenderableType:
    """The site, then the survival of both methods and their difference by horizon."""
    methods = answer["comparison"]
    rows = [
        (
            str(difference["horizon_years"]),
            _percent(manual["survival_probability"]),
            _percent(drone["survival_probability"]),
            _points(difference["manual_advantage"]),
            *_interval(difference, _points),
        )
        for manual, drone, difference in zip(
            methods["manual"]["predictions"],
            methods["drone_seeded"]["predictions"],
            answer["method_differential"],
            strict=True,
        )
    ]
    names = ["years", "manual", "drone_seeded", "difference, points", *_interval_name(answer["method_differential"])]
    heading = {"species": _species(answer), **_site(answer["site"], answer["model"])}
    return Group(_fields(heading), _table(names, rows, numbers=[0, 1, 2, 3, 4]))


def ranking_tables(answer: RankingResult) -> RenderableType:
    """The site, then species and methods with their survival at the horizon of the ranking, best first."""
    last = [option["predictions"][-1] for option in answer["ranking"]]
    rows = [
        (
            str(option["rank"]),
            option["species_code"],
            option["species_common_name"],
            option["planting_method"],
            "yes" if option["in_native_range"] else "no",
            _percent(prediction["survival_probability"]),
            *_interval(prediction, _percent),
        )
        for option, prediction in zip(answer["ranking"], last, strict=True)
    ]
    survival = f"survival, {answer['horizon_years']} years"
    names = ["rank", "code", "name", "method", "native", survival, *_interval_name(last)]
    site = cast("Site", answer["site"])  # which has the same fields but one
    return Group(_fields(_site(site, answer["model"])), _table(names, rows, numbers=[0, 5]))


def _species(answer: PredictionResult | ComparisonResult) -> str:
    return f"{answer['species_common_name']} ({answer['species_code']})"


def _site(site: Site, model: Model) -> dict[str, str]:
    place = f"{site['matched_latitude']}, {site['matched_longitude']}"
    fields = {
        "region": site["region"],
        "data point": f"{place}, {site['match_distance_km']} km away",
    }
    if "matched_elevation_m" in site:
        fields["its elevation"] = f"{site['matched_elevation_m']:g} m"
    if "in_native_range" in site:
        fields["native range"] = "yes" if site["in_native_range"] else "no"
    if "outside_training" in site:
        fields["outside training"] = ", ".join(site["outside_training"]) or "no feature"
    fields["model"] = f'{model["version"]} ("nurselog model" describes it)'
    return {**fields, "survival": SURVIVAL}


def _interval(of: Prediction | MethodDifference, write: Callable[[float], str]) -> tuple[str, ...]:
    """The cell of an interval, which is only there if it was asked for."""
    return (f"{write(of['interval']['low'])} to {write(of['interval']['high'])}",) if "interval" in of else ()


def _interval_name(rows: Sequence[Prediction | MethodDifference]) -> list[str]:
    return ["interval"] if any("interval" in row for row in rows) else []


def _factors(prediction: Prediction) -> str:
    signs = {"positive": "+", "negative": "-"}
    return "\n".join(
        f"{signs[factor['impact']]}{100 * factor['magnitude']:.1f} points: {factor['factor']}"
        for factor in prediction["risk_factors"]
    )


def _percent(probability: float) -> str:
    return f"{100 * probability:.1f}%"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _fields(fields: dict[str, str]) -> Table:
    table = Table(show_header=False, box=None)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in fields.items():
        table.add_row(name, printable(value))
    return table


def _table(names: list[str], rows: Iterable[tuple[str, ...]], numbers: Iterable[int] = ()) -> Table:
    table = Table()
    right = set(numbers)
    for column, name in enumerate(names):
        justify: JustifyMethod = "right" if column in right else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=column == 0)
    for row in rows:
        table.add_row(*map(printable, row))
    return table
