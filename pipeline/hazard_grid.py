"""The grid as the models read it: points, environment, units."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

EARTH_RADIUS_KM = 6371.0088


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


def great_circle_km(latitude_a, longitude_a, latitude_b, longitude_b) -> np.ndarray:
    """Return haversine distances in km on the sphere of radius 6371.0088 km; degrees in, arrays broadcast."""
    phi_a, phi_b = np.radians(latitude_a), np.radians(latitude_b)
    half_lambda = np.radians(np.subtract(longitude_b, longitude_a)) / 2
    chord = np.sin((phi_b - phi_a) / 2) ** 2 + np.cos(phi_a) * np.cos(phi_b) * np.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(chord))


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
