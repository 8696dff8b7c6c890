"""Maps of the grid and of each of its columns, for people to look at."""

import numpy as np
import shapely
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from pipeline.columns import COLUMNS
from pipeline.projection import in_kilometres, to_plane

# Wet and cold run to blue, dry and hot to red or brown, heights and plants to their own colours.
_COLOURS = {
    "elevation": "terrain",
    "terrain_ruggedness": "YlOrBr",
    "precipitation_annual": "viridis_r",
    "precipitation_growing_season": "viridis_r",
    "temperature_mean": "RdYlBu_r",
    "temperature_max": "RdYlBu_r",
    "temperature_min_january": "RdYlBu_r",
    "dew_point": "BrBG",
    "vpd_max": "YlOrRd",
    "vpd_min": "YlOrRd",
    "climatic_water_deficit": "YlOrRd",
    "soil_water_capacity": "Blues",
    "soil_clay": "copper_r",
    "soil_organic_matter": "bone_r",
    "canopy_cover": "Greens",
    "crown_ratio": "YlGn_r",
}
_REGION_COLOURS = ("#2b6f4e", "#7a4b94")
_PERCENTILES = (0.5, 99.5)
_SIZE_IN = (6.4, 6.0)
_DPI = 90
_PALETTE = 96


def draw_maps(frame, regions, directory):
    """Writes ``grid.png`` and one PNG a column; ``regions`` is ``{region: MultiPolygon}`` in degrees."""
    directory.mkdir(parents=True, exist_ok=True)
    x, y = to_plane(frame["latitude"].to_numpy(), frame["longitude"].to_numpy())
    figure, axes = _canvas(regions, f"The grid: {len(frame):,} points on forest land")
    for index, region in enumerate(regions):
        chosen = frame["region"] == index
        label = f"{region}: {chosen.sum():,}"
        axes.scatter(x[chosen], y[chosen], s=0.9, linewidths=0, color=_REGION_COLOURS[index], label=label)
    axes.legend(loc="lower right", markerscale=6, frameon=False)
    _save(figure, directory / "grid.png")

    for column in COLUMNS:
        values = frame[column.name].to_numpy()
        low, high = np.percentile(values, _PERCENTILES)
        figure, axes = _canvas(regions, column.description)
        dots = axes.scatter(x, y, c=values, s=3.2, linewidths=0, cmap=_COLOURS[column.name], vmin=low, vmax=high)
        figure.colorbar(dots, ax=axes, shrink=0.75, extend="both", label=f"{column.name} ({column.unit})")
        _save(figure, directory / f"{column.name}.png")


def _canvas(regions, title):
    figure = Figure(figsize=_SIZE_IN, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title[0].upper() + title[1:], fontsize=10, wrap=True)
    axes.set_aspect("equal")
    axes.axis("off")
    for shape in regions.values():
        for line in shapely.get_parts(in_kilometres(shape.boundary)):
            axes.plot(*line.xy, color="#555555", linewidth=0.6)
    return figure, axes


def _save(figure, path):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    # A palette makes the files a third of the size and loses nothing that an eye would miss.
    Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]).quantize(_PALETTE).save(path, optimize=True)
