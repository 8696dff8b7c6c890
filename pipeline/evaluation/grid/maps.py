"""Maps of the grid, of each of its columns, of their errors and of its relief."""

from textwrap import fill

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from pipeline.evaluation.figures import save_png, unit_label
from pipeline.evaluation.grid.error_maps import draw_error_maps
from pipeline.evaluation.grid.relief_map import draw_relief
from pipeline.evaluation.lattice_map import draw_block_means, draw_outline, draw_points
from pipeline.grid.columns.definitions import COLUMNS

# A colour map and the part of it to use: the palest end is left out where it would be invisible on grey.
_WHOLE, _PALE_FIRST, _PALE_LAST = (0.0, 1.0), (0.15, 1.0), (0.0, 0.85)
_COLOURS = {
    "elevation": ("cividis", _WHOLE),
    "slope": ("YlOrBr", _PALE_FIRST),
    "eastness": ("PuOr", _WHOLE),
    "northness": ("RdBu", _WHOLE),
    "heat_load": ("YlOrRd", _PALE_FIRST),
    "terrain_ruggedness": ("YlOrBr", _PALE_FIRST),
    "precipitation_annual": ("viridis_r", _WHOLE),
    "precipitation_growing_season": ("viridis_r", _WHOLE),
    "temperature_mean": ("plasma", _WHOLE),
    "temperature_max": ("plasma", _WHOLE),
    "temperature_min_january": ("plasma", _WHOLE),
    "dew_point": ("YlGnBu", _PALE_FIRST),
    "vpd_max": ("YlOrRd", _PALE_FIRST),
    "vpd_min": ("YlOrRd", _PALE_FIRST),
    "climatic_water_deficit": ("YlOrRd", _PALE_FIRST),
    "soil_water_capacity": ("Blues", _PALE_FIRST),
    "soil_water_error": ("Purples", _PALE_FIRST),
    "soil_clay": ("copper_r", _WHOLE),
    "rock_depth": ("copper_r", _WHOLE),
    "canopy_cover": ("Greens", _PALE_FIRST),
    "crown_ratio": ("YlGn_r", _PALE_LAST),
}
# The directions of neighbouring slopes differ: single points look like noise, means of these blocks (7 by 5 km) do not.
_BLOCK_NODES = 8
_DRAWN_AS_MEANS = ("eastness", "northness")
# White, no change with elevation, is in the middle of their scale.
_LAPSE_COLOURS = ("RdBu_r", _WHOLE)
# Twelve colours that colour-blind readers can tell apart: CARTO's palette Safe. Both states have 12 ecoregions.
_ECOREGION_COLOURS = ("#88ccee", "#cc6677", "#ddcc77", "#117733", "#332288", "#aa4499",
                      "#44aa99", "#999933", "#882255", "#661100", "#6699cc", "#888888")  # fmt: skip
_REGION_COLOURS = ("#2b6f4e", "#7a4b94")
_PERCENTILES = (0.5, 99.5)
_SIZE_IN = (4.8, 4.5)
_DPI = 90
_TITLE_WIDTH = 70


def draw_maps(frame, regions, errors, inputs, old_elevation, directory):
    """Write the maps as PNG files; ``regions`` is ``{region: MultiPolygon}`` in degrees.

    ``errors`` are the :class:`.Errors` to map; ``old_elevation`` is the :class:`.Raster` of 2.5 arc-minutes that the
    relief of the :class:`.Inputs` is compared with.
    """
    labels = [f"{region}: {(frame['region'] == index).sum():,}" for index, region in enumerate(regions)]
    title = f"{len(frame):,} grid points on forest land"
    _draw_classes(frame, frame["region"], labels, _REGION_COLOURS, regions, title, directory / "grid.png")
    for column in COLUMNS:
        title, path = f"{column.name}\n{fill(column.description, _TITLE_WIDTH)}", directory / f"{column.name}.png"
        if column.name == "ecoregion":
            names = dict(zip(inputs.maps.ecoregions["code"], inputs.maps.ecoregions["name"], strict=True))
            codes, code = np.unique(frame[column.name].astype(int), return_inverse=True)
            labels = [f"{c} {names[c].split('/')[0]}" for c in codes]
            _draw_classes(frame, code, labels, _ECOREGION_COLOURS[: len(codes)], regions, title, path)
            continue
        values = frame[column.name].to_numpy()
        place = (frame["row"].to_numpy(), frame["column"].to_numpy(), values)
        low, high = np.percentile(values, _PERCENTILES)
        if column.name not in _COLOURS:
            low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
        if column.name in _DRAWN_AS_MEANS:
            figure, axes = _canvas(regions, f"{title}\nmeans of {_BLOCK_NODES} by {_BLOCK_NODES} nodes")
            image = draw_block_means(axes, *place, _BLOCK_NODES, cmap=_colours(column.name), vmin=low, vmax=high)
        else:
            figure, axes = _canvas(regions, title)
            image = draw_points(axes, *place, cmap=_colours(column.name), vmin=low, vmax=high)
        figure.colorbar(image, ax=axes, shrink=0.75, extend="both", label=unit_label(column.unit))
        save_png(figure, path)
    draw_error_maps(errors, regions, directory / "errors")
    draw_relief(inputs.terrain, old_elevation, directory / "relief.png")


def _draw_classes(frame, classes, labels, colours, regions, title, path):
    figure, axes = _canvas(regions, title)
    row, column = frame["row"].to_numpy(), frame["column"].to_numpy()
    draw_points(axes, row, column, classes, cmap=ListedColormap(colours), vmin=0, vmax=len(labels) - 1)
    for colour, label in zip(colours, labels, strict=True):
        axes.plot([], [], "s", color=colour, label=label)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=6)
    save_png(figure, path)


def _colours(name):
    whole, (low, high) = _COLOURS.get(name, _LAPSE_COLOURS)
    return ListedColormap(colormaps[whole](np.linspace(low, high, 256)))


def _canvas(regions, title):
    figure = Figure(figsize=_SIZE_IN, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=7)
    draw_outline(axes, regions)
    return figure, axes
