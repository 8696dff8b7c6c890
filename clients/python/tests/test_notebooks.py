"""Answers as notebooks show them, and the example notebook."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pandas as pd
import pytest
from caller import Caller
from nbclient import NotebookClient
from service_process import ROOT, ServiceProcess

COSTS = {"manual": 1.2, "drone_seeded": 0.35}


def rows(html: str) -> list[list[str]]:
    """The texts of the cells, the names of the columns first."""
    table = ElementTree.fromstring(f"<div>{html}</div>")  # noqa: S314 - our own
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_a_ranking_is_a_table(call: Caller) -> None:
    answer = call("rank", 44.12, -122.03, include=["intervals"])
    assert "spots with a living seedling" in answer._repr_html_()
    names, *shown = rows(answer._repr_html_())
    assert names == ["rank", "code", "name", "method", "native", "survival", "interval"]
    assert [row[1] for row in shown] == [option["species_code"] for option in answer["ranking"]]
    last = answer["ranking"][0]["predictions"][-1]
    assert shown[0][5] == f"{100 * last['survival_probability']:.1f} %"


def unit(id_: str, west: float) -> dict[str, Any]:
    ring = [[west, 44.1], [west + 0.02, 44.1], [west + 0.02, 44.12], [west, 44.12], [west, 44.1]]
    return {"type": "Feature", "id": id_, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def test_a_plan_is_a_table_with_the_message_of_a_unit_that_failed(call: Caller) -> None:
    collection = {"type": "FeatureCollection", "features": [unit("<North> & South", -122.05), unit("East", -116.3)]}
    answer = call("plan", collection, species_codes=["PSME"], costs=COSTS, target_per_ha=300)
    names, *shown = rows(answer._repr_html_())
    options = answer["units"][0]["options"]
    table = [dict(zip(names, row, strict=True)) for row in shown]
    assert [row["unit"] for row in table] == ["<North> & South", "<North> & South", "East"]
    assert [row["total"] for row in table[:2]] == [f"{option['order']['total']:,}" for option in options]
    assert [row["cost per survivor"] for row in table[:2]] == [str(option["cost_per_survivor"]) for option in options]
    assert table[2]["name"] == answer["units"][1]["error"]["message"]


def test_a_unit_without_options_is_a_row_of_its_id_and_hectares(call: Caller) -> None:
    # Sitka spruce is native at the coast.
    answer = call("plan", {"type": "FeatureCollection", "features": [unit("North", -122.05)]}, species_codes=["PISI"])
    names, *shown = rows(answer._repr_html_())
    assert shown == [["North", f"{answer['units'][0]['area_ha']:,}", *[""] * (len(names) - 2)]]


def test_the_notebook_makes_a_map_and_a_plan_of_a_csv_file_and_a_shapefile(
    service: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NURSELOG_URL", service.url)
    monkeypatch.setenv("NURSELOG_API_KEY", service.key)
    folder = shutil.copytree(ROOT / "clients/python/examples", tmp_path / "examples")
    notebook = nbformat.read(folder / "sites_to_plan.ipynb", as_version=4)
    assert all(cell.get("outputs", []) == [] for cell in notebook.cells)  # as committed
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, kernel_name="python3").execute()
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in data for data in outputs) == 2
    [plan] = [data["text/html"] for data in outputs if "by model" in data.get("text/html", "")]
    assert {row[0] for row in rows(plan)[1:]} == {f"U-{number}" for number in range(1, 9)}
    written = pd.read_csv(folder / "plan.csv")
    assert (written["rank"].tolist(), written["order_total"].gt(0).all()) == (8 * [1], True)
