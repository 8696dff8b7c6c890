"""Write a hazard model as one ONNX graph that meets the contract of the service.

The graph is a table look-up: equally spaced knots make the interval a division, one Gather brings the logits of every
feature, and the rest is elementwise on [rows, features] or smaller. Contributions are integrated in the graph with the
same quadrature as `HazardModel.contributions`, which the tests hold it to.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pipeline.hazard_basis import KNOTS, SMALLEST_LOGGED
from pipeline.hazard_features import HORIZONS
from pipeline.hazard_model import HazardModel, quadrature

OPSET = 17
IR_VERSION = 8


class _Graph:
    """Collects nodes and constants; each operation returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, values: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def add(self, operation: str, inputs: list[str], output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(operation, inputs, [output], name=output, **attributes))
        return output


def onnx_model(model: HazardModel) -> onnx.ModelProto:
    """Return the graph: features [N,F], species [N] -> survival, baseline [N,H], contributions [N,H,F]."""
    count = len(model.knots.start)
    horizons = len(HORIZONS)
    graph = _Graph()
    logits = _feature_logits(graph, model)
    _survival(graph, model, logits)
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
    """Write the graph; the bytes depend on the model alone."""
    path.write_bytes(onnx_model(model).SerializeToString(deterministic=True))


def _feature_logits(graph: _Graph, model: HazardModel) -> list[str]:
    """Return the logits [N, F] of each period, linear between the two nearest knots."""
    count, periods = model.curves.shape[1], model.curves.shape[3]
    graph.constant("knot_start", model.knots.start)
    graph.constant("knot_step", model.knots.step)
    graph.constant("zero", np.float32(0))
    graph.constant("last_knot", np.float32(KNOTS - 1))
    graph.constant("last_interval", np.float32(KNOTS - 2))
    graph.constant("species_stride", np.int64(count * KNOTS))
    graph.constant("feature_offset", np.arange(count, dtype=np.int64) * KNOTS)
    graph.constant("axis_1", np.array([1], dtype=np.int64))
    graph.constant("logarithmic", model.knots.logarithmic)
    graph.constant("smallest_logged", SMALLEST_LOGGED)
    graph.add("Max", ["features", "smallest_logged"], "positive")
    graph.add("Log", ["positive"], "logarithm")
    graph.add("Where", ["logarithmic", "logarithm", "features"], "scaled")
    graph.add("Sub", ["scaled", "knot_start"], "above_start")
    graph.add("Div", ["above_start", "knot_step"], "unclipped")
    graph.add("Clip", ["unclipped", "zero", "last_knot"], "position")
    graph.add("Floor", ["position"], "floor")
    graph.add("Min", ["floor", "last_interval"], "interval")
    graph.add("Sub", ["position", "interval"], "fraction")
    graph.add("Cast", ["interval"], "interval_index", to=TensorProto.INT64)
    graph.add("Mul", ["species", "species_stride"], "species_start")
    graph.add("Unsqueeze", ["species_start", "axis_1"], "species_start_column")
    graph.add("Add", ["interval_index", "feature_offset"], "feature_row")
    graph.add("Add", ["feature_row", "species_start_column"], "entry")
    # One Gather of the rows [values, rises] of all periods and one Transpose beat a Gather for each by far.
    rises = np.diff(model.curves, axis=2, append=model.curves[:, :, -1:])
    table = np.concatenate([model.curves, rises], axis=3).astype(np.float32)
    values, rises = ([f"{part}_{period}" for period in range(periods)] for part in ("value", "rise"))
    graph.constant("table", table.reshape(-1, 2 * periods))
    graph.constant("axis_0", np.array([0], dtype=np.int64))
    graph.add("Gather", ["table", "entry"], "rows", axis=0)
    graph.add("Transpose", ["rows"], "by_column", perm=[2, 0, 1])
    columns = [f"column_{name}" for name in values + rises]
    graph.nodes.append(helper.make_node("Split", ["by_column"], columns, name="columns", axis=0))
    for name in values + rises:
        graph.add("Squeeze", [f"column_{name}", "axis_0"], name)
    for period in range(periods):
        graph.add("Mul", [f"rise_{period}", "fraction"], f"risen_{period}")
        graph.add("Add", [f"value_{period}", f"risen_{period}"], f"logits_{period}")
    return [f"logits_{period}" for period in range(periods)]


def _survival(graph: _Graph, model: HazardModel, logits: list[str]) -> None:
    """Add the three outputs from each period's feature logits [N, F]; everything by step is [N, steps]."""
    count, periods = model.curves.shape[1], model.curves.shape[3]
    nodes, weights = quadrature()
    # Step 0 is the average site and the last one the site itself; between them lie the quadrature nodes.
    steps = np.concatenate([[0.0], nodes, [1.0]]).astype(np.float32)
    graph.constant("ones", np.ones((count, 1), dtype=np.float32))
    graph.constant("steps", steps.reshape(1, -1))
    graph.constant("one", np.float32(1))
    graph.constant("step_weights", np.concatenate([[0.0], -weights, [0.0]]).astype(np.float32).reshape(-1, 1))
    graph.constant("first_step", np.array([0], dtype=np.int64))
    graph.constant("last_step", np.array([len(steps) - 1], dtype=np.int64))
    alive = ""
    for period in range(periods):
        graph.constant(f"intercepts_{period}", model.intercepts[:, period : period + 1].astype(np.float32))
        graph.add("Gather", [f"intercepts_{period}", "species"], f"start_{period}", axis=0)
        graph.add("MatMul", [logits[period], "ones"], f"total_{period}")
        graph.add("MatMul", [f"total_{period}", "steps"], f"way_{period}")
        graph.add("Add", [f"way_{period}", f"start_{period}"], f"predictor_{period}")
        graph.add("Sigmoid", [f"predictor_{period}"], f"hazard_{period}")
        graph.add("Sub", ["one", f"hazard_{period}"], f"lives_{period}")
        alive = graph.add("Mul", [alive, f"lives_{period}"], f"alive_{period}") if period else "lives_0"
        graph.add("Gather", [alive, "first_step"], f"baseline_{period}", axis=1)
        graph.add("Gather", [alive, "last_step"], f"survival_{period}", axis=1)
        graph.add("Unsqueeze", [_horizon_contributions(graph, logits, alive, period), "axis_1"], f"of_horizon_{period}")
    for output, part in (("baseline", "baseline"), ("survival", "survival"), ("contributions", "of_horizon")):
        graph.add("Concat", [f"{part}_{period}" for period in range(periods)], output, axis=1)


def _horizon_contributions(graph: _Graph, logits: list[str], alive: str, horizon: int) -> str:
    """Return [N, F]: minus the integral of alive(horizon) * hazard(period) times the logits, summed by period."""
    summed = ""
    for period in range(horizon + 1):
        pair = f"{horizon}_{period}"
        graph.add("Mul", [alive, f"hazard_{period}"], f"loss_{pair}")
        graph.add("MatMul", [f"loss_{pair}", "step_weights"], f"weight_{pair}")
        term = graph.add("Mul", [logits[period], f"weight_{pair}"], f"term_{pair}")
        summed = graph.add("Add", [summed, term], f"summed_{pair}") if period else term
    return summed
