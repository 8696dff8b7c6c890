import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pipeline.evaluation.grid.scores import error_sentences, score
from pipeline.grid.arrow_file import RANGES, read_grid, write_grid
from pipeline.grid.columns.definitions import COLUMNS, NAMES
from pipeline.grid.lattice import degrees_of


def frame(rows=5):
    rng = np.random.default_rng(3)
    places = {"row": rng.integers(0, 800, rows), "column": rng.integers(0, 1000, rows), "region": rows * [1]}
    ranges = {RANGES: rng.integers(0, 2**31, rows)}
    values = {column.name: rng.uniform(column.minimum, column.maximum, rows) for column in COLUMNS}
    return pd.DataFrame(places | values | ranges)


def test_the_same_frame_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_grid(frame(), ["US-OR", "US-WA"], dict.fromkeys(NAMES, "none"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_grid_is_read_as_it_was_written_but_for_half_a_step_of_each_column(tmp_path):
    write_grid(frame(), ["US-OR", "US-WA"], dict.fromkeys(NAMES, "none"), tmp_path / "grid")
    with pa.ipc.open_file(tmp_path / "grid") as file:
        assert file.num_record_batches == 1
    grid = read_grid(tmp_path / "grid")
    written = frame()
    latitude, longitude = degrees_of(written["row"], written["column"])
    assert (grid.latitude == latitude).all()
    assert (grid.longitude == longitude).all()
    assert (grid.native_ranges == written[RANGES]).all()
    for column in COLUMNS:
        assert np.abs(grid.columns[column.name] - written[column.name]).max() <= column.scale * 0.51


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_every_column_can_store_its_bounds(column):
    ends = np.array([column.minimum, column.maximum])
    assert column.decode(column.encode(ends)) == pytest.approx(ends, abs=column.scale / 2)


def test_a_value_beyond_the_bounds_of_its_column_is_not_written(tmp_path):
    broken = frame().assign(elevation=9000.0)
    with pytest.raises(ValueError, match="elevation: 9000 to 9000 exceeds its bounds"):
        write_grid(broken, ["US-OR", "US-WA"], dict.fromkeys(NAMES, "none"), tmp_path / "grid")


def test_every_column_states_its_error_or_why_it_has_none():
    measured = score("elevation", "as answered", "west", np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    sentences = error_sentences([measured])
    assert sentences["elevation"] == "RMSE as answered: west 1.41 m, bias 1.00 (2 places)."
    assert all("No truth at hand" in sentences[name] for name in ("soil_clay", "crown_ratio", "vpd_max"))
    assert all(sentences[name] for name in NAMES if name.startswith(("lapse_", "soil_", "heat")))
