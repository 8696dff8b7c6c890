"""Build ONNX graphs whose first part is a table look-up of piecewise-linear curves.

With equally spaced knots the interval is a division, one Gather reads the values of every feature, and the rest is
elementwise. Rows are the last axis, so that elementwise operations run over long vectors.

In the shapes, N is rows, F features of the grid, L practices with a slope (`LINEAR_PRACTICES`) and C columns, the
number of curves of a species and feature. Inputs are the features of the grid, the L practices, and the seeds of a
spot.
"""

from collections.abc import Callable
from itertools import groupby

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pipeline.models.basis import KNOTS, MIN_LOGGED, Knots
from pipeline.outcomes.practice import DEFAULTS, LINEAR_PRACTICES

OPSET = 17
IR_VERSION = 8


class GraphBuilder:
    """Collects nodes and constants."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, values: np.ndarray) -> None:
        """Add a constant tensor."""
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))

    def add(self, operation: str, inputs: list[str], *outputs: str, **attributes) -> None:
        """Add a node; it has the name of its first output."""
        self.nodes.append(helper.make_node(operation, inputs, list(outputs), name=outputs[0], **attributes))

    def body(self, name: str, outputs: list, inputs: list = ()) -> onnx.GraphProto:
        """Return the graph with these inputs and outputs: (name, element type, shape) each."""
        return helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info(*value) for value in inputs],
            [helper.make_tensor_value_info(*value) for value in outputs],
            self.constants,
        )

    def model(self, name: str, inputs: list, outputs: list) -> onnx.ModelProto:
        """Return the checked model with these inputs and outputs: (name, element type, shape) each."""
        definition = self.body(name, outputs, inputs)
        proto = helper.make_model(
            definition, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="nurselog"
        )
        onnx.checker.check_model(proto, full_check=True)
        return proto


def add_curves(graph: GraphBuilder, knots: Knots, curves: np.ndarray) -> None:
    """Add the values `logits` [C, F, N] of curves [species, F, knots, C], linear between the two nearest knots.

    Also `rise` [C, F, N], the change over the interval, and `practice` [L, N] and `seeds` [1, N] of the inputs.
    """
    count, columns = curves.shape[1], curves.shape[3]
    graph.constant("kinds", np.array([count, len(LINEAR_PRACTICES), 1], dtype=np.int64))
    graph.constant("knot_start", knots.start.reshape(-1, 1))
    graph.constant("knot_step", knots.step.reshape(-1, 1))
    graph.constant("smallest_logged", MIN_LOGGED)
    graph.constant("zero", np.float32(0))
    graph.constant("last_knot", np.float32(KNOTS - 1))
    graph.constant("last_interval", np.float32(KNOTS - 2))
    graph.constant("species_stride", np.int64(count * KNOTS))
    graph.constant("feature_offset", np.arange(count, dtype=np.int64).reshape(-1, 1) * KNOTS)
    graph.add("Transpose", ["features"], "inputs", perm=[1, 0])
    graph.add("Split", ["inputs", "kinds"], "values", "practice", "seeds", axis=0)
    add_on_logged_rows(graph, knots, "values", "scaled", logarithms_of_values)
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
    # One Gather of the rows [values, rises] of all columns and one Transpose are much faster than a Gather per column.
    rises = np.diff(curves, axis=2, append=curves[:, :, -1:])
    table = np.concatenate([curves, rises], axis=3).astype(np.float32)
    graph.constant("table", table.reshape(-1, 2 * columns))
    graph.add("Gather", ["table", "entry"], "rows", axis=0)
    graph.add("Transpose", ["rows"], "columns", perm=[2, 0, 1])
    graph.add("Split", ["columns"], "at_knot", "rise", axis=0)
    graph.add("Mul", ["rise", "fraction"], "risen")
    graph.add("Add", ["at_knot", "risen"], "curve_logits")


def add_on_logged_rows(
    graph: GraphBuilder, knots: Knots, values: str, result: str, of_rows: Callable[[GraphBuilder, str, str], None]
) -> None:
    """Add `result` [F, N]: `values` [F, N], in the rows of logarithmic features what `of_rows` adds of them.

    Few features have logarithms, which take long.
    """
    runs = [(is_logged, len(list(run))) for is_logged, run in groupby(knots.logarithmic.tolist())]
    if not knots.logarithmic.any():
        graph.add("Identity", [values], result)
        return
    graph.constant(f"{result}_runs", np.array([length for _, length in runs], dtype=np.int64))
    parts = [f"{result}_of_{index}" for index in range(len(runs))]
    graph.add("Split", [values, f"{result}_runs"], *parts, axis=0)
    for index, (is_logged, _) in enumerate(runs):
        if is_logged:
            of_rows(graph, parts[index], f"{parts[index]}_logged")
            parts[index] += "_logged"
    graph.add("Concat", parts, result, axis=0)


def logarithms_of_values(graph: GraphBuilder, rows: str, result: str) -> None:
    """Add the logarithms of rows of values."""
    graph.add("Max", [rows, "smallest_logged"], f"{result}_positive")
    graph.add("Log", [f"{result}_positive"], result)


def add_practice(graph: GraphBuilder, slopes: np.ndarray) -> None:
    """Add `departures` [L, N] from the default practice and `practice_logits` [P, L, N], for slopes [species, L, P]."""
    graph.constant("practice_slopes", np.transpose(slopes, (2, 1, 0)).astype(np.float32))
    graph.constant("default_practice", DEFAULTS[: len(LINEAR_PRACTICES)].reshape(-1, 1))
    graph.add("Sub", ["practice", "default_practice"], "departures")
    graph.add("Gather", ["practice_slopes", "species"], "slopes", axis=2)
    graph.add("Mul", ["slopes", "departures"], "practice_logits")


def add_survival_of_seeds(graph: GraphBuilder, usual: str, result: str, shape: list, rows: tuple[int, ...]) -> None:
    """Add `result`: survival `usual`, both of `shape`, for the seeds of each spot; `one` is a constant of the graph.

    A spot with r times the default seeds is dead with the r-th power of the chance, and one with the default seeds
    survives as `usual`, to the last bit. `rows` is the shape of a number a row that broadcasts to `shape`. Powers take
    longer than all else, so none is taken if all spots have the default seeds.
    """
    graph.constant("default_seeds", np.float32(DEFAULTS[-1]))
    graph.constant("shape_of_rows", np.array(rows, dtype=np.int64))
    graph.add("Reshape", ["seeds", "shape_of_rows"], "seeds_by_row")
    graph.add("Div", ["seeds_by_row", "default_seeds"], "seed_ratio")
    graph.add("Equal", ["seeds_by_row", "default_seeds"], "is_usual")
    graph.add("Cast", ["is_usual"], "usual_number", to=TensorProto.INT32)
    graph.add("ReduceMin", ["usual_number"], "least_usual_number", keepdims=0)
    graph.add("Cast", ["least_usual_number"], "all_usual", to=TensorProto.BOOL)
    same, other = GraphBuilder(), GraphBuilder()
    same.add("Identity", [usual], "same_survival")
    other.add("Sub", ["one", usual], "usual_death")
    other.add("Pow", ["usual_death", "seed_ratio"], "death")
    other.add("Sub", ["one", "death"], "unusual")
    other.add("Where", ["is_usual", usual, "unusual"], "other_survival")
    graph.add(
        "If",
        ["all_usual"],
        result,
        then_branch=same.body("same", [("same_survival", TensorProto.FLOAT, shape)]),
        else_branch=other.body("other", [("other_survival", TensorProto.FLOAT, shape)]),
    )
