"""The grid file: an uncompressed Arrow IPC file of one record batch, one field a column with its provenance."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.projection import great_circle_km

FORMAT = "nurselog-grid/1"
VERSION = "1.0.0"
COVERAGE = "pnw"
MAX_DISTANCE_KM = 5.0
"""The service answers from the nearest point within this distance, and has no data for sites farther away."""


def write_grid(frame, regions, errors, path):
    """Write ``frame``: latitude, longitude, region (index into ``regions``) and every column, one row a point.

    ``errors`` is ``{column: sentence}``. The bytes of the file depend on these arguments alone.
    """
    fields = [
        pa.field("latitude", pa.float64(), nullable=False, metadata={"unit": "degrees_north"}),
        pa.field("longitude", pa.float64(), nullable=False, metadata={"unit": "degrees_east"}),
        pa.field("region", pa.uint8(), nullable=False, metadata={"description": "index into `regions`"}),
    ]
    for column in COLUMNS:
        metadata = asdict(column) | {"error": errors[column.name]}
        del metadata["name"]
        fields.append(pa.field(column.name, pa.float32(), nullable=False, metadata=metadata))
    schema = pa.schema(
        fields,
        metadata={
            "format": FORMAT,
            "version": VERSION,
            "coverage": COVERAGE,
            "regions": json.dumps(list(regions), separators=(",", ":")),
        },
    )
    arrays = [pa.array(frame[field.name].to_numpy(), type=field.type) for field in schema]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


@dataclass(frozen=True)
class Grid:
    """Points with their environment; columns are float32 arrays of the same length."""

    latitude: np.ndarray
    longitude: np.ndarray
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    coverage: str
    version: str
    sha256: str

    def features(self, names: list[str]) -> np.ndarray:
        """Return float32 [points, features] in the order of `names`; KeyError for a column the grid lacks."""
        return np.column_stack([self.columns[name] for name in names])

    def nearest(self, latitude: float, longitude: float) -> int:
        """Return the index of the point nearest by great circle."""
        return int(np.argmin(great_circle_km(self.latitude, self.longitude, latitude, longitude)))


def read_grid(path: Path) -> Grid:
    """Read a nurselog-grid/1 Arrow IPC file."""
    content = path.read_bytes()
    table = pa.ipc.open_file(pa.py_buffer(content)).read_all()
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    variables = [field for field in table.schema if pa.types.is_float32(field.type)]
    return Grid(
        latitude=table["latitude"].to_numpy(),
        longitude=table["longitude"].to_numpy(),
        columns={field.name: table[field.name].to_numpy() for field in variables},
        units={field.name: field.metadata[b"unit"].decode() for field in variables},
        coverage=metadata["coverage"],
        version=metadata["version"],
        sha256=hashlib.sha256(content).hexdigest(),
    )
