"""Longitude-latitude rasters of the PRISM 2.5 arc-minute grid and their values at points."""

import zipfile
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import distance_transform_edt, map_coordinates


@dataclass(frozen=True)
class Raster:
    """Cell-centred values, row 0 northernmost; missing cells are NaN."""

    values: np.ndarray
    west: float
    north: float
    cell_deg: float

    def filled(self):
        """The raster with every missing cell given the value of the nearest cell that has one."""
        missing = np.isnan(self.values)
        nearest = distance_transform_edt(missing, return_distances=False, return_indices=True)
        return replace(self, values=self.values[tuple(nearest)])

    def sample(self, latitude, longitude, order=1):
        """Spline-interpolated values at degrees, each [N]; ``order`` 1 is bilinear. No cell may be missing."""
        column = (np.asarray(longitude) - self.west) / self.cell_deg
        row = (self.north - np.asarray(latitude)) / self.cell_deg
        return map_coordinates(self.values, [row, column], order=order)


def read_esri_ascii(path):
    """An ESRI ASCII grid as a :class:`Raster`; its header gives the lower left *corner*."""
    with path.open(encoding="ascii") as file:
        lines = [next(file).split() for _ in range(6)]
        values = np.loadtxt(file)
    header = {key.lower(): float(value) for key, value in lines}
    values[values == header["nodata_value"]] = np.nan
    cell = header["cellsize"]
    return Raster(values, header["xllcorner"] + cell / 2, header["yllcorner"] + (header["nrows"] - 0.5) * cell, cell)


def read_bil_zip(path):
    """The float32 BIL raster inside a zip as a :class:`Raster`; its header gives the upper left *centre*."""
    with zipfile.ZipFile(path) as archive:
        names = {name.rsplit(".", 1)[-1]: name for name in archive.namelist()}
        header = dict(line.split() for line in archive.read(names["hdr"]).decode("ascii").splitlines() if line)
        raw = np.frombuffer(archive.read(names["bil"]), dtype="<f4")
    values = raw.reshape(int(header["NROWS"]), int(header["NCOLS"])).astype(float)
    values[values == float(header["NODATA"])] = np.nan
    return Raster(values, float(header["ULXMAP"]), float(header["ULYMAP"]), float(header["XDIM"]))
