"""Base map of both states, and PNG files whose bytes depend on the picture alone; used by all figures."""

import numpy as np
import shapely
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from pipeline.grid.projection import in_kilometres

_PALETTE_COLOURS = 256
# Neither white nor a colour of any map, so that a pale value is not mistaken for missing data.
LAND_COLOUR = "#e4e4e4"
BORDER_COLOUR = "#555555"


def draw_land(axes, regions):
    """Draw ``{region: MultiPolygon}`` (degrees) on axes in kilometres of the equal-area plane."""
    axes.set_aspect("equal")
    axes.axis("off")
    for shape in regions.values():
        for part in shapely.get_parts(in_kilometres(shape)):
            x, y = np.array(part.exterior.xy)
            axes.fill(x, y, facecolor=LAND_COLOUR, edgecolor=BORDER_COLOUR, linewidth=0.6, zorder=0)
            axes.plot(x, y, color=BORDER_COLOUR, linewidth=0.4, zorder=3)


def unit_label(unit):
    """Return the unit of a column for figures, where 1 in the metadata means that it has none."""
    return "no unit" if unit == "1" else unit


def save_png(figure, path):
    """Draw a matplotlib figure and write it; with a palette, files have a third of the size."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    path.parent.mkdir(parents=True, exist_ok=True)
    # This method keeps the colours of thin lines and small dots; a round of k-means keeps those of large areas.
    picture.quantize(_PALETTE_COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1).save(path, optimize=True)
