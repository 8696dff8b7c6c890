"""Sites with what can be read at any place of both states: position, elevation, climate surfaces, minimum VPD."""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.projection import to_plane
from pipeline.sources.raster import read_raster
from pipeline.sources.spline_surface import read_surface


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
    """N places: degrees, ``xyz`` [N, 3] in km, km and m, monthly ``normals`` and the ``vpd_min`` raster in hPa."""

    latitude: np.ndarray
    longitude: np.ndarray
    xyz: np.ndarray
    normals: Normals
    vpd_min: np.ndarray

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
        )


class SiteReader:
    """Reads the surfaces and the minimum VPD raster once and evaluates them at any site."""

    def __init__(self, sources):
        names = Normals.__dataclass_fields__
        self._surfaces = {name: read_surface(sources.path(f"surface_{name}")) for name in names}
        archive = sources.path("vpd_min")
        self._vpd_min = read_raster(f"zip://{archive}!{archive.stem}.bil").filled()

    def at(self, latitude, longitude, elevation):
        """Return :class:`Sites` at degrees, degrees and metres, each [N]."""
        monthly = {name: s.monthly(latitude, longitude, elevation) for name, s in self._surfaces.items()}
        x, y = to_plane(latitude, longitude)
        xyz = np.column_stack([x, y, elevation])
        return Sites(latitude, longitude, xyz, Normals(**monthly), self._vpd_min.sample(latitude, longitude))
