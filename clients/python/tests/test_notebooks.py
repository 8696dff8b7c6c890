"""What notebooks show."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from caller import Caller

COSTS = {"manual": 1.2, "drone_seeded": 0.35}


def rows(html: str) -> list[list[str]]:
    """The texts of the cells, the names of the columns first."""
    table = ElementTree.fromstring(f"<div>{html}</div>")  # noqa: S314 - our own
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_a_ranking_is_a_table(call: Caller) -> None:
    answer = call("rank", 44.12, -122.03, include=["intervals"])
    names, *shown = rows(answer._repr_html_())
    assert names == ["rank", "code", "name", "method", "native", "survival", "interval"]
    assert [row[1] for row in shown] == [option["species_code"] for option in answer["ranking"]]
    last = answer["ranking"][0]["predictions"][-1]
    assert shown[0][5] == f"{100 * last['survival_probability']:.1f} %"


def test_a_plan_is_a_table_with_the_message_of_a_unit_that_failed(call: Caller) -> None:
    def unit(id_: str, west: float) -> dict[str, Any]:
        ring = [[west, 44.1], [west + 0.02, 44.1], [west + 0.02, 44.12], [west, 44.12], [west, 44.1]]
        return {"type": "Feature", "id": id_, "geometry": {"type": "Polygon", "coordinates": [ring]}}

    collection = {"type": "FeatureCollection", "features": [unit("<North> & South", -122.05), unit("East", -116.3)]}
    answer = call("plan", collection, species_codes=["PSME"], costs=COSTS, target_per_ha=300)
    names, *shown = rows(answer._repr_html_())
    options = answer["units"][0]["options"]
    table = [dict(zip(names, row, strict=True)) for row in shown]
    assert [row["unit"] for row in table] == ["<North> & South", "<North> & South", "East"]
    assert [row["total"] for row in table[:2]] == [f"{option['order']['total']:,}" for option in options]
    assert [row["cost per survivor"] for row in table[:2]] == [str(option["cost_per_survivor"]) for option in options]
    assert table[2]["name"] == answer["units"][1]["error"]["message"]
