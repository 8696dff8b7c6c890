"""Plans: both clients, tables of geopandas and the command, against the service."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Generator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
from caller import Caller
from command_process import run, run_here
from geopandas.testing import assert_geodataframe_equal
from service_process import ServiceProcess
from shapely import from_wkt
from shapely.geometry import MultiPolygon, Point, Polygon, box
from sites import without_time

from nurselog import errors
from nurselog._calls.plans import plan
from nurselog.plans import to_geodataframe

COSTS = {"manual": 1.2, "drone_seeded": 0.35}
OPTIONS: dict[str, Any] = {"species_codes": ["PSME", "TSHE"], "costs": COSTS}


def units(crs: str = "EPSG:4326") -> gpd.GeoDataFrame:
    """Two units that can be planned and one in Idaho."""
    geometries = [
        box(-122.05, 44.1, -122.03, 44.12),
        MultiPolygon([box(-122.0, 44.1, -121.99, 44.11), box(-121.95, 44.1, -121.94, 44.11)]),
        box(-116.3, 43.6, -116.2, 43.7),
    ]
    columns = {"name": ["North", "Söuth", "East"], "stand": ["A-1", "B-2", "C-3"]}
    return gpd.GeoDataFrame(columns, geometry=geometries, crs="EPSG:4326", index=[7, 8, 9]).to_crs(crs)


def features(table: gpd.GeoDataFrame) -> dict[str, Any]:
    geometries = [
        {"type": "Feature", "id": id_, "geometry": geometry.__geo_interface__}
        for id_, geometry in table.geometry.items()
    ]
    return {"type": "FeatureCollection", "features": geometries}


def test_a_plan_is_the_answer_of_the_service(call: Caller, service: ServiceProcess) -> None:
    collection = features(units())
    expected = without_time(service.ask("/v1/plan", {"units": collection, **OPTIONS, "horizon": 3}))
    assert len(expected["units"][0]["options"]) == 4
    assert without_time(call("plan", collection, **OPTIONS, horizon=3)) == expected
    assert without_time(call("plan", units(), **OPTIONS, horizon=3)) == expected


def test_projected_units_are_converted(call: Caller) -> None:
    degrees = call("plan", units(), **OPTIONS)["units"][0]
    metres = call("plan", units("EPSG:26910"), **OPTIONS)["units"][0]
    assert metres["area_ha"] == pytest.approx(degrees["area_ha"], rel=1e-6)
    assert metres["options"] == degrees["options"]


def test_units_without_a_reference_system_or_with_an_id_missing_or_twice_are_refused(call: Caller) -> None:
    without = units().set_crs(None, allow_override=True)
    with pytest.raises(errors.InvalidRequestError, match="no coordinate reference system"):
        call("plan", without)
    with pytest.raises(errors.InvalidRequestError, match="column name of the units has an id twice"):
        call("plan", units().assign(name="same"), id_column="name")
    with pytest.raises(errors.InvalidRequestError, match="column name of the units has no id in row 2"):
        call("plan", units().assign(name=["North", None, "East"]), id_column="name")


def test_a_collection_in_another_reference_system_is_refused(call: Caller) -> None:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4267"}}
    with pytest.raises(errors.InvalidRequestError, match=r"units\.crs must be WGS 84"):
        call("plan", {**features(units()), "crs": crs}, **OPTIONS)


@pytest.mark.parametrize("given", [units().iloc[0].geometry.__geo_interface__, pd.DataFrame(units()["name"])])
def test_an_argument_without_units_is_a_type_error_that_shows_it(call: Caller, given: Any) -> None:
    with pytest.raises(TypeError, match=f"FeatureCollection, not {re.escape(repr(given)[:20])}"):
        call("plan", given)


def test_a_unit_with_coordinates_that_are_not_finite_fails_alone(call: Caller) -> None:
    table = units()
    table.loc[8, "geometry"] = box(-122.0, 44.1, float("inf"), 44.11)
    expected = call("plan", units(), **OPTIONS)["units"]
    for given in (table, features(table)):
        first, second, third = call("plan", given, **OPTIONS)["units"]
        assert (first, third) == (expected[0], expected[2])
        assert (second["id"], second["error"]["code"]) == (8, "invalid_request")


def test_an_id_twice_is_refused_where_its_features_would_be_sent_in_different_requests(call: Caller) -> None:
    collection = features(units())
    first, *others = collection["features"]
    many = [first, *({**others[0], "id": f"unit {i}"} for i in range(600)), {**first, "id": float(first["id"])}]
    with pytest.raises(errors.InvalidRequestError, match=r"features 0 and 601 of the units have the same id, 7\.0"):
        call("plan", {**collection, "features": many}, **OPTIONS)


def test_units_with_heights_and_measures_are_planned_from_any_reference_system(call: Caller) -> None:
    flat = units("EPSG:26910")
    measured = flat.set_geometry(
        [
            from_wkt(re.sub(r"(-?[\d.]+) (-?[\d.]+)", r"\1 \2 812 17", geometry.wkt).replace("N (", "N ZM (", 1))
            for geometry in flat.geometry
        ],
        crs=flat.crs,
    )
    assert measured.geometry.iloc[0].wkt.startswith("POLYGON ZM")
    assert call("plan", measured, **OPTIONS)["units"] == call("plan", flat, **OPTIONS)["units"]


def test_units_whose_parts_touch_within_an_edge_are_planned_from_any_reference_system(call: Caller) -> None:
    corners = [
        [(4, 1), (6, 0), (6, 3)],
        [(0, 1), (-2, 0), (-2, 3)],
        [(1, 4), (0, 6), (3, 6)],
        [(1, 0), (0, -2), (3, -2)],
    ]
    beside = [Polygon([(575000 + 100 * east, 4884000 + 100 * north) for east, north in ring]) for ring in corners]
    valid = gpd.GeoSeries([MultiPolygon([box(575000, 4884000, 575400, 4884400), part]) for part in beside], crs=26910)
    assert valid.is_valid.all()
    assert not valid.to_crs(4326).is_valid.all()
    answer = call("plan", gpd.GeoDataFrame(geometry=valid), species_codes=["PSME"])
    assert [unit.get("error") for unit in answer["units"]] == [None] * len(valid)
    for unit, area in zip(answer["units"], valid.area, strict=True):
        assert unit["area_ha"] == pytest.approx(area / 10_000, rel=0.002)  # of UTM, whose scale is 0.9996 to 1.001


def test_units_with_more_bytes_than_the_tier_allows_are_sent_in_several_requests(
    call: Caller, service: ServiceProcess
) -> None:
    # About 600 positions of 40 bytes each.
    circles = [Point(-122.05 + 0.001 * i, 44.1).buffer(0.004, quad_segs=150) for i in range(60)]
    many = gpd.GeoDataFrame(geometry=circles, crs=4326)
    answer = call("plan", many, species_codes=["PSME"], api_key=service.issue("mycel"))
    assert [unit["id"] for unit in answer["units"]] == list(range(60))
    assert all("options" in unit for unit in answer["units"])


def test_more_units_than_the_tier_allows_are_sent_in_several_requests(call: Caller, service: ServiceProcess) -> None:
    key = service.issue("spore")
    many = gpd.GeoDataFrame(geometry=[box(-122.05, 44.1, -122.03, 44.1 + 0.001 * i) for i in range(1, 24)], crs=4326)
    answer = call("plan", many, species_codes=["PSME"], api_key=key)
    assert [unit["id"] for unit in answer["units"]] == list(range(23))
    assert answer["units"] == call("plan", many, species_codes=["PSME"])["units"]
    # One that was refused and three of ten units at most.
    assert call("usage", api_key=key)["requests_today"] == 4


def test_the_units_that_were_answered_before_a_failure_are_kept(
    call: Caller, service: ServiceProcess, tmp_path: Path
) -> None:
    many = gpd.GeoDataFrame(geometry=[box(-122.05, 44.1, -122.03, 44.1 + 0.001 * i) for i in range(1, 34)], crs=4326)
    # The first request has too many units, and each other one has ten of them.
    with pytest.raises(errors.RateLimitExceededError) as raised:
        call("plan", many, species_codes=["PSME"], api_key=service.nearly_used_key(left=3))
    expected = without_time(call("plan", many[:20], species_codes=["PSME"]))
    assert without_time(raised.value.answered) == expected
    with pytest.raises(errors.RateLimitExceededError) as raised:
        call("plan", many, species_codes=["PSME"], api_key=service.nearly_used_key(left=1))
    assert raised.value.answered is None
    many.to_file(tmp_path / "units.gpkg")
    arguments = [str(tmp_path / "units.gpkg"), "-o", str(tmp_path / "plan.csv"), "--species", "PSME"]
    result = run_here(service, "plan", *arguments, NURSELOG_API_KEY=service.nearly_used_key(left=3))
    assert result.exit_code == 3
    assert result.stderr.startswith(f"20 units planned, 0 failed, 13 not answered: {tmp_path / 'plan.csv'}\nnurselog: ")
    areas = pd.read_csv(tmp_path / "plan.csv")["area_ha"].unique()
    assert areas.tolist() == [unit["area_ha"] for unit in expected["units"]]


def test_a_plan_by_several_models_has_them_all(service: ServiceProcess) -> None:
    collection = features(units())
    answer = service.ask("/v1/plan", {"units": collection, **OPTIONS})
    newer = {**answer, "model": {**answer["model"], "version": "pnw_v9_9_larch"}}
    many = [{**collection["features"][0], "id": number} for number in range(1200)]
    for last, models in ((newer, [answer["model"], newer["model"]]), (answer, None)):
        steps: Generator[Any, Any, Any] = plan({**collection, "features": many})
        next(steps)
        steps.send(answer)
        steps.send(answer)
        with pytest.raises(StopIteration) as end:
            steps.send(last)
        assert (end.value.value["model"], end.value.value.get("models")) == (last["model"], models)
        assert len(end.value.value["units"]) == 9


def test_a_table_has_a_row_for_each_option_with_the_unit_s_own_columns(call: Caller) -> None:
    table = units("EPSG:26910")
    answer = call("plan", table, id_column="stand", **OPTIONS)
    result = to_geodataframe(answer, table, "stand")
    assert list(result.index) == 4 * [7] + 4 * [8] + [9]
    assert result.crs == table.crs
    own = result[["name", "stand", "geometry"]]
    assert_geodataframe_equal(own.groupby(level=0).first().set_geometry("geometry", crs=table.crs), table)
    planned = result.loc[7]
    options = answer["units"][0]["options"]
    assert list(planned["rank"]) == [1, 2, 3, 4]
    assert list(planned["survival_mean"]) == [option["survival"]["mean"] for option in options]
    assert list(planned["cost_per_survivor"]) == [option["cost_per_survivor"] for option in options]
    assert planned["survival_p10"].le(planned["survival_p90"]).all()
    assert planned["order_total"].isna().all()
    # A unit that failed changes no types.
    types = {"rank": "Int64", "data_points": "Int64", "in_native_range": "boolean", "order_total": "Int64"}
    types |= {"error_code": "string"}
    assert {name: str(result[name].dtype) for name in types} == types
    assert result.loc[9, "error_code"] == "outside_coverage"
    assert pd.isna(result.loc[9, "rank"])
    del answer["units"][2]
    assert to_geodataframe(answer, table, "stand")["error_code"].dtype == "string"
    with pytest.raises(ValueError, match="rank"):
        to_geodataframe(answer, table.assign(rank=1), "stand")


def test_a_target_adds_what_to_order_by_the_survival_that_is_the_basis(
    call: Caller, service: ServiceProcess, tmp_path: Path
) -> None:
    table = units()
    answer = call("plan", table, **OPTIONS, target_per_ha=300, basis="low")
    body = {"units": features(table), **OPTIONS, "target_per_ha": 300, "basis": "low"}
    assert without_time(answer) == without_time(service.ask("/v1/plan", body))
    orders = [option["order"] for option in answer["units"][0]["options"]]
    planned = to_geodataframe(answer, table).loc[7]
    for name in ("per_ha", "total", "cost"):
        assert planned[f"order_{name}"].tolist() == [order[name] for order in orders]
    table.to_file(tmp_path / "units.gpkg")
    costs = ["--cost-manual", "1.2", "--cost-drone-seeded", "0.35"]
    arguments = ["--species", "PSME", "--species", "TSHE", *costs, "--target-per-ha", "300", "--basis", "low"]
    run_here(
        service, "plan", str(tmp_path / "units.gpkg"), "-o", str(tmp_path / "plan.csv"), *arguments, "--decimal", ","
    )
    written = pd.read_csv(tmp_path / "plan.csv", sep=";", decimal=",")
    assert written["order_cost"].tolist()[:4] == planned["order_cost"].tolist()
    assert written["name"].tolist()[4] == "Söuth"


@pytest.mark.parametrize("name", ["units.gpkg", "units.geojson", "units.shp.zip"])
def test_the_command_plans_a_file(service: ServiceProcess, tmp_path: Path, name: str) -> None:
    given = units("EPSG:26910" if name != "units.geojson" else "EPSG:4326")
    given.assign(age=pd.array([12, None, 30], "Int64")).to_file(tmp_path / name, use_arrow=True)
    arguments = ["--id", "stand", "--species", "PSME", "--cost-manual", "1.2", "--cost-drone-seeded", "0.35"]
    arguments += ["--condition", "seeds_per_spot=3"]
    result = run(service, "plan", str(tmp_path / name), "-o", str(tmp_path / "plan.csv"), *arguments)
    assert result.returncode == 0, result.stderr
    assert "2 units planned, 1 failed" in result.stderr
    written = pd.read_csv(tmp_path / "plan.csv", dtype={"age": str})
    assert set(written["age"].dropna()) == {"12", "30"}
    body = {"units": features(units()), "species_codes": ["PSME"], "costs": COSTS, "conditions": {"seeds_per_spot": 3}}
    answer = service.ask("/v1/plan", body)
    expected = [option["survival"]["mean"] for unit in answer["units"][:2] for option in unit["options"]]
    assert list(written["survival_mean"][:4]) == expected
    assert list(written["stand"]) == ["A-1", "A-1", "B-2", "B-2", "C-3"]
    assert written["error_code"].tolist()[-1] == "outside_coverage"
    assert "geometry" not in written.columns


def test_a_unit_of_the_answer_that_the_units_lack_is_named(call: Caller) -> None:
    answer = call("plan", units(), id_column="stand", **OPTIONS)
    with pytest.raises(
        ValueError, match="the index of the units has no 'A-1': give the units and the id_column of plan"
    ):
        to_geodataframe(answer, units())
    with pytest.raises(ValueError, match="the column stand of the units has no 'A-1'"):
        to_geodataframe(answer, units().iloc[1:], "stand")


def test_a_prefix_keeps_the_added_columns_apart_from_those_of_the_file(service: ServiceProcess, tmp_path: Path) -> None:
    stands = Path(__file__).parents[3] / "data/samples/stands.gpkg"
    arguments = ["plan", str(stands), "-o", str(tmp_path / "plan.gpkg"), "--species", "PSME", "--prefix", "plan_"]
    result = run_here(service, *arguments)
    assert result.exit_code == 0, result.stderr
    own, written = gpd.read_file(stands), gpd.read_file(tmp_path / "plan.gpkg")
    assert set(written["area_ha"]) == set(own["area_ha"])
    assert (written["plan_area_ha"] - written["area_ha"]).abs().max() < 1
    assert set(written["plan_species_code"]) == {"PSME"}


@pytest.mark.parametrize("name", ["plan.gpkg", "plan.geojson", "plan.parquet"])
def test_the_command_writes_files_with_geometries(service: ServiceProcess, tmp_path: Path, name: str) -> None:
    days = [date(2027, 3, day) for day in (1, 2, 3)]
    path, source = tmp_path / name, str(tmp_path / "units.geojson")
    units().assign(fid=[1, 2, 3], planted=days).to_file(source, use_arrow=True)  # QGIS exports `fid`, too
    result = run_here(service, "plan", source, "-o", str(path), "--species", "PSME")
    assert result.exit_code == 0, result.stderr
    written = gpd.read_parquet(path) if name.endswith("parquet") else gpd.read_file(path, use_arrow=True)
    assert written["fid"].tolist() == [1, 1, 2, 2, 3]
    assert written.index.tolist() == [0, 1, 2, 3, 4]
    assert set(written["planted"]) == set(days)
    assert written.geometry.iloc[0].equals(units().geometry.iloc[0])
    assert written["in_native_range"].dropna().isin([True]).all()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.gpkg", "-o", "plan.csv"], 2, "missing.gpkg cannot be read"),
        (["units.gpkg", "-o", "none/plan.csv"], 2, "none/plan.csv cannot be written"),
        (["units.gpkg", "-o", "none/plan.gpkg"], 2, "none/plan.gpkg cannot be written"),
        (["units.gpkg", "-o", "none/plan.parquet"], 2, "none/plan.parquet cannot be written"),
        (["units.gpkg", "-o", "./units.gpkg"], 2, "units.gpkg cannot be written: the input is read from it"),
        (["units.gpkg", "-o", "plan.pdf"], 2, "plan.pdf cannot be written: its name must end with .csv"),
        (["units.gpkg", "-o", "plan.csv", "--id", "number"], 2, "no column number: it has name, stand"),
        (["units.gpkg", "-o", "plan.csv", "--species", "QUAG"], 1, "Did you mean QUGA"),
        (["units.gpkg", "-o", "plan.csv", "--cost-manual", "1"], 1, "costs.drone_seeded is missing"),
    ],
)
def test_failures_of_the_command_have_a_message_and_write_nothing(
    service: ServiceProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    units().to_file("units.gpkg")
    result = run_here(service, "plan", *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["units.gpkg"]


@pytest.mark.filterwarnings("ignore:'crs' was not provided")
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"name": ["North"]}), "has no geometries"),
        (units().assign(Rank=1, area_ha=1.0), "the answer would add: rename or drop area_ha, Rank, or give a prefix."),
        (units().set_crs(None, allow_override=True), "--crs"),
    ],
)
def test_units_that_cannot_be_planned_are_refused_before_anything_is_sent(
    service: ServiceProcess, tmp_path: Path, table: pd.DataFrame, message: str
) -> None:
    pyogrio.write_dataframe(table, tmp_path / "units.gpkg")
    arguments = ["plan", str(tmp_path / "units.gpkg"), "-o", str(tmp_path / "plan.gpkg")]
    result = run_here(service, *arguments, NURSELOG_URL="http://127.0.0.1:9")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert message in result.stderr


@pytest.mark.parametrize(
    ("output", "column", "message"),
    [
        ("plan.gpkg", {"centre": units().representative_point()}, "its format has one geometry"),
        ("plan.gpkg", {"Stand": "A"}, "plan.gpkg cannot be written: in its format stand and Stand are one column"),
        ("plan.geojson", {"Stand": "A"}, "plan.geojson cannot be written: in its format stand and Stand are one"),
        ("plan.geojson", {"Rank": 1}, "the answer would add: rename or drop Rank"),
        ("plan.csv", {"visits": [[1], [2, 3], []]}, "CSV cannot have the column 'visits' of list<"),
        ("plan.gpkg", {"year": pd.Period("2024")}, "cannot have the column 'year' of extension<pandas.period"),
        ("plan.csv", {"age": pd.Timedelta(days=1)}, "CSV cannot have the column 'age' of duration"),
        ("plan.csv", {"year": pd.Period("2024")}, "CSV cannot have the column 'year' of extension<pandas.period"),
    ],
)
def test_columns_that_the_output_cannot_have_are_refused_before_anything_is_sent(
    service: ServiceProcess, tmp_path: Path, output: str, column: dict[str, Any], message: str
) -> None:
    units().assign(**column).to_parquet(tmp_path / "units.parquet")
    arguments = ["plan", str(tmp_path / "units.parquet"), "-o", str(tmp_path / output)]
    result = run_here(service, *arguments, NURSELOG_URL="http://127.0.0.1:9")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["units.parquet"]


@pytest.mark.parametrize(
    "values", [[{"age": 1}, {"age": "old"}, None], [[1, "a"], ["b"], None], [{"a": 1}, [1], {"a": None}]]
)
def test_nested_values_of_different_kinds_are_kept(service: ServiceProcess, tmp_path: Path, values: list[Any]) -> None:
    collection = features(units())
    for feature, value in zip(collection["features"], values, strict=True):
        feature["properties"] = {"soil": value}
    (tmp_path / "units.geojson").write_text(json.dumps(collection))
    for name in ("plan.geojson", "plan.gpkg", "plan.csv"):
        arguments = ["plan", str(tmp_path / "units.geojson"), "-o", str(tmp_path / name), "--species", "PSME"]
        result = run_here(service, *arguments)
        assert result.exit_code == 0, result.stderr
    written = json.loads((tmp_path / "plan.geojson").read_text())["features"]
    with sqlite3.connect(tmp_path / "plan.gpkg") as database:
        texts = [text for (text,) in database.execute("SELECT soil FROM plan")]
    cells = pd.read_csv(tmp_path / "plan.csv", dtype=str, keep_default_na=False)["soil"].tolist()
    expected = [values[0], values[0], values[1], values[1], values[2]]
    assert [feature["properties"]["soil"] for feature in written] == expected
    assert [text and json.loads(text) for text in texts] == expected
    assert [json.loads(cell) if cell else None for cell in cells] == expected
    result = run_here(service, "plan", str(tmp_path / "units.geojson"), "-o", str(tmp_path / "plan.parquet"))
    assert result.exit_code == 2
    assert "Conversion failed for column soil" in result.stderr
    assert "('" not in result.stderr


def test_integers_of_parquet_stay_integers_although_some_are_missing(service: ServiceProcess, tmp_path: Path) -> None:
    given = units().assign(number=pd.array([2**53 + 1, None, 3], "Int64"))
    table = pa.table(given.to_arrow(index=False))  # as other programs write it, without the types of pandas
    geo = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {"geometry": {"encoding": "WKB", "geometry_types": []}},
    }
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), tmp_path / "units.parquet")
    arguments = ["plan", str(tmp_path / "units.parquet"), "-o", str(tmp_path / "plan.csv"), "--species", "PSME"]
    assert run_here(service, *arguments).exit_code == 0
    written = pd.read_csv(tmp_path / "plan.csv", dtype=str, keep_default_na=False)
    assert written["number"].tolist() == 2 * [str(2**53 + 1)] + 2 * [""] + ["3"]


def test_csv_of_a_plan_is_written_as_that_of_predictions(service: ServiceProcess, tmp_path: Path) -> None:
    given = units()[:1].assign(cost=[Decimal("1.50")], burnt=[True], centre=units().representative_point()[:1])
    given.to_parquet(tmp_path / "units.parquet")
    arguments = ["plan", str(tmp_path / "units.parquet"), "-o", str(tmp_path / "plan.csv"), "--species", "PSME"]
    assert run_here(service, *arguments, "--decimal", ",").exit_code == 0
    written = pd.read_csv(tmp_path / "plan.csv", sep=";", dtype=str)
    assert written[["cost", "burnt", "in_native_range"]].iloc[0].tolist() == ["1,50", "true", "true"]
    assert "centre" not in written
    assert re.fullmatch(r"0,\d+", written["survival_mean"].iloc[0])


def test_projected_units_become_geojson_in_wgs_84_by_the_system_that_the_command_names(
    service: ServiceProcess, tmp_path: Path
) -> None:
    units("EPSG:26910").set_crs(None, allow_override=True).to_parquet(tmp_path / "units.parquet")
    arguments = ["plan", str(tmp_path / "units.parquet"), "-o", str(tmp_path / "plan.geojson"), "--species", "PSME"]
    result = run_here(service, *arguments, "--crs", "EPSG:26910")
    assert result.exit_code == 0, result.stderr
    written = gpd.read_file(tmp_path / "plan.geojson")
    assert written.crs == "EPSG:4326"
    assert written.geometry.iloc[0].equals_exact(units().geometry.iloc[0], 1e-6)


def test_a_plan_of_one_unit_is_counted_in_the_singular(service: ServiceProcess, tmp_path: Path) -> None:
    units()[:1].to_file(tmp_path / "units.gpkg")
    result = run_here(service, "plan", str(tmp_path / "units.gpkg"), "-o", str(tmp_path / "plan.csv"))
    assert "1 unit planned, 0 failed" in result.stderr


def test_a_plan_in_which_every_unit_failed_has_the_exit_code_of_no_answer(
    service: ServiceProcess, tmp_path: Path
) -> None:
    units()[2:].to_file(tmp_path / "units.gpkg")
    result = run_here(service, "plan", str(tmp_path / "units.gpkg"), "-o", str(tmp_path / "plan.csv"))
    assert (result.exit_code, "0 units planned, 1 failed" in result.stderr) == (4, True)
