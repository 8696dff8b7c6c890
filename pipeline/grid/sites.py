"""Sites with what can be read at any place of both states: position, elevation, climate surfaces, minimum VPD."""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.projection import to_plane
from pipeline.sources.raster import read_raster
from pipeline.sources.spline_surface import read_surface

# Degrees, degrees and metres.
_TABLE_STEPS = np.array([0.05, 0.05, 400.0])


@dataclass(frozen=True)
class Normals:
    """Monthly 1961-90 normals of the climate surfaces, each [N, 12]: mm and degrees Celsius."""

    precipitation: np.ndarray
    temperature_mean: np.ndarray
    temperature_min: np.ndarray
    temperature_max: np.ndarray

    def where(self, chosen):
        """Return the normals of the places in a boolean mask [N]."""
        return Normals(*(getattr(self, name)[chosen] for name in Normals.__dataclass_fields__))


@dataclass(frozen=True)
class Sites:
    """N places: degrees, ``xyz`` [N, 3] in km, km and m, monthly ``normals`` and the ``vpd_min`` raster in hPa.

    ``above`` [N, 2] is their height above the mean of :data:`~pipeline.grid.relief.terrain.SURROUNDINGS_KM`, metres;
    ``orography`` [N] and ``exposure`` [N, 6] are those of :class:`.Terrain`, metres.
    """

    latitude: np.ndarray
    longitude: np.ndarray
    xyz: np.ndarray
    normals: Normals
    vpd_min: np.ndarray
    above: np.ndarray
    orography: np.ndarray
    exposure: np.ndarray

    @property
    def elevation(self):
        """Metres above sea."""
        return self.xyz[:, 2]

    def where(self, chosen):
        """Return the sites in a boolean mask [N]."""
        return Sites(
            self.latitude[chosen],
            self.longitude[chosen],
            self.xyz[chosen],
            self.normals.where(chosen),
            self.vpd_min[chosen],
            self.above[chosen],
            self.orography[chosen],
            self.exposure[chosen],
        )


class SurfaceTable:
    """A climate surface tabulated every 3 arc-minutes and 400 m, for places too many to evaluate it at each.

    Between the nodes it is interpolated linearly; the difference to the surface is within 0.1 C and 1 %.
    """

    def __init__(self, surface, latitude, longitude, elevation):
        """Tabulate what interpolation at N places needs, up to 400 m above and below each."""
        self._origin = np.array([latitude.min(), longitude.min(), elevation.min() - _TABLE_STEPS[2]])
        corner, _ = self._locate(latitude, longitude, elevation)
        size = corner.max(axis=0) + 3
        needed = np.zeros(size, dtype=bool)
        for offset in np.ndindex(2, 2, 3):
            needed[tuple((corner + offset - [0, 0, 1]).T)] = True
            needed[tuple((corner + offset).T)] = True
        where = np.argwhere(needed)
        places = self._origin + where * _TABLE_STEPS
        self._values = np.zeros((*size, 12))
        self._values[needed] = surface.monthly(*places.T)

    def monthly(self, latitude, longitude, elevation):
        """Return the monthly normals [M, 12] of places within the table."""
        corner, fraction = self._locate(latitude, longitude, elevation)
        result = np.zeros((len(corner), 12))
        for offset in np.ndindex(2, 2, 2):
            weight = np.where(np.array(offset) == 1, fraction, 1 - fraction).prod(axis=1)
            result += weight[:, None] * self._values[tuple((corner + offset).T)]
        return result

    def _locate(self, latitude, longitude, elevation):
        steps = (np.column_stack([latitude, longitude, elevation]) - self._origin) / _TABLE_STEPS
        corner = np.floor(steps).astype(int)
        return corner, steps - corner


class SiteReader:
    """Reads the surfaces and the minimum VPD raster once and evaluates them at any site."""

    def __init__(self, surfaces, vpd_min, terrain):
        self._surfaces, self._vpd_min, self._terrain = surfaces, vpd_min, terrain

    @classmethod
    def of(cls, sources, terrain):
        """Read the sources; ``terrain`` is the :class:`.Terrain` that sites are in."""
        names = Normals.__dataclass_fields__
        surfaces = {name: read_surface(sources.path(f"surface_{name}")) for name in names}
        archive = sources.path("vpd_min")
        return cls(surfaces, read_raster(f"zip://{archive}!{archive.stem}.bil").filled(), terrain)

    def tabulated(self, latitude, longitude, elevation):
        """Return a reader that interpolates the surfaces between nodes around the places [N]."""
        tables = {name: SurfaceTable(s, latitude, longitude, elevation) for name, s in self._surfaces.items()}
        return SiteReader(tables, self._vpd_min, self._terrain)

    def at(self, latitude, longitude, elevation):
        """Return :class:`Sites` at degrees, degrees and metres, each [N]."""
        monthly = {name: s.monthly(latitude, longitude, elevation) for name, s in self._surfaces.items()}
        x, y = to_plane(latitude, longitude)
        xyz = np.column_stack([x, y, elevation])
        above = self._terrain.above_surroundings(latitude, longitude, elevation)
        vpd_min = self._vpd_min.sample(latitude, longitude)
        # A place is as far above or below the blurred land as above or below the cell's mean.
        raised = elevation - self._terrain.cell_mean(latitude, longitude)
        orography = self._terrain.orography(latitude, longitude) + raised
        exposure = self._terrain.exposure(latitude, longitude)
        return Sites(latitude, longitude, xyz, Normals(**monthly), vpd_min, above, orography, exposure)
