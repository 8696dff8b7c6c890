"""Longitude-latitude rasters of the PRISM 2.5 arc-minute grid and their values at points."""

import zipfile
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Raster:
    """Cell-centred values, row 0 northernmost; missing cells are NaN."""

    values: np.ndarray
    west: float
    north: float
    cell_deg: float

    def sample(self, latitude, longitude):
        """Bilinear values at points; a missing corner is left out and the others take its weight.

        Degrees in, the raster's unit out; NaN where all four corners are missing.
        """
        column = (np.asarray(longitude) - self.west) / self.cell_deg
        row = (self.north - np.asarray(latitude)) / self.cell_deg
        left, top = np.floor(column).astype(int), np.floor(row).astype(int)
        total, weight = np.zeros(column.shape), np.zeros(column.shape)
        for down in (0, 1):
            for right in (0, 1):
                value = self.values[top + down, left + right]
                w = np.abs(1 - down - (row - top)) * np.abs(1 - right - (column - left))
                w = np.where(np.isnan(value), 0.0, w)
                total += w * np.nan_to_num(value)
                weight += w
        with np.errstate(invalid="ignore"):
            return total / weight


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
