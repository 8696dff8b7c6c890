import datetime

import numpy as np
import pandas as pd
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.table import OutcomesError, read_outcomes

YEARS = "years_observed must be growing seasons since planting, 1 (first autumn) to 200, that have taken place"


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture
def table(grid):
    rows = [
        {
            "latitude": grid.latitude[point],
            "longitude": grid.longitude[point],
            "species_code": "PSME",
            "planting_method": method,
            "planted_year": 2015,
            "years_observed": 3,
            "alive": 1,
        }
        for point in (10, 500)
        for method in ("manual", "drone_seeded")
    ]
    return pd.DataFrame(rows)


def error_of(table, path, grid):
    table.to_csv(path, index=False)
    with pytest.raises(OutcomesError) as raised:
        read_outcomes(path, grid)
    return str(raised.value)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "CSV.GZ", "parquet", "PARQUET"])
def test_a_good_table_reads_the_same_from_csv_and_parquet(table, grid, tmp_path, suffix):
    path = tmp_path / f"outcomes.{suffix}"
    if suffix.lower() != "parquet":
        table.to_csv(path, index=False, compression="gzip" if suffix.lower().endswith("gz") else None)
    else:
        table.to_parquet(path)
    outcomes, point = read_outcomes(path, grid)
    assert point.tolist() == [10, 10, 500, 500]
    assert outcomes["alive"].tolist() == [1, 1, 1, 1]
    assert outcomes["years_observed"].tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("latitude", "north", "row 2: latitude must be a number from -90 to 90, not 'north'"),
        ("latitude", "91", "row 2: latitude must be a number from -90 to 90, not '91'"),
        ("longitude", "", "row 2: longitude must be a number from -180 to 180, not ''"),
        ("species_code", "PSMF", "row 2: species_code must be a species code (perhaps PSME), not 'PSMF'"),
        *(
            ("species_code", name, f"row 2: species_code must be a species code (perhaps {code}), not {name!r}")
            for name, code in (("Douglas-fir", "PSME"), ("douglas fir", "PSME"), ("Western Hemlock", "TSHE"))
        ),
        ("species_code", "oak tree", "row 2: species_code must be a species code, not 'oak tree'"),
        ("planting_method", "drone", "row 2: planting_method must be manual or drone_seeded, not 'drone'"),
        ("planted_year", "15", "row 2: planted_year must be a year from 1900 to 2100, not '15'"),
        ("years_observed", "0", f"row 2: {YEARS}, not '0'"),
        ("years_observed", "2.5", f"row 2: {YEARS}, not '2.5'"),
        ("years_observed", "2018", f"row 2: {YEARS}, not '2018'"),
        ("years_observed", "60", f"1 error\nrow 2: {YEARS}, not '60'"),
        ("alive", "yes", "row 2: alive must be 1 or 0, not 'yes'"),
    ],
)
def test_a_bad_cell_is_reported_with_its_row_its_column_and_the_rule(table, grid, tmp_path, column, cell, message):
    bad = table.astype(str)
    bad.loc[1, column] = cell
    assert message in error_of(bad, tmp_path / "outcomes.csv", grid)


def test_blanks_around_a_cell_are_ignored(table, grid, tmp_path):
    path = tmp_path / "o.csv"
    table.astype(str).map(lambda cell: f" {cell} ").to_csv(path, index=False)
    outcomes, point = read_outcomes(path, grid)
    assert outcomes["species_code"].tolist() == ["PSME"] * 4
    assert outcomes["planting_method"].tolist() == ["manual", "drone_seeded"] * 2
    assert point.tolist() == [10, 10, 500, 500]


def test_a_tree_planted_this_year_and_found_dead_in_its_first_autumn_is_read(table, grid, tmp_path):
    first = table.assign(planted_year=datetime.date.today().year, years_observed=1, alive=0)
    first.to_csv(tmp_path / "o.csv", index=False)
    assert read_outcomes(tmp_path / "o.csv", grid)[0]["years_observed"].tolist() == [1] * 4
    message = error_of(first.assign(years_observed=0), tmp_path / "o.csv", grid)
    assert f"row 1: {YEARS}, not '0'" in message
    assert f"row 1: {YEARS}, not '2'" in error_of(first.assign(years_observed=2), tmp_path / "o.csv", grid)


def stated(table, alive, cell):
    """The table with the years to the last visit alive in its second row."""
    return table.assign(alive=alive, years_alive=["", cell, "", ""])


@pytest.mark.parametrize(("alive", "cell"), [(0, "2"), (0, "0"), (0, ""), (1, "3"), (1, " ")])
def test_the_years_to_the_last_visit_alive_may_be_stated(table, grid, tmp_path, alive, cell):
    stated(table, alive, cell).to_csv(tmp_path / "o.csv", index=False)
    read = read_outcomes(tmp_path / "o.csv", grid)[0]["years_alive"].tolist()
    assert read == pytest.approx([np.nan, float(cell.strip() or "nan"), np.nan, np.nan], nan_ok=True)


@pytest.mark.parametrize(("alive", "cell"), [(0, "3"), (0, "x"), (0, "1.5"), (0, "-1"), (1, "2")])
def test_years_alive_that_contradict_the_last_visit_are_reported(table, grid, tmp_path, alive, cell):
    rule = "growing seasons, fewer than years_observed if dead, as many if alive, or empty"
    message = error_of(stated(table, alive, cell), tmp_path / "o.csv", grid)
    assert message.endswith(f"1 error\nrow 2: years_alive must be {rule}, not {cell!r}")


def test_a_tree_with_a_row_for_each_visit_is_refused_with_both_rows(table, grid, tmp_path):
    rule = "must differ from that of row 1 (one row per tree, at its last visit; a replacement has an id of its own)"
    latitude = table["latitude"][0]
    visits = table.assign(
        latitude=[latitude, latitude, f"{latitude}0", f" {latitude}"], longitude=table["longitude"][0]
    )
    message = error_of(visits.assign(tree_id=["7", "8", " 7", "7"]), tmp_path / "o.csv", grid)
    assert message.endswith(f"2 errors\nrow 3: tree_id {rule}, not ' 7'\nrow 4: tree_id {rule}, not '7'")
    visits.assign(latitude=latitude, tree_id=[7, None, None, 8]).to_parquet(tmp_path / "o.parquet")
    assert len(read_outcomes(tmp_path / "o.parquet", grid)[0]) == 4


def test_tree_ids_may_begin_again_at_other_coordinates(table, grid, tmp_path):
    assert table[["latitude", "longitude"]].drop_duplicates().shape[0] > 1
    table["tree_id"] = table.groupby(["latitude", "longitude"]).cumcount() + 1
    assert len(table["tree_id"]) > table["tree_id"].nunique()
    table.to_csv(tmp_path / "o.csv", index=False)
    assert len(read_outcomes(tmp_path / "o.csv", grid)[0]) == len(table)


def test_a_row_is_counted_with_the_blank_lines_above_it(table, grid, tmp_path):
    path = tmp_path / "outcomes.csv"
    header, *rows = table.assign(alive=[1, 1, 1, "maybe"]).to_csv(index=False).splitlines(keepends=True)
    path.write_text(" \n\n" + header + rows[0] + "\n  \n".join(rows[1:]) + ",,,,,,\n\n")
    with pytest.raises(OutcomesError, match=r"1 error\nrow 8: alive must be 1 or 0, not 'maybe'$"):
        read_outcomes(path, grid)


def test_every_bad_row_is_reported_at_once_in_order(table, grid, tmp_path):
    bad = table.astype(str)
    bad.loc[3, "alive"] = "?"
    bad.loc[0, "species_code"] = "OAK"
    lines = error_of(bad, tmp_path / "outcomes.csv", grid).splitlines()
    assert lines[0].endswith("2 errors")
    assert [line.split(":")[0] for line in lines[1:]] == ["row 1", "row 4"]


def test_a_long_list_of_errors_is_cut_and_counted(table, grid, tmp_path):
    bad = pd.concat([table] * 10).assign(alive="?")
    lines = error_of(bad, tmp_path / "outcomes.csv", grid).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "and 20 more"


def test_a_place_without_a_grid_point_is_an_error(table, grid, tmp_path):
    bad = table.assign(latitude=np.where(table.index == 2, 10.0, table["latitude"]))
    assert "row 3: no grid point within 0.8 km of 10.0," in error_of(bad, tmp_path / "outcomes.csv", grid)


def test_a_missing_column_is_named_with_the_columns_of_the_table(table, grid, tmp_path):
    message = error_of(table.rename(columns={"planted_year": "Planted year"}), tmp_path / "o.csv", grid)
    assert message.endswith(
        "no column planted_year; the columns of the table are 'latitude', 'longitude', 'species_code', "
        "'planting_method', 'Planted year', 'years_observed', 'alive'"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\n", ",\n", None),
        ("1\n", "1,\n", "Expected 7 fields in line 2, saw 8"),
        ("alive\n", "alive,alive\n", "has the column alive twice"),
        (",", ";", "the columns of the table are 'latitude;longitude;"),
        ("lat", "\ufefflat", None),
    ],
)
def test_no_column_of_a_csv_file_takes_the_place_of_another(table, grid, tmp_path, old, new, message):
    path = tmp_path / "o.csv"
    path.write_text(table.to_csv(index=False).replace(old, new), encoding="utf-8")
    if message is None:
        assert read_outcomes(path, grid)[0]["alive"].tolist() == [1, 1, 1, 1]
    else:
        with pytest.raises(OutcomesError, match=message):
            read_outcomes(path, grid)


def test_a_bad_number_of_a_parquet_file_is_shown_as_in_the_file(table, grid, tmp_path):
    path = tmp_path / "o.parquet"
    table.assign(alive=[1.0, 83.0, 1.0, 1.0]).to_parquet(path)
    with pytest.raises(OutcomesError) as raised:
        read_outcomes(path, grid)
    assert str(raised.value) == f"{path}: 1 error\nrow 2: alive must be 1 or 0, not '83.0'"


def test_a_table_of_one_method_is_read(table, grid, tmp_path):
    table[table["planting_method"] == "manual"].to_csv(tmp_path / "o.csv", index=False)
    outcomes, point = read_outcomes(tmp_path / "o.csv", grid)
    assert outcomes["planting_method"].tolist() == ["manual", "manual"]
    assert point.tolist() == [10, 500]


def test_a_missing_table_is_an_outcomes_error(grid, tmp_path):
    with pytest.raises(OutcomesError, match=r"absent\.csv: cannot be read"):
        read_outcomes(tmp_path / "absent.csv", grid)
