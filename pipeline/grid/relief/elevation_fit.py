"""Elevation models against the elevations of the plots: grey levels converted to metres, and metres checked."""

from dataclasses import dataclass

import numpy as np

from pipeline.sources.manifest import SourceError

SEA_LEVEL = 3.2
"""Grey levels up to this one are the sea."""
# Maximum differences between an elevation model and the plots: ratio and median. The tiles differ by 1 % and 6 m.
_UPHILL_M, _MAX_RATIO_ERROR, _MAX_MEDIAN_ERROR_M = 100.0, 0.05, 100.0


@dataclass(frozen=True)
class StateFit:
    """Elevation of one state: ``metres_per_level`` * grey level + ``offset`` metres, and its error on other plots."""

    metres_per_level: float
    offset: float
    places: int
    rmse: float
    median_error: float
    bias: float


def fit_states(levels, plots):
    """Return the :class:`StateFit` of Oregon and of Washington: fitted on every second plot, judged on the others."""
    grey = levels.sample(plots["latitude"].to_numpy(), plots["longitude"].to_numpy()).astype(float)
    elevation, region = plots["elevation"].to_numpy(), plots["region"].to_numpy()
    fits = []
    for state in (0, 1):
        rows = np.flatnonzero((region == state) & (grey > SEA_LEVEL) & np.isfinite(elevation))
        used, judged = rows[::2], rows[1::2]
        slope, offset = robust_line(grey[used], elevation[used])
        error = slope * grey[judged] + offset - elevation[judged]
        fits.append(
            StateFit(
                round(slope, 4),
                round(offset, 2),
                len(judged),
                float(np.sqrt((error**2).mean())),
                float(np.median(np.abs(error))),
                float(error.mean()),
            )
        )
    return fits


def robust_line(x, y):
    """Return slope and offset by least squares, repeated without the residuals beyond three standard deviations."""
    keep = np.ones(len(x), dtype=bool)
    for _ in range(5):
        slope, offset = np.polyfit(x[keep], y[keep], 1)
        residual = y - slope * x - offset
        keep = np.abs(residual) < 3 * residual[keep].std()
    return float(slope), float(offset)


def check_metres(model, plots, path):
    """Raise :class:`SourceError` if an elevation model differs from the elevations of the plots by unit or by place."""
    model_elevation = model.sample(plots["latitude"].to_numpy(), plots["longitude"].to_numpy())
    elevation = plots["elevation"].to_numpy()
    uphill = elevation > _UPHILL_M
    ratio = np.median(model_elevation[uphill] / elevation[uphill])
    if abs(ratio - 1) > _MAX_RATIO_ERROR:
        raise SourceError(f"{path}: has {ratio:.3g} times the elevations of the plots, which are in metres")
    error = np.nanmedian(np.abs(model_elevation - elevation))
    if error > _MAX_MEDIAN_ERROR_M:
        raise SourceError(f"{path}: differs from the elevations of the plots by {error:.0f} m at the median")
