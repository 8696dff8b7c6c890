import dataclasses

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID

EVERY = 60


@pytest.fixture(scope="session")
def whole_grid():
    return read_grid(GRID)


@pytest.fixture(scope="session")
def thinned_grid(whole_grid):
    """A function that returns one grid point in EVERY and given points [indices], on which training is quick."""

    def thinned(points=()):
        chosen = np.union1d(np.arange(0, len(whole_grid.latitude), EVERY), points).astype(int)
        arrays = ("latitude", "longitude", "region", "native_ranges")
        return dataclasses.replace(
            whole_grid,
            columns={name: values[chosen] for name, values in whole_grid.columns.items()},
            **{name: getattr(whole_grid, name)[chosen] for name in arrays},
        )

    return thinned
