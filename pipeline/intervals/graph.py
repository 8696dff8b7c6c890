"""Write an interval model as an ONNX graph; `IntervalModel.draws` is the definition, the tests compare the two.

In the shapes, N is rows, I inputs, P periods, H horizons (as many as periods) and D draws.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from pipeline.intervals.model import DRAWS, IntervalModel, normal_scores
from pipeline.models.basis import Knots
from pipeline.models.features import INPUT_NAMES
from pipeline.models.graph_builder import (
    GraphBuilder,
    add_curves,
    add_on_logged_rows,
    add_practice,
    add_survival_of_seeds,
)
from pipeline.outcomes.periods import HORIZONS


def interval_graph(model: IntervalModel) -> onnx.ModelProto:
    """Return the graph: features [N,I], species [N], errors [N,I] -> draws [N,H,D], survival."""
    count, periods = len(INPUT_NAMES), len(HORIZONS)
    graph = GraphBuilder()
    add_curves(graph, model.knots, model.curves)
    add_practice(graph, model.practice)
    graph.constant("one", np.float32(1))
    graph.constant("axis_1", np.array([1], dtype=np.int64))
    graph.constant("intercepts", model.intercepts.T.astype(np.float32)[:, np.newaxis])
    graph.add("ReduceSum", ["curve_logits", "axis_1"], "sums", keepdims=1)
    graph.add("Gather", ["intercepts", "species"], "levels", axis=2)
    graph.add("Add", ["sums", "levels"], "predicted")
    graph.constant("parts", np.array([periods, periods, 1], dtype=np.int64))
    graph.add("Split", ["predicted", "parts"], "usual_mean", "log_variance", "correlation_of_worlds", axis=0)
    graph.add("ReduceSum", ["practice_logits", "axis_1"], "by_practice", keepdims=1)
    graph.add("Add", ["usual_mean", "by_practice"], "mean")
    _input_variance(graph, model)
    _directions(graph, model)
    _draws(graph, periods, model.sown)
    return graph.model(
        "intervals",
        [
            ("features", TensorProto.FLOAT, ["N", count]),
            ("species", TensorProto.INT64, ["N"]),
            ("errors", TensorProto.FLOAT, ["N", count]),
        ],
        [("draws", TensorProto.FLOAT, ["N", periods, DRAWS])],
    )


def write_interval_graph(model: IntervalModel, path: Path) -> None:
    """Write the graph; its bytes depend on the model alone."""
    path.write_bytes(interval_graph(model).SerializeToString(deterministic=True))


def _input_variance(graph: GraphBuilder, model: IntervalModel) -> None:
    """Add `input_variance` [P, 1, N]: squared slopes times errors of the grid's features, and the practice's."""
    periods = len(HORIZONS)
    graph.constant("rises_of", np.array([periods, periods + 1], dtype=np.int64))
    graph.add("Split", ["rise", "rises_of"], "mean_rise", "other_rise", axis=0)
    graph.add("Transpose", ["errors"], "errors_by_input", perm=[1, 0])
    graph.add("Split", ["errors_by_input", "kinds"], "errors_by_feature", "no_errors", "no_seed_errors", axis=0)
    graph.add("Div", ["errors_by_feature", "knot_step"], "error_in_steps")
    add_on_logged_rows(graph, model.knots, "error_in_steps", "error_in_intervals", _relative_to_values(model.knots))
    graph.add("Mul", ["mean_rise", "error_in_intervals"], "logit_error")
    graph.add("Mul", ["logit_error", "logit_error"], "squared_logit_error")
    graph.add("ReduceSum", ["squared_logit_error", "axis_1"], "feature_variance", keepdims=1)
    variances = np.transpose(model.practice_variance, (2, 1, 0)).astype(np.float32)
    graph.constant("practice_variances", variances)
    graph.add("Gather", ["practice_variances", "species"], "slope_variances", axis=2)
    graph.add("Mul", ["departures", "departures"], "squared_departures")
    graph.add("Mul", ["slope_variances", "squared_departures"], "effect_variances")
    graph.add("ReduceSum", ["effect_variances", "axis_1"], "practice_variance", keepdims=1)
    graph.add("Add", ["feature_variance", "practice_variance"], "input_variance")


def _relative_to_values(knots: Knots):
    """Return a function that adds the division of rows of errors by the values of the logarithmic features."""
    logged = np.flatnonzero(knots.logarithmic)

    def divide(graph: GraphBuilder, rows: str, result: str) -> None:
        graph.constant("logged_features", logged.astype(np.int64))
        graph.add("Gather", ["values", "logged_features"], "logged_values", axis=0)
        graph.add("Max", ["logged_values", "smallest_logged"], "positive_values")
        graph.add("Div", [rows, "positive_values"], result)

    return divide


def _directions(graph: GraphBuilder, model: IntervalModel) -> None:
    """Add `along` and `across` [P, 1, N]: the standard deviations in the first and in the second normal score."""
    graph.constant("site_variance", np.float32(model.site_variance))
    graph.constant("shared_site_variance", np.float32(model.site_correlation * model.site_variance))
    graph.add("Exp", ["log_variance"], "process_variance")
    graph.add("Add", ["process_variance", "site_variance"], "variance_of_exact_inputs")
    graph.add("Add", ["variance_of_exact_inputs", "input_variance"], "variance")
    graph.add("Clip", ["correlation_of_worlds", "zero", "one"], "process_correlation")
    graph.add("Mul", ["process_variance", "process_correlation"], "shared_process")
    graph.add("Add", ["shared_process", "shared_site_variance"], "shared_of_exact_inputs")
    graph.add("Add", ["shared_of_exact_inputs", "input_variance"], "shared")
    graph.add("Div", ["shared", "variance"], "correlation")
    graph.add("Sqrt", ["variance"], "deviation")
    graph.add("Mul", ["deviation", "correlation"], "along")
    graph.add("Mul", ["correlation", "correlation"], "determination")
    graph.add("Sub", ["one", "determination"], "remainder")
    graph.add("Max", ["remainder", "zero"], "independent_share")
    graph.add("Sqrt", ["independent_share"], "independent_deviation")
    graph.add("Mul", ["deviation", "independent_deviation"], "across")


def _draws(graph: GraphBuilder, periods: int, sown: bool) -> None:
    """Add `draws` [N, H, D]."""
    # Minus the logit of the hazard is the logit of living through the period.
    graph.constant("scores", -np.vstack([np.ones(DRAWS), normal_scores()]).astype(np.float32))
    graph.add("Concat", ["mean", "along", "across"], "parameters", axis=1)
    graph.add("Transpose", ["parameters"], "parameters_by_row", perm=[0, 2, 1])
    graph.add("MatMul", ["parameters_by_row", "scores"], "survival_logit")
    graph.add("Sigmoid", ["survival_logit"], "lives")
    graph.add("Split", ["lives"], *(f"lives_{period}" for period in range(periods)), axis=0)
    alive = ["lives_0"]
    for period in range(1, periods):
        graph.add("Mul", [alive[-1], f"lives_{period}"], f"alive_{period}")
        alive.append(f"alive_{period}")
    for horizon, name in enumerate(alive):
        graph.add("Transpose", [name], f"draws_{horizon}", perm=[1, 0, 2])
    usual = "usual_draws" if sown else "draws"
    graph.add("Concat", [f"draws_{horizon}" for horizon in range(periods)], usual, axis=1)
    if sown:
        add_survival_of_seeds(graph, usual, "draws", ["N", periods, DRAWS], (-1, 1, 1))
