"""Answers that notebooks show as tables. In all else they are the dicts that the service sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

SURVIVAL = "the share of planted trees alive, or of drone-seeded spots with a living seedling"
_MAX_ROWS = 100


class ShownRanking(dict[str, Any]):
    """A ranking."""

    def _repr_html_(self) -> str:
        site, horizon = self["site"], self["horizon_years"]
        place = f"{site['latitude']}, {site['longitude']} ({site['region']})"
        last = [(option, option["predictions"][-1]) for option in self["ranking"]]
        has_intervals = any("interval" in prediction for _, prediction in last)
        names = ["rank", "code", "name", "method", "native", "survival", *(["interval"] if has_intervals else [])]
        rows = [
            [
                *_option(option),
                _percent(prediction["survival_probability"]),
                *([_range(prediction["interval"])] if has_intervals else []),
            ]
            for option, prediction in last
        ]
        return _table(f"Survival after {horizon} years at {place}", names, rows, self["model"])


class ShownPlan(dict[str, Any]):
    """A plan of planting units."""

    def _repr_html_(self) -> str:
        options = [option for unit in self["units"] for option in unit.get("options", [])]
        has_costs = any("cost_per_survivor" in option for option in options)
        has_orders = any("order" in option for option in options)
        names = ["unit", "hectares", "rank", "code", "name", "method", "native", "survival", "interval"]
        names += ["cost per survivor"] if has_costs else []
        names += ["per hectare", "total", "cost"] if has_orders else []
        rows: list[list[str]] = []
        for unit in self["units"]:
            if "error" in unit:
                rows.append([str(unit["id"]), "", "", "", unit["error"]["message"], *[""] * (len(names) - 5)])
            elif not unit["options"]:
                rows.append([str(unit["id"]), _number(unit["area_ha"]), *[""] * (len(names) - 2)])
            for option in unit.get("options", []):
                order = option.get("order") or {}
                rows.append(
                    [
                        *(str(unit["id"]), _number(unit["area_ha"]), *_option(option)),
                        *(_percent(option["survival"]["mean"]), _range(option["survival"])),
                        *([_number(option.get("cost_per_survivor"))] if has_costs else []),
                        *([_number(order.get(name)) for name in ("per_ha", "total", "cost")] if has_orders else []),
                    ]
                )
        return _table(f"Survival after {self['horizon_years']} years", names, rows, self["model"])


def _option(option: Mapping[str, Any]) -> list[str]:
    return [
        str(option["rank"]),
        option["species_code"],
        option["species_common_name"],
        option["planting_method"],
        "yes" if option["in_native_range"] else "no",
    ]


def _percent(probability: float) -> str:
    return f"{100 * probability:.1f} %"


def _range(interval: Mapping[str, float]) -> str:
    return f"{100 * interval['low']:.1f} to {_percent(interval['high'])}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _table(caption: str, names: Sequence[str], rows: Sequence[Sequence[str]], model: Mapping[str, str]) -> str:
    more = f"<p>{len(rows) - _MAX_ROWS:,} more rows are not shown.</p>" if len(rows) > _MAX_ROWS else ""
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows[:_MAX_ROWS])
    return (
        f"<table><caption>{escape(caption)}, {SURVIVAL}, by model {escape(model['version'])}</caption>"
        f"<thead><tr>{_cells('th', names)}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _cells(tag: str, texts: Iterable[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
