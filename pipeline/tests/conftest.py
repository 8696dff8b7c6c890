import dataclasses
import json

import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.features import FEATURES, with_practice
from pipeline.models_command import MODELS
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.practice import DEFAULTS, LINEAR_PRACTICES, PRACTICES
from pipeline.outcomes.species import species_codes

EVERY = 60
ROWS = 3000


@pytest.fixture(scope="session")
def whole_grid():
    return read_grid(GRID)


@pytest.fixture(scope="session")
def grid(whole_grid):
    return whole_grid


@pytest.fixture(scope="session")
def graphs():
    """The committed models by method."""
    return {method: GraphModel(MODELS / f"{method}.onnx") for method in METHODS}


@pytest.fixture(scope="session")
def manifest():
    """The manifest of the committed models."""
    return json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def thinned_grid(whole_grid):
    """A function that returns one grid point in EVERY and given points [indices], on which training is quick."""

    def thinned(points=()):
        # Every build compares plantings, of which those in Discovery Park would have no point within ten kilometres.
        seattle = whole_grid.nearest(47.66, -122.42)
        chosen = np.union1d(np.arange(0, len(whole_grid.latitude), EVERY), [*points, seattle]).astype(int)
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
def practised(features):
    """The same sites under practices of all kinds: inputs [rows, inputs], a third of them of spots with usual seeds."""
    generator = np.random.default_rng(7)
    practice = np.column_stack([generator.uniform(each.minimum, each.maximum, ROWS) for each in PRACTICES])
    practice[::3, -1] = DEFAULTS[-1]
    return with_practice(features, practice)


@pytest.fixture(scope="session")
def practice_slopes():
    """Made-up slopes [species, linear practices, periods] of the logits."""
    shape = (len(species_codes()), len(LINEAR_PRACTICES), len(HORIZONS))
    return np.random.default_rng(8).normal(0, 1, shape) / np.array([1, 100])[:, None]


@pytest.fixture(scope="session")
def species():
    """A species index [rows] for each of the `features`."""
    return np.random.default_rng(5).integers(0, len(species_codes()), ROWS)
