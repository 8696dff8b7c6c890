"""Native ranges: which of Little's (1971) range maps hold a point, a bit for each species.

The maps' NAD27 coordinates are used as they are: the shift is about 100 m, the maps are drawn to kilometres.
"""

import numpy as np

from pipeline.grid.lattice import burn
from pipeline.sources.shapes import read_shapes

_INSIDE_CODE = 1


def native_ranges(paths, row, column):
    """Return uint32 [N] for lattice nodes: bit i where the node is in the range of the i-th of at most 32 files."""
    bits = np.zeros(len(row), dtype=np.uint32)
    for index, path in enumerate(paths):
        shapes = read_shapes(path)
        # Polygons with CODE 1 are the range, those with CODE 0 its holes.
        inside, holes = (
            burn([shape for properties, shape in shapes if (properties["CODE"] == _INSIDE_CODE) == wanted])
            for wanted in (True, False)
        )
        bits |= ((inside[row, column] == 1) & (holes[row, column] == 0)).astype(np.uint32) << np.uint32(index)
    return bits
