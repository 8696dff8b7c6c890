import numpy as np
import pandas as pd
import pyarrow as pa

from pipeline.evaluation.grid.scores import error_sentences, score
from pipeline.grid.arrow_file import write_grid
from pipeline.grid.columns.definitions import COLUMNS, NAMES


def frame(rows=5):
    rng = np.random.default_rng(3)
    places = {"latitude": rng.uniform(42, 49, rows), "longitude": rng.uniform(-124, -117, rows), "region": rows * [1]}
    return pd.DataFrame(places | {name: rng.uniform(0, 9, rows) for name in NAMES})


def test_the_same_frame_gives_the_same_bytes(tmp_path):
    errors = error_sentences([])
    for name in ("a", "b"):
        write_grid(frame(), ["US-OR", "US-WA"], dict.fromkeys(NAMES, "") | errors, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_values_are_stored_as_float32_in_one_batch(tmp_path):
    write_grid(frame(), ["US-OR", "US-WA"], dict.fromkeys(NAMES, "none"), tmp_path / "grid")
    with pa.ipc.open_file(tmp_path / "grid") as file:
        assert file.num_record_batches == 1
        batch = file.get_batch(0)
    assert (batch["vpd_max"].to_numpy() == frame()["vpd_max"].to_numpy().astype(np.float32)).all()


def test_every_column_says_its_error_or_that_there_is_no_truth():
    estimate, observed = np.array([1.0, 3.0, 5.0]), np.array([1.0, 1.0, np.nan])
    measured = ("elevation", "terrain_ruggedness", "temperature_mean", "canopy_cover")
    sentences = error_sentences([score(name, "somewhere", estimate, observed) for name in measured])
    assert "RMSE 1.41 m, bias 1.00, somewhere (2 places)" in sentences["elevation"]
    unmeasured = {column.name for column in COLUMNS} - {*measured, "precipitation_annual", "temperature_min_january"}
    assert all("No truth at hand" in sentences[name] for name in unmeasured)
