import dataclasses

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.features import FEATURES
from pipeline.outcomes.species import species_codes

EVERY = 60
ROWS = 3000


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


@pytest.fixture(scope="session")
def features():
    """Features [rows, features] of made-up sites, for models with curves that are made up, too."""
    return np.random.default_rng(3).uniform(1, 100, (ROWS, len(FEATURES))).astype(np.float32)


@pytest.fixture(scope="session")
def species():
    """A species index [rows] for each of the `features`."""
    return np.random.default_rng(5).integers(0, len(species_codes()), ROWS)
