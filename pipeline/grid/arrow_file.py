"""The grid file: an uncompressed Arrow IPC file of one record batch, one field per column with its provenance.

Points are rows and columns of the lattice; variables are integers whose scale and offset are in the field's metadata.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import SOUTH, STEPS_PER_DEGREE, WEST, degrees_of
from pipeline.grid.projection import great_circle_km

FORMAT = "nurselog-grid/2"
VERSION = "2.0.0"
COVERAGE = "pnw"
RANGES = "native_ranges"


def write_grid(frame, regions, errors, path):
    """Write ``frame``: row, column, region (index into ``regions``), every variable and ``native_ranges``.

    ``errors`` is ``{column: sentence}``. The bytes of the file depend on these arguments alone.
    """
    fields = [
        pa.field("row", pa.uint16(), nullable=False, metadata={"description": "row of the lattice, south to north"}),
        pa.field("column", pa.uint16(), nullable=False, metadata={"description": "column, west to east"}),
        pa.field("region", pa.uint8(), nullable=False, metadata={"description": "index into `regions`"}),
    ]
    arrays = [pa.array(frame[field.name].to_numpy(), type=field.type) for field in fields]
    for column in COLUMNS:
        metadata = {key: str(value) for key, value in asdict(column).items() if key not in ("name", "stored")}
        integers = pa.array(column.encode(frame[column.name]))
        fields.append(
            pa.field(column.name, integers.type, nullable=False, metadata=metadata | {"error": errors[column.name]})
        )
        arrays.append(integers)
    fields.append(
        pa.field(
            RANGES,
            pa.uint32(),
            nullable=False,
            metadata={
                "description": "bit i: inside the native range (Little 1971) of species i of species.json",
                "kind": "observed",
                "source": "USTreeAtlas, Little's range maps",
            },
        )
    )
    arrays.append(pa.array(frame[RANGES].to_numpy(), type=pa.uint32()))
    lattice = {"south": SOUTH, "west": WEST, "steps_per_degree": STEPS_PER_DEGREE}
    schema = pa.schema(
        fields,
        metadata={
            "format": FORMAT,
            "version": VERSION,
            "coverage": COVERAGE,
            "regions": json.dumps(list(regions), separators=(",", ":")),
            "lattice": json.dumps(lattice, separators=(",", ":")),
        },
    )
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)


@dataclass(frozen=True)
class Grid:
    """Points with their environment; columns are float32 arrays of the same length.

    ``native_ranges`` uint32 [points] has bit i where a point is in the native range of species i.
    """

    latitude: np.ndarray
    longitude: np.ndarray
    region: np.ndarray
    columns: dict[str, np.ndarray]
    native_ranges: np.ndarray
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

    def in_range(self, species: int) -> np.ndarray:
        """Return bool [points]: inside the native range of a species, by its index."""
        return (self.native_ranges >> np.uint32(species) & np.uint32(1)).astype(bool)


def read_grid(path: Path) -> Grid:
    """Read a nurselog-grid/2 Arrow IPC file."""
    content = path.read_bytes()
    table = pa.ipc.open_file(pa.py_buffer(content)).read_all()
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    lattice = json.loads(metadata["lattice"])
    nodes = (table["row"].to_numpy(), table["column"].to_numpy())
    latitude, longitude = degrees_of(*nodes, lattice["south"], lattice["west"])
    return Grid(
        latitude=latitude,
        longitude=longitude,
        region=table["region"].to_numpy(),
        columns={column.name: column.decode(table[column.name].to_numpy()) for column in COLUMNS},
        native_ranges=table[RANGES].to_numpy(),
        units={column.name: column.unit for column in COLUMNS},
        coverage=metadata["coverage"],
        version=metadata["version"],
        sha256=hashlib.sha256(content).hexdigest(),
    )
