"""Write a hazard model as one ONNX graph that meets the contract of the service.

The graph is a table look-up: with equally spaced knots the interval is a division, one Gather reads the logits of every
feature, and the rest is elementwise. Rows are the last axis, so that elementwise operations run over long vectors.
Contributions are integrated with the same quadrature as in `HazardModel.contributions`; the tests compare the two.

In the shapes, N is rows, F features, P periods, H horizons (as many as periods) and S steps of the quadrature.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pipeline.models.basis import KNOTS, MIN_LOGGED
from pipeline.models.hazard import HazardModel, quadrature
from pipeline.outcomes.periods import HORIZONS

OPSET = 17
IR_VERSION = 8


class _Graph:
    """Collects nodes and constants."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, values: np.ndarray) -> None:
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))

    def add(self, operation: str, inputs: list[str], *outputs: str, **attributes) -> None:
        self.nodes.append(helper.make_node(operation, inputs, list(outputs), name=outputs[0], **attributes))


def onnx_model(model: HazardModel) -> onnx.ModelProto:
    """Return the graph: features [N,F], species [N] -> survival, baseline [N,H], contributions [N,H,F]."""
    count = len(model.knots.start)
    horizons = len(HORIZONS)
    graph = _Graph()
    _feature_logits(graph, model)
    _survival(graph, model)
    _contributions(graph, periods=horizons)
    definition = helper.make_graph(
        graph.nodes,
        "survival",
        [
            helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", count]),
            helper.make_tensor_value_info("species", TensorProto.INT64, ["N"]),
        ],
        [
            helper.make_tensor_value_info("survival", TensorProto.FLOAT, ["N", horizons]),
            helper.make_tensor_value_info("baseline", TensorProto.FLOAT, ["N", horizons]),
            helper.make_tensor_value_info("contributions", TensorProto.FLOAT, ["N", horizons, count]),
        ],
        graph.constants,
    )
    proto = helper.make_model(
        definition, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="nurselog"
    )
    onnx.checker.check_model(proto, full_check=True)
    return proto


def write_onnx(model: HazardModel, path: Path) -> None:
    """Write the graph; its bytes depend on the model alone."""
    path.write_bytes(onnx_model(model).SerializeToString(deterministic=True))


def _feature_logits(graph: _Graph, model: HazardModel) -> None:
    """Add `logits` [P, F, N], linear between the two nearest knots."""
    count, periods = model.curves.shape[1], model.curves.shape[3]
    graph.constant("knot_start", model.knots.start.reshape(-1, 1))
    graph.constant("knot_step", model.knots.step.reshape(-1, 1))
    graph.constant("logarithmic", model.knots.logarithmic.reshape(-1, 1))
    graph.constant("smallest_logged", MIN_LOGGED)
    graph.constant("zero", np.float32(0))
    graph.constant("last_knot", np.float32(KNOTS - 1))
    graph.constant("last_interval", np.float32(KNOTS - 2))
    graph.constant("species_stride", np.int64(count * KNOTS))
    graph.constant("feature_offset", np.arange(count, dtype=np.int64).reshape(-1, 1) * KNOTS)
    graph.add("Transpose", ["features"], "values", perm=[1, 0])
    graph.add("Max", ["values", "smallest_logged"], "positive")
    graph.add("Log", ["positive"], "logarithm")
    graph.add("Where", ["logarithmic", "logarithm", "values"], "scaled")
    graph.add("Sub", ["scaled", "knot_start"], "above_start")
    graph.add("Div", ["above_start", "knot_step"], "unclipped")
    graph.add("Clip", ["unclipped", "zero", "last_knot"], "position")
    graph.add("Floor", ["position"], "floor")
    graph.add("Min", ["floor", "last_interval"], "interval")
    graph.add("Sub", ["position", "interval"], "fraction")
    graph.add("Cast", ["interval"], "interval_index", to=TensorProto.INT64)
    graph.add("Mul", ["species", "species_stride"], "species_start")
    graph.add("Add", ["interval_index", "feature_offset"], "feature_entry")
    graph.add("Add", ["feature_entry", "species_start"], "entry")
    # One Gather of the rows [values, rises] of all periods and one Transpose is much faster than one Gather a period.
    rises = np.diff(model.curves, axis=2, append=model.curves[:, :, -1:])
    table = np.concatenate([model.curves, rises], axis=3).astype(np.float32)
    graph.constant("table", table.reshape(-1, 2 * periods))
    graph.add("Gather", ["table", "entry"], "rows", axis=0)
    graph.add("Transpose", ["rows"], "columns", perm=[2, 0, 1])
    graph.add("Split", ["columns"], "at_knot", "rise", axis=0)
    graph.add("Mul", ["rise", "fraction"], "risen")
    graph.add("Add", ["at_knot", "risen"], "logits")


def _survival(graph: _Graph, model: HazardModel) -> None:
    """Add `survival` and `baseline` [N, H], and by step `hazard` [P, S, N] and `alive` [H, S, N]."""
    periods = model.intercepts.shape[1]
    # Step 0 is the average site, the last step the site itself; between them are the quadrature nodes.
    steps = np.concatenate([[0.0], quadrature()[0], [1.0]]).astype(np.float32)
    graph.constant("steps", steps.reshape(-1, 1))
    graph.constant("intercepts", model.intercepts.T.astype(np.float32)[:, np.newaxis])
    graph.constant("one", np.float32(1))
    graph.constant("axis_1", np.array([1], dtype=np.int64))
    graph.constant("first_step", np.int64(0))
    graph.constant("last_step", np.int64(len(steps) - 1))
    graph.add("ReduceSum", ["logits", "axis_1"], "total", keepdims=1)
    graph.add("Mul", ["total", "steps"], "way")
    graph.add("Gather", ["intercepts", "species"], "start", axis=2)
    graph.add("Add", ["way", "start"], "predictor")
    graph.add("Sigmoid", ["predictor"], "hazard")
    graph.add("Sub", ["one", "hazard"], "lives")
    graph.add("Split", ["lives"], *(f"lives_{period}" for period in range(periods)), axis=0)
    alive = ["lives_0"]
    for period in range(1, periods):
        graph.add("Mul", [alive[-1], f"lives_{period}"], f"alive_{period}")
        alive.append(f"alive_{period}")
    graph.add("Concat", alive, "alive", axis=0)
    for output, step in (("baseline", "first_step"), ("survival", "last_step")):
        graph.add("Gather", ["alive", step], f"{output}_by_horizon", axis=1)
        graph.add("Transpose", [f"{output}_by_horizon"], output, perm=[1, 0])


def _contributions(graph: _Graph, periods: int) -> None:
    """Add `contributions` [N, H, F]: minus the integral of alive(horizon) * hazard(period) times the logits of the
    periods up to the horizon."""
    weights = quadrature()[1]
    step_weights = np.concatenate([[0.0], -weights, [0.0]]).astype(np.float32)
    graph.constant("step_weights", step_weights.reshape(1, -1))
    graph.constant("until_horizon", np.tri(periods, dtype=np.float32).reshape(periods, periods, 1, 1))
    graph.add("Unsqueeze", ["alive", "axis_1"], "alive_column")
    graph.add("Mul", ["alive_column", "hazard"], "loss")
    graph.add("MatMul", ["step_weights", "loss"], "period_weight")
    graph.add("Mul", ["period_weight", "until_horizon"], "weight")
    graph.add("Mul", ["logits", "weight"], "terms")
    graph.add("ReduceSum", ["terms", "axis_1"], "by_horizon", keepdims=0)
    graph.add("Transpose", ["by_horizon"], "contributions", perm=[2, 0, 1])
