"""Maps of values at the grid points as pictures of the lattice."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from shapely import MultiPolygon

from pipeline.evaluation.figures import BORDER_COLOUR, LAND_COLOUR
from pipeline.grid.lattice import COLUMNS, ROWS, SOUTH, STEPS_PER_DEGREE, WEST

# Ratio of the lengths of a degree of longitude and one of latitude, in the middle of the two states.
_ASPECT = 1 / np.cos(np.radians(45.5))


def draw_outline(axes: Axes, regions: dict[str, MultiPolygon]) -> None:
    """Draw the states on axes in degrees."""
    axes.axis("off")
    for shape in regions.values():
        for part in shape.geoms:
            x, y = np.array(part.exterior.xy)
            axes.fill(x, y, facecolor=LAND_COLOUR, zorder=0)
            axes.plot(x, y, color=BORDER_COLOUR, linewidth=0.4, zorder=3)
    axes.set_aspect(_ASPECT)


def draw_points(axes: Axes, row: np.ndarray, column: np.ndarray, values: np.ndarray, **image) -> AxesImage:
    """Draw values [N] at nodes of the lattice; `image` are options of `imshow`."""
    picture = np.full((ROWS, COLUMNS), np.nan)
    picture[row, column] = values
    return _draw(axes, picture, **image)


def draw_block_means(
    axes: Axes, row: np.ndarray, column: np.ndarray, values: np.ndarray, block: int, **image
) -> AxesImage:
    """Draw the means of values [N] in blocks of `block` by `block` nodes; blocks no finer than pixels give no moiré."""
    shape = (-(-ROWS // block), -(-COLUMNS // block))
    where = row // block * shape[1] + column // block
    count, total = (np.bincount(where, weights, shape[0] * shape[1]) for weights in (None, values))
    picture = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0).reshape(shape)
    return _draw(axes, picture, block, **image)


def _draw(axes: Axes, picture: np.ndarray, step: int = 1, **image) -> AxesImage:
    degrees = step / STEPS_PER_DEGREE
    east, north = WEST + picture.shape[1] * degrees, SOUTH + picture.shape[0] * degrees
    return axes.imshow(
        picture, origin="lower", extent=(WEST, east, SOUTH, north), interpolation="nearest", aspect=_ASPECT, **image
    )
