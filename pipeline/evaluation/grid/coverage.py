"""How well the regions and the grid cover the land that is forest in the inventory."""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from pipeline.grid.points import SEARCH_RADIUS_KM, Mask
from pipeline.sources.outlines import FIPS


@dataclass(frozen=True)
class Coverage:
    """Counts of points and plots, the answers to plots by the grid itself, and the judged :class:`.Mask`."""

    points: dict[str, int]
    plots: int
    forested_plots: int
    forested_answered: float
    other_answered: float
    outside_outline: int
    forested_outside_outline: int
    outside_regions: int
    forested_outside_regions: int
    mask: Mask


def measure_coverage(inputs, frame, regions, mask):
    """Return the :class:`Coverage` of ``regions``, ``{region: MultiPolygon}``, and ``frame``, counted at the plots."""
    plots, xyz = inputs.plots, inputs.plot_sites.xyz
    forested, state = plots["forested"].to_numpy(), plots["region"].to_numpy()
    land = [inputs.outlines.polygon(fips) for fips in FIPS.values()]
    outside_outline = ~_within_own(land, plots, state)
    outside_regions = ~_within_own(list(regions.values()), plots, state)
    answered = cKDTree(frame[["x", "y"]].to_numpy()).query(xyz[:, :2])[0] <= SEARCH_RADIUS_KM
    return Coverage(
        points={region: int((frame["region"] == index).sum()) for index, region in enumerate(regions)},
        plots=len(plots),
        forested_plots=int(forested.sum()),
        forested_answered=float(answered[forested].mean()),
        other_answered=float(answered[~forested].mean()),
        outside_outline=int(outside_outline.sum()),
        forested_outside_outline=int((outside_outline & forested).sum()),
        outside_regions=int(outside_regions.sum()),
        forested_outside_regions=int((outside_regions & forested).sum()),
        mask=mask,
    )


def _within_own(shapes, plots, state):
    points = shapely.points(plots["longitude"], plots["latitude"])
    return np.choose(state, [shapely.contains(shape, points) for shape in shapes])
