"""Maps of the grid, of each of its columns, of their errors and of its relief."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LightSource, ListedColormap
from matplotlib.figure import Figure

from pipeline.evaluation.figures import BORDER_COLOUR, save_png
from pipeline.evaluation.grid.validation import NEAR_BLOCKS
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import COLUMNS as LATTICE_COLUMNS
from pipeline.grid.lattice import ROWS, SOUTH, STEPS_PER_DEGREE, WEST, degrees_of

# A colour map and the part of it to use: the palest end is left out where it would be invisible on white.
_WHOLE, _PALE_FIRST, _PALE_LAST = (0.0, 1.0), (0.15, 1.0), (0.0, 0.85)
_COLOURS = {
    "elevation": ("terrain", _WHOLE),
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
    "ecoregion": ("tab20", _WHOLE),
}
_LAPSE_COLOURS = ("RdYlBu_r", _WHOLE)
_REGION_COLOURS = ("#2b6f4e", "#7a4b94")
_PERCENTILES = (0.5, 99.5)
_SIZE_IN = (4.8, 4.5)
_DPI = 90
# South, west, north and east of places that foresters know.
_PLACES = {
    "H. J. Andrews": (44.05, -122.50, 44.40, -122.00),
    "Wenatchee valley": (47.25, -120.90, 47.70, -120.25),
    "Siskiyou": (42.00, -123.95, 42.45, -123.30),
}
_FEWEST_PLOTS = 4


def draw_maps(frame, regions, answers, terrain, old_elevation, directory):
    """Write the maps as PNG files; ``regions`` is ``{region: MultiPolygon}`` in degrees.

    ``old_elevation`` is the :class:`.Raster` of 2.5 arc-minutes that the relief is compared with.
    """
    figure, axes = _canvas(regions, f"{len(frame):,} grid points on forest land")
    _draw(axes, frame, frame["region"].to_numpy(), ListedColormap(_REGION_COLOURS), (0, 1))
    for index, region in enumerate(regions):
        label = f"{region}: {(frame['region'] == index).sum():,}"
        axes.plot([], [], "s", color=_REGION_COLOURS[index], label=label)
    # In dry central Washington, which has no points.
    axes.legend(loc="center", bbox_to_anchor=(0.67, 0.65), frameon=False, fontsize=8)
    save_png(figure, directory / "grid.png")

    for column in COLUMNS:
        values = frame[column.name].to_numpy()
        figure, axes = _canvas(regions, f"{column.name}\n{column.description}")
        image = _draw(axes, frame, values, _colours(column.name), np.percentile(values, _PERCENTILES))
        figure.colorbar(image, ax=axes, shrink=0.75, extend="both", label=column.unit)
        save_png(figure, directory / f"{column.name}.png")
    _draw_errors(answers, regions, directory / "errors.png")
    _draw_relief(terrain, old_elevation, directory / "relief.png")


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
            axes.plot(*np.array(part.exterior.xy), color=BORDER_COLOUR, linewidth=0.4, zorder=3)
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


def _draw_errors(answers, regions, path):
    """Draw the RMSE as answered by block, a panel for each column with a truth."""
    units = {column.name: column.unit for column in COLUMNS}
    names = [name for name in units if name in answers.estimates and name in answers.plots]
    figure = Figure(figsize=(12, 2.75 * -(-len(names) // 4)), dpi=_DPI, layout="constrained")
    panels = figure.subplots(-(-len(names) // 4), 4).ravel()
    row, column = (
        np.floor((answers.plots[name] - origin) / NEAR_BLOCKS).astype(int)
        for name, origin in (("latitude", SOUTH), ("longitude", WEST))
    )
    shape = (int(row.max()) + 1, int(column.max()) + 1)
    block = (row * shape[1] + column).to_numpy()
    for axes, name in zip(panels, names, strict=False):
        error = answers.estimates[name].to_numpy() - answers.plots[name].to_numpy(dtype=float)
        known = np.isfinite(error)
        count, total = (
            np.bincount(block[known], weights, shape[0] * shape[1]) for weights in (None, error[known] ** 2)
        )
        rmse = np.sqrt(np.where(count >= _FEWEST_PLOTS, total / np.maximum(count, 1), np.nan)).reshape(shape)
        _outline(axes, regions)
        edges = (
            np.arange(size + 1) * NEAR_BLOCKS + origin for size, origin in zip(shape[::-1], (WEST, SOUTH), strict=True)
        )
        image = axes.pcolormesh(*edges, rmse, cmap="magma_r", vmin=0, vmax=np.nanpercentile(rmse, 98))
        axes.set_title(name, fontsize=8)
        figure.colorbar(image, ax=axes, shrink=0.8, label=units[name])
    for axes in panels[len(names) :]:
        axes.axis("off")
    save_png(figure, path)


def _draw_relief(terrain, old_elevation, path):
    """Draw the shaded relief of the lattice, above, and of the elevation grid of 2.5 arc-minutes, below."""
    figure = Figure(figsize=(10, 7), dpi=_DPI, layout="constrained")
    panels = figure.subplots(2, len(_PLACES))
    light = LightSource(azdeg=315, altdeg=45)
    for column, (place, (south, west, north, east)) in enumerate(_PLACES.items()):
        rows = np.arange(round((south - SOUTH) * STEPS_PER_DEGREE), round((north - SOUTH) * STEPS_PER_DEGREE))
        columns = np.arange(round((west - WEST) * STEPS_PER_DEGREE), round((east - WEST) * STEPS_PER_DEGREE))
        latitude, longitude = degrees_of(*np.meshgrid(rows, columns, indexing="ij"))
        shades = {
            "30 arc-seconds": terrain.elevation(latitude, longitude),
            "2.5 arc-minutes, the grid before": old_elevation.sample(latitude, longitude, order=0),
        }
        for axes, (title, metres) in zip(panels[:, column], shades.items(), strict=True):
            axes.imshow(light.hillshade(metres, dx=650, dy=927), cmap="gray", origin="lower", vmin=0, vmax=1)
            axes.set_aspect(1 / np.cos(np.radians(latitude.mean())))
            axes.set_title(f"{place}\n{title}", fontsize=8)
            axes.axis("off")
    save_png(figure, path)
