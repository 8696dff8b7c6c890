"""Rasters of elevations for tests, and the answers of a table to their cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyproj
import rasterio
from rasterio.transform import Affine
from rasterio.warp import calculate_default_transform
from service_process import ServiceProcess

from nurselog import Client

# Wider than a window, with a part on the farmland of the Willamette, where there are no data.
WIDTH, HEIGHT, CELL_M = 170, 20, 120.0
UTM = "EPSG:26910"
NORTH_WEST = (552_000.0, 4_888_000.0)

Cells = npt.NDArray[np.float64]


def plane(x: Any, y: Any) -> Any:
    """Elevations that rise to the east, which interpolation leaves as they are."""
    return 500 + (x - NORTH_WEST[0]) / 40 + (NORTH_WEST[1] - y) / 100


def write_dem(path: Path, crs: str = UTM, scale: float = 1.0) -> Path:
    """Elevations of the same ground in any system, without data in the cells of a corner."""
    north, west = NORTH_WEST[1], NORTH_WEST[0]
    width, height = int(WIDTH / scale), int(HEIGHT / scale)
    bounds = (west, north - HEIGHT * CELL_M, west + WIDTH * CELL_M, north)
    transform, width, height = calculate_default_transform(
        UTM, crs, width, height, *bounds, dst_width=width, dst_height=height
    )
    rows, columns = np.mgrid[:height, :width]
    x, y = pyproj.Transformer.from_crs(crs, UTM, always_xy=True).transform(*centres(transform, rows, columns))
    elevations = plane(x, y).astype("float32")
    elevations[:3, :5] = -9999
    options = {"driver": "GTiff", "dtype": "float32", "count": 1, "nodata": -9999}
    with rasterio.open(path, "w", width=width, height=height, crs=crs, transform=transform, **options) as file:
        file.write(elevations, 1)
    return path


def centres(transform: Affine, rows: Any, columns: Any) -> tuple[Cells, Cells]:
    x = transform.a * (columns + 0.5) + transform.b * (rows + 0.5) + transform.c
    y = transform.d * (columns + 0.5) + transform.e * (rows + 0.5) + transform.f
    return x, y


def expected(service: ServiceProcess, path: Path, elevations: Cells | None, **options: Any) -> Cells:
    """The answers of a table to the centres of all cells, NaN for cells without data."""
    with rasterio.open(path) as file:
        rows, columns = np.mgrid[: file.height, : file.width]
        x, y = centres(file.transform, rows, columns)
        longitude, latitude = pyproj.Transformer.from_crs(file.crs, "EPSG:4326", always_xy=True).transform(x, y)
    sites = {"latitude": latitude.ravel(), "longitude": longitude.ravel()}
    if elevations is not None:
        sites["elevation_m"] = elevations.ravel()
        options["elevation_m"] = "elevation_m"
    with Client(service.url, service.key) as client:
        answer = client.predict_table(pa.table(sites), species_code="PSME", **options)
    survival = answer.column("survival_5").to_numpy().astype("float64")
    return cast("Cells", survival.round(4).astype("float32").reshape(rows.shape))


def read(path: Path) -> Cells:
    with rasterio.open(path) as file:
        values: Cells = file.read(1, masked=True).astype("float64").filled(np.nan)
        return values
