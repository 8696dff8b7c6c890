"""Predicts a square raster of cells of 30 m in the Cascades of Oregon: both methods, all horizons, made-up elevations.

Usage: python raster.py CELLS_A_SIDE

NURSELOG_URL and NURSELOG_API_KEY name the service. Prints as JSON how many cells were answered, the seconds, those of
this process's CPU time, the most memory that it had, and the size of the GeoTIFF, both in MB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rasterio
from rasterio.transform import Affine
from rasterio.windows import Window

from nurselog import Client

CRS, WEST, NORTH, CELL_METRES = "EPSG:26910", 540_000.0, 4_930_000.0, 30.0
BLOCK_ROWS = 256


def main(side: int) -> None:
    """Writes the elevations, and predicts them."""
    with TemporaryDirectory() as folder, Client() as client:
        dem, output = Path(folder) / "dem.tif", Path(folder) / "survival.tif"
        write_elevations(dem, side)
        start, cpu_start = time.perf_counter(), time.process_time()
        survival = client.predict_raster(dem, "PSME", elevation_m=dem, output=output)
        result = {
            "answered": int(survival.attrs["cells_answered"]),
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu_start,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
            "file": output.stat().st_size / 1e6,
        }
    print(json.dumps(result))


def write_elevations(path: Path, side: int) -> None:
    """Ridges that rise to the east, from 200 to about 1,500 m, with slopes like those of the Cascades."""
    transform = Affine(CELL_METRES, 0, WEST, 0, -CELL_METRES, NORTH)
    profile = {"driver": "GTiff", "dtype": "float32", "count": 1, "crs": CRS, "transform": transform}
    with rasterio.open(path, "w", width=side, height=side, tiled=True, compress="DEFLATE", **profile) as file:
        for first in range(0, side, BLOCK_ROWS):
            rows, columns = np.mgrid[first : min(first + BLOCK_ROWS, side), :side]
            ridges = np.sin(columns / 37) * np.cos(rows / 53) + np.sin((columns + 2 * rows) / 91)
            elevations = 400 + columns / side * 900 + 100 * ridges
            file.write(elevations.astype("float32"), 1, window=Window(0, first, side, len(rows)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
