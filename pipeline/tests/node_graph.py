"""Runs graphs in onnxruntime-node, as the service does."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from pipeline.sources.manifest import PROJECT

_SCRIPT = Path(__file__).with_name("run_graph.mjs")

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (PROJECT / "node_modules" / "onnxruntime-node").is_dir(),
    reason="node or onnxruntime-node is missing: run npm ci",
)


def run_in_node(graph: Path, directory: Path, **inputs: np.ndarray) -> np.ndarray:
    """Return all outputs, in the order of the graph, as one array; the inputs are passed by files in the directory."""
    for name, values in inputs.items():
        values.astype("<i8" if name == "species" else "<f4").tofile(directory / name)
    subprocess.run(["node", _SCRIPT, graph, directory], check=True)
    return np.fromfile(directory / "output", dtype="<f4")
