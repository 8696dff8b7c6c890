"""Scores a map of cells of 30 m, one species and one method, as a raster program would: row after row, in blocks.

Usage: python cells.py CELLS

NURSELOG_URL and NURSELOG_API_KEY name the service. Prints as JSON how many cells were answered, the seconds, and those
of this process's CPU time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nurselog import Client

NORTH, WEST = 45.0, -123.0
"""Degrees. Ten million cells from here lie in the Cascades of Oregon and the valley beside them."""
CELL_METRES = 30.0
METRES_PER_DEGREE = 111_320.0
COLUMNS = 4_000
BLOCK_ROWS = 12
"""Rows of cells in a block: 48,000 cells, about what the client sends in one table."""


def main(count: int) -> None:
    """Predicts all blocks and keeps nothing but the number of answers."""
    start, cpu_start = time.perf_counter(), time.process_time()
    answered = 0
    with Client() as client:
        answers = client.predict_tables(blocks(count), species_code="PSME", planting_method="manual", horizons=[5])
        for answer in answers:
            answered += pc.count(answer["survival_5"]).as_py()
    seconds = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu_start}
    print(json.dumps({"answered": answered, **seconds}))


def blocks(count: int) -> Iterator[pa.Table]:
    """The centres of the cells, from north to south."""
    step_north = CELL_METRES / METRES_PER_DEGREE
    step_east = step_north / np.cos(np.radians(NORTH))
    for first in range(0, count, COLUMNS * BLOCK_ROWS):
        cells = np.arange(first, min(first + COLUMNS * BLOCK_ROWS, count))
        rows, columns = np.divmod(cells, COLUMNS)
        yield pa.table({"latitude": NORTH - (rows + 0.5) * step_north, "longitude": WEST + (columns + 0.5) * step_east})


if __name__ == "__main__":
    main(int(sys.argv[1]))
