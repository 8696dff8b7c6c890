"""The graphs give the service, in onnxruntime-node, the same outputs as the pipeline."""

import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.features import FEATURE_NAMES, with_practice
from pipeline.models_command import MODELS
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.practice import PRACTICES
from pipeline.outcomes.species import species_codes
from pipeline.tests.node_graph import needs_node, run_in_node

ROWS = 10_000

pytestmark = needs_node


@pytest.mark.parametrize("method", METHODS)
def test_node_and_python_agree_within_1e_5_on_10_000_rows(method, tmp_path):
    generator = np.random.default_rng(10)
    grid = read_grid(GRID)
    sites = grid.features(FEATURE_NAMES)[generator.integers(0, len(grid.latitude), ROWS)]
    practice = np.column_stack([generator.uniform(each.minimum, each.maximum, ROWS) for each in PRACTICES])
    features = with_practice(sites, practice)
    species = generator.integers(0, len(species_codes()), ROWS)
    graph = MODELS / f"{method}.onnx"
    in_node = run_in_node(graph, tmp_path, features=features, species=species)
    in_python = np.concatenate([part.ravel() for part in GraphModel(graph).run(features, species)])
    assert in_node.shape == in_python.shape
    assert np.abs(in_node - in_python).max() < 1e-5
