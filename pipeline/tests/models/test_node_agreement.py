"""The service runs the graphs in onnxruntime-node: it must get what the pipeline got when it measured them."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.features import FEATURE_NAMES
from pipeline.models_command import MODELS
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes
from pipeline.sources.manifest import PROJECT

ROWS = 10_000
SCRIPT = Path(__file__).with_name("run_graph.mjs")

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (PROJECT / "node_modules" / "onnxruntime-node").is_dir(), reason="onnxruntime-node is missing: run npm ci"
    ),
]


@pytest.mark.parametrize("method", METHODS)
def test_node_and_python_agree_within_1e_5_on_10_000_rows(method, tmp_path):
    generator = np.random.default_rng(10)
    grid = read_grid(GRID)
    features = grid.features(FEATURE_NAMES)[generator.integers(0, len(grid.latitude), ROWS)]
    species = generator.integers(0, len(species_codes()), ROWS)
    features.astype("<f4").tofile(tmp_path / "features")
    species.astype("<i8").tofile(tmp_path / "species")
    graph, output = MODELS / f"{method}.onnx", tmp_path / "output"
    subprocess.run(["node", SCRIPT, graph, tmp_path / "features", tmp_path / "species", output], check=True)
    in_node = np.fromfile(output, dtype="<f4")
    in_python = np.concatenate([part.ravel() for part in GraphModel(graph).run(features, species)])
    assert in_node.shape == in_python.shape
    assert np.abs(in_node - in_python).max() < 1e-5
