"""Tables of sites for tests, as every kind of frame."""

from __future__ import annotations

from typing import Any

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sites import PLANTED

KINDS = ["pandas", "polars", "pyarrow table", "pyarrow batch", "geopandas"]


def table(rows: int) -> pd.DataFrame:
    """Sites along a line, each known by its latitude, with an index that repeats and columns that are not sent."""
    return pd.DataFrame(
        {
            "plot": [f"plot {row}" for row in range(rows)],
            "latitude": 44.12 + np.arange(rows) / 100_000,
            "longitude": PLANTED["longitude"],
            "species_code": PLANTED["species_code"],
            "planting_method": pd.Categorical([PLANTED["planting_method"]] * rows),
            "seen": pd.Timestamp("2026-05-01"),
        },
        index=pd.Index([row // 2 for row in range(rows)], name="pair"),
    )


def frame(kind: str, rows: int) -> Any:
    """The sites of `table` in a kind of frame; without columns of coordinates where it has a geometry."""
    plain = table(rows)
    if kind == "pandas":
        return plain
    if kind == "polars":
        return pl.from_pandas(plain.astype({"planting_method": "str"}))
    if kind == "geopandas":
        points = geopandas.points_from_xy(plain.pop("longitude"), plain.pop("latitude"))
        return geopandas.GeoDataFrame(plain, geometry=points, crs="EPSG:4326")
    arrow = pa.Table if kind == "pyarrow table" else pa.RecordBatch
    return arrow.from_pandas(plain, preserve_index=False).replace_schema_metadata({"origin": "tests"})


def to_pandas(frame: Any) -> pd.DataFrame:
    """Any frame as one of pandas, without its index."""
    if isinstance(frame, pd.DataFrame):
        return pd.DataFrame(frame).reset_index(drop=True)
    plain: pd.DataFrame = frame.to_pandas()
    return plain
