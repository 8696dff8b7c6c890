"""Open water in a terrain model: the sea, and lakes found as level ground that lies lower than all around it.

Level ground alone is not water: a source in steps of 20 m makes terraces of every plain and valley floor. What tells
most lakes is that almost no ground beside them is lower or at their level, and that it rises. Meadows and dry lake
beds in closed basins are found as well, which have no forest either; lakes in gentle or very narrow valleys are not.
"""

import numpy as np
from scipy.ndimage import binary_dilation, distance_transform_edt, label, maximum_filter, minimum_filter

# Ground is level if its neighbours differ by less than the first. Next to it, differences up to the second are no step.
_LEVEL_M, _STEP_M = 0.5, 6.0
_MIN_AREA_KM2 = 0.8
# Adjacent ground is 3 to 5 cells from the inner cells, which are one cell from the edge themselves.
_BESIDE_CELLS = (2.5, 5.0)
_MAX_LOWER_SHARE, _MAX_LEVEL_SHARE, _MIN_RISE_M = 0.1, 0.25, 39.5


def find_water(metres, sea, cell_km):
    """Return which cells are ``sea``, or level ground in ``metres`` classified as a lake, boolean [rows, columns].

    ``cell_km`` is the height and the width of a cell.
    """
    level = (maximum_filter(metres, 3) - minimum_filter(metres, 3) < _LEVEL_M) & ~sea
    areas, count = label(level)
    size = np.bincount(areas.ravel(), minlength=count + 1)
    large = size * np.prod(cell_km) >= _MIN_AREA_KM2
    large[0] = False
    areas[~large[areas]] = 0
    height = np.zeros(count + 1, dtype=np.float32)
    height[areas.ravel()] = metres.ravel()
    distance, nearest = distance_transform_edt(areas == 0, return_indices=True)
    beside = (distance > _BESIDE_CELLS[0]) & (distance <= _BESIDE_CELLS[1])
    area = areas[nearest[0][beside], nearest[1][beside]]
    rise = metres[beside] - height[area]
    cells = np.maximum(np.bincount(area, minlength=count + 1), 1)
    lower, same, mean = (
        np.bincount(area, values, count + 1) / cells for values in (rise < -_STEP_M, np.abs(rise) <= _STEP_M, rise)
    )
    lake = large & (lower <= _MAX_LOWER_SHARE) & (same <= _MAX_LEVEL_SHARE) & (mean >= _MIN_RISE_M)
    return binary_dilation(lake[areas], np.ones((3, 3))) | sea
