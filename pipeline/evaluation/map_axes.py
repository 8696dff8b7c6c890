"""The ground that every map is drawn on: both states, grey where there is no grid point."""

import numpy as np
import shapely

from pipeline.grid.projection import in_kilometres

# Neither paper white nor a colour of any map, so that a pale value is not taken for a hole.
_LAND_COLOUR = "#e4e4e4"
_BORDER_COLOUR = "#555555"


def draw_land(axes, regions):
    """Draws ``{region: MultiPolygon}`` (degrees) on axes in kilometres of the equal-area plane."""
    axes.set_aspect("equal")
    axes.axis("off")
    for shape in regions.values():
        for part in shapely.get_parts(in_kilometres(shape)):
            x, y = np.array(part.exterior.xy)
            axes.fill(x, y, facecolor=_LAND_COLOUR, edgecolor=_BORDER_COLOUR, linewidth=0.6, zorder=0)
            axes.plot(x, y, color=_BORDER_COLOUR, linewidth=0.4, zorder=3)
