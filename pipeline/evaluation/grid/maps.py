"""Maps of the grid and of each of its columns."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from pipeline.evaluation.figures import draw_land, save_png
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.projection import to_plane

# A colour map and the part of it to use: the palest end is left out where it would be invisible on white.
_WHOLE, _PALE_FIRST, _PALE_LAST = (0.0, 1.0), (0.15, 1.0), (0.0, 0.85)
_COLOURS = {
    "elevation": ("terrain", _WHOLE),
    "terrain_ruggedness": ("YlOrBr", _PALE_FIRST),
    "precipitation_annual": ("viridis_r", _WHOLE),
    "precipitation_growing_season": ("viridis_r", _WHOLE),
    "temperature_mean": ("RdYlBu_r", _WHOLE),
    "temperature_max": ("RdYlBu_r", _WHOLE),
    "temperature_min_january": ("RdYlBu_r", _WHOLE),
    "dew_point": ("PuOr", _WHOLE),
    "vpd_max": ("YlOrRd", _PALE_FIRST),
    "vpd_min": ("YlOrRd", _PALE_FIRST),
    "climatic_water_deficit": ("YlOrRd", _PALE_FIRST),
    "soil_water_capacity": ("Blues", _PALE_FIRST),
    "soil_clay": ("copper_r", _WHOLE),
    "soil_organic_matter": ("bone_r", _PALE_FIRST),
    "canopy_cover": ("Greens", _PALE_FIRST),
    "crown_ratio": ("YlGn_r", _PALE_LAST),
}
_REGION_COLOURS = ("#2b6f4e", "#7a4b94")
_PERCENTILES = (0.5, 99.5)
_SIZE_IN = (6.4, 6.0)
_DPI = 90


def draw_maps(frame, regions, directory):
    """Write ``grid.png`` and one PNG a column; ``regions`` is ``{region: MultiPolygon}`` in degrees."""
    x, y = to_plane(frame["latitude"].to_numpy(), frame["longitude"].to_numpy())
    figure, axes = _canvas(regions, f"{len(frame):,} grid points on forest land")
    for index, region in enumerate(regions):
        chosen = frame["region"] == index
        label = f"{region}: {chosen.sum():,}"
        axes.scatter(x[chosen], y[chosen], s=0.9, linewidths=0, color=_REGION_COLOURS[index], label=label)
    # In dry central Washington, which has no points.
    axes.legend(loc="center", bbox_to_anchor=(0.67, 0.65), markerscale=6, frameon=False)
    save_png(figure, directory / "grid.png")

    for column in COLUMNS:
        values = frame[column.name].to_numpy()
        low, high = np.percentile(values, _PERCENTILES)
        figure, axes = _canvas(regions, f"{column.name}\n{column.description}")
        dots = axes.scatter(x, y, c=values, s=3.2, linewidths=0, cmap=_colours(column.name), vmin=low, vmax=high)
        figure.colorbar(dots, ax=axes, shrink=0.75, extend="both", label=column.unit)
        save_png(figure, directory / f"{column.name}.png")


def _colours(name):
    whole, (low, high) = _COLOURS[name]
    return ListedColormap(colormaps[whole](np.linspace(low, high, 256)))


def _canvas(regions, title):
    figure = Figure(figsize=_SIZE_IN, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=9)
    draw_land(axes, regions)
    return figure, axes
