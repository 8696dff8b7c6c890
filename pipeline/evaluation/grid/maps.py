"""Maps of the grid, of each of its columns, of their errors and of its relief."""

from textwrap import fill

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from pipeline.evaluation.figures import BORDER_COLOUR, LAND_COLOUR, save_png, unit_label
from pipeline.evaluation.grid.error_maps import draw_error_maps
from pipeline.evaluation.grid.relief_map import draw_relief
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import COLUMNS as LATTICE_COLUMNS
from pipeline.grid.lattice import ROWS, SOUTH, STEPS_PER_DEGREE, WEST

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
    "temperature_mean": ("RdYlBu_r", _WHOLE),
    "temperature_max": ("RdYlBu_r", _WHOLE),
    "temperature_min_january": ("RdYlBu_r", _WHOLE),
    "dew_point": ("PuOr", _WHOLE),
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
        limits = np.percentile(values, _PERCENTILES)
        if column.name not in _COLOURS:
            limits = np.abs(limits).max() * np.array([-1, 1])
        figure, axes = _canvas(regions, title)
        image = _draw(axes, frame, values, _colours(column.name), limits)
        figure.colorbar(image, ax=axes, shrink=0.75, extend="both", label=unit_label(column.unit))
        save_png(figure, path)
    draw_error_maps(errors, regions, directory / "errors")
    draw_relief(inputs.terrain, old_elevation, directory / "relief.png")


def _draw_classes(frame, classes, labels, colours, regions, title, path):
    figure, axes = _canvas(regions, title)
    _draw(axes, frame, classes, ListedColormap(colours), (0, len(labels) - 1))
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
    _outline(axes, regions)
    return figure, axes


def _outline(axes, regions):
    axes.axis("off")
    for shape in regions.values():
        for part in shape.geoms:
            x, y = np.array(part.exterior.xy)
            axes.fill(x, y, facecolor=LAND_COLOUR, zorder=0)
            axes.plot(x, y, color=BORDER_COLOUR, linewidth=0.4, zorder=3)
    axes.set_aspect(1 / np.cos(np.radians(45.5)))


def _draw(axes, frame, values, colours, limits):
    picture = np.full((ROWS, LATTICE_COLUMNS), np.nan)
    picture[frame["row"], frame["column"]] = values
    east, north = WEST + LATTICE_COLUMNS / STEPS_PER_DEGREE, SOUTH + ROWS / STEPS_PER_DEGREE
    return axes.imshow(
        picture,
        origin="lower",
        extent=(WEST, east, SOUTH, north),
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        interpolation="nearest",
        aspect=1 / np.cos(np.radians(45.5)),
    )
