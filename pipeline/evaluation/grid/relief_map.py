"""Shaded relief of three places that foresters know, at the grid's resolution and at that of the grid before it."""

import numpy as np
from matplotlib.colors import LightSource
from matplotlib.figure import Figure

from pipeline.evaluation.figures import save_png
from pipeline.grid.lattice import STEPS_PER_DEGREE

_OLD_STEPS_PER_DEGREE = 24
_KM_PER_DEGREE = 111.195
_LIGHT = LightSource(azdeg=315, altdeg=45)
# South, west, north and east; then places to find one's way by: latitude, longitude.
_PLACES = {
    "H. J. Andrews": (
        (44.05, -122.50, 44.40, -122.00),
        {"Andrews headquarters": (44.212, -122.256), "McKenzie Bridge": (44.175, -122.163)},
    ),
    "Wenatchee valley": (
        (47.25, -120.90, 47.70, -120.25),
        {"Leavenworth": (47.596, -120.662), "Wenatchee": (47.423, -120.310)},
    ),
    "Siskiyou": (
        (42.00, -123.95, 42.45, -123.30),
        {"Cave Junction": (42.163, -123.648), "Oregon Caves": (42.098, -123.407)},
    ),
}


def draw_relief(terrain, old_elevation, path):
    """Write the relief of ``terrain`` every 30 arc-seconds, above, and of a raster of 2.5 arc-minutes, below."""
    figure = Figure(figsize=(10.5, 7.6), dpi=90, layout="constrained")
    panels = figure.subplots(2, len(_PLACES))
    for column, (place, (bounds, marks)) in enumerate(_PLACES.items()):
        new = _at_cell_centres(terrain.elevation, bounds, STEPS_PER_DEGREE)
        old = _at_cell_centres(lambda *at: old_elevation.sample(*at, order=0), bounds, _OLD_STEPS_PER_DEGREE)
        scale = (new.min(), new.max())
        for axes, metres, steps, title in (
            (panels[0, column], new, STEPS_PER_DEGREE, "this grid: 30 arc-seconds"),
            (panels[1, column], old, _OLD_STEPS_PER_DEGREE, "the grid before: 2.5 arc-minutes"),
        ):
            axes.set_title(f"{place}\n{title}", fontsize=9)
            image = _shade(axes, metres, bounds, steps, scale)
            for name, (latitude, longitude) in marks.items():
                axes.plot(longitude, latitude, "o", markersize=3.5, color="white", markeredgecolor="black")
                axes.annotate(
                    name,
                    (longitude, latitude),
                    (-5, 5),
                    textcoords="offset points",
                    ha="right",
                    fontsize=7.5,
                    bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.75, "linewidth": 0},
                )
        figure.colorbar(image, ax=panels[:, column], label="elevation, m", orientation="horizontal", shrink=0.9)
    save_png(figure, path)


def _at_cell_centres(elevation, bounds, steps_per_degree):
    south, west, north, east = bounds
    latitude, longitude = (
        low + (np.arange(round((high - low) * steps_per_degree)) + 0.5) / steps_per_degree
        for low, high in ((south, north), (west, east))
    )
    return elevation(*np.meshgrid(latitude, longitude, indexing="ij"))


def _shade(axes, metres, bounds, steps_per_degree, scale):
    south, west, north, east = bounds
    narrowing = np.cos(np.radians((south + north) / 2))
    cell_m = 1000 * _KM_PER_DEGREE / steps_per_degree
    north_rise, east_rise = np.gradient(metres, cell_m, cell_m * narrowing)
    # LightSource.hillshade would stretch the contrast of each picture by itself.
    upward = np.stack([-east_rise, -north_rise, np.ones_like(metres)], axis=-1)
    shade = (upward @ _LIGHT.direction) / np.linalg.norm(upward, axis=-1)
    image = axes.imshow(
        metres, cmap="cividis", vmin=scale[0], vmax=scale[1], origin="lower", extent=(west, east, south, north)
    )
    shadow = np.clip(1.3 * (0.85 - shade), 0, 1)
    axes.imshow(np.zeros_like(shade), cmap="gray", alpha=shadow, origin="lower", extent=(west, east, south, north))
    axes.set(xticks=[], yticks=[], aspect=1 / narrowing)
    return image
