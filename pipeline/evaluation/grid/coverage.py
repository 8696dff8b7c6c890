"""How well the regions and the grid cover the land that is forest in the inventory."""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from pipeline.grid.arrow_file import MAX_DISTANCE_KM
from pipeline.grid.points import MIN_FOREST_SHARE, forest_share
from pipeline.grid.projection import to_plane
from pipeline.sources.outlines import FIPS

# Excludes the plot itself and no other.
_SAME_PLOT_KM = 0.05


@dataclass(frozen=True)
class Coverage:
    """Counts of plots, and the share of plots that the forest mask classifies correctly when each is left out."""

    points: dict[str, int]
    plots: int
    forested_plots: int
    outside_outline: int
    forested_outside_outline: int
    outside_regions: int
    forested_outside_regions: int
    forested_beyond_reach: int
    forest_beyond_reach: int
    mask_accuracy: float


def measure_coverage(inputs, frame, regions):
    """Return the :class:`Coverage` of ``regions``, ``{region: MultiPolygon}``, and ``frame``, counted at the plots."""
    plots, xyz = inputs.plots, inputs.plot_sites.xyz
    forested, state = plots["forested"].to_numpy(), plots["region"].to_numpy()
    land = [inputs.outlines.polygon(fips) for fips in FIPS.values()]
    outside_outline = ~_within_own(land, plots, state)
    outside_regions = ~_within_own(list(regions.values()), plots, state)
    grid_xy = np.column_stack(to_plane(frame["latitude"].to_numpy(), frame["longitude"].to_numpy()))
    beyond = forested & (cKDTree(grid_xy).query(xyz[:, :2])[0] > MAX_DISTANCE_KM)
    share = forest_share(forested, xyz, xyz, _SAME_PLOT_KM)
    return Coverage(
        points={region: int((frame["region"] == index).sum()) for index, region in enumerate(regions)},
        plots=len(plots),
        forested_plots=int(forested.sum()),
        outside_outline=int(outside_outline.sum()),
        forested_outside_outline=int((outside_outline & forested).sum()),
        outside_regions=int(outside_regions.sum()),
        forested_outside_regions=int((outside_regions & forested).sum()),
        forested_beyond_reach=int(beyond.sum()),
        forest_beyond_reach=int((beyond & (share >= MIN_FOREST_SHARE)).sum()),
        mask_accuracy=float(((share >= MIN_FOREST_SHARE) == forested).mean()),
    )


def _within_own(shapes, plots, state):
    points = shapely.points(plots["longitude"], plots["latitude"])
    return np.choose(state, [shapely.contains(shape, points) for shape in shapes])
