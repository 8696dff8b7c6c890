"""Writes the grid: an Arrow IPC file, uncompressed, one record batch, one field a column with its provenance."""

import json
from dataclasses import asdict

import pyarrow as pa

from pipeline.grid.columns.definitions import COLUMNS

FORMAT = "nurselog-grid/1"
VERSION = "1.0.0"
COVERAGE = "pnw"


def write_grid(frame, regions, errors, path):
    """``frame`` has latitude, longitude, region (index into ``regions``) and every column, one row a point.

    ``errors`` has a sentence for each column. The bytes depend on nothing else.
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
