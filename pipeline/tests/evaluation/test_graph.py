"""Graphs of the model contract that this pipeline did not write."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pipeline.evaluation.graph import GraphModel
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.periods import HORIZONS


@pytest.mark.parametrize("count", [2, len(FEATURE_NAMES), 20])
def test_a_graph_gets_as_many_features_as_it_has(tmp_path, count):
    """Survival of the first horizon is the logistic function of the sum of all features."""
    outputs = ("survival", "baseline", "contributions")
    nodes = [helper.make_node("MatMul", ["features", "weights"], ["sums"])]
    nodes += [helper.make_node("Sigmoid", ["sums"], [name]) for name in outputs]
    inputs = [("features", TensorProto.FLOAT, ["N", count]), ("species", TensorProto.INT64, ["N"])]
    graph = helper.make_graph(
        nodes,
        "other",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", len(HORIZONS)]) for name in outputs],
        [numpy_helper.from_array(np.ones((count, len(HORIZONS)), dtype=np.float32), "weights")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "other")
    features = np.linspace(-1, 1, 4 * count).reshape(4, count)
    survival = GraphModel(tmp_path / "other").survival(features, np.zeros(4))
    assert survival[:, 0] == pytest.approx(1 / (1 + np.exp(-features.sum(axis=1))), abs=1e-6)
