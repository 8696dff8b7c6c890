"""Write a hazard model as one ONNX graph that meets the contract of the service.

Contributions are integrated as in `HazardModel.contributions`, with the same quadrature, whose error is shared out over
the features in the same way; the tests compare the two.

In the shapes, N is rows, I inputs (features of the grid, then practices), P periods, H horizons (as many as periods)
and S steps of the quadrature.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from pipeline.models.features import INPUT_NAMES
from pipeline.models.graph_builder import GraphBuilder, add_curves, add_practice, add_survival_of_seeds
from pipeline.models.hazard import SMALLEST_TOTAL, HazardModel, quadrature
from pipeline.outcomes.periods import HORIZONS


def onnx_model(model: HazardModel) -> onnx.ModelProto:
    """Return the graph: features [N,I], species [N] -> survival, baseline [N,H], contributions [N,H,I]."""
    count = len(INPUT_NAMES)
    horizons = len(HORIZONS)
    graph = GraphBuilder()
    add_curves(graph, model.knots, model.curves)
    add_practice(graph, model.practice)
    graph.add("Concat", ["curve_logits", "practice_logits"], "logits", axis=1)
    _survival(graph, model)
    _contributions(graph, periods=horizons)
    _seeds(graph, model.sown)
    return graph.model(
        "survival",
        [("features", TensorProto.FLOAT, ["N", count]), ("species", TensorProto.INT64, ["N"])],
        [
            ("survival", TensorProto.FLOAT, ["N", horizons]),
            ("baseline", TensorProto.FLOAT, ["N", horizons]),
            ("contributions", TensorProto.FLOAT, ["N", horizons, count]),
        ],
    )


def write_onnx(model: HazardModel, path: Path) -> None:
    """Write the graph; its bytes depend on the model alone."""
    path.write_bytes(onnx_model(model).SerializeToString(deterministic=True))


def _survival(graph: GraphBuilder, model: HazardModel) -> None:
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
    for output, step in (("baseline", "first_step"), ("usual_survival", "last_step")):
        graph.add("Gather", ["alive", step], f"{output}_by_horizon", axis=1)
    graph.add("Transpose", ["baseline_by_horizon"], "baseline", perm=[1, 0])


def _contributions(graph: GraphBuilder, periods: int) -> None:
    """Add `shared` [H, I - 1, N], contributions without those of the seeds.

    They are minus the integral of alive(horizon) * hazard(period) times the logits of the periods up to the horizon,
    plus a share of the quadrature's error in proportion to its magnitude.
    """
    weights = quadrature()[1]
    step_weights = np.concatenate([[0.0], -weights, [0.0]]).astype(np.float32)
    graph.constant("step_weights", step_weights.reshape(1, -1))
    graph.constant("until_horizon", np.tri(periods, dtype=np.float32).reshape(periods, periods, 1, 1))
    graph.add("Unsqueeze", ["alive", "axis_1"], "alive_column")
    graph.add("Mul", ["alive_column", "hazard"], "loss")
    graph.add("MatMul", ["step_weights", "loss"], "period_weight")
    graph.add("Mul", ["period_weight", "until_horizon"], "weight")
    graph.add("Mul", ["logits", "weight"], "terms")
    graph.add("ReduceSum", ["terms", "axis_1"], "integrals", keepdims=0)
    graph.constant("smallest_total", SMALLEST_TOTAL)
    # [1, S]: survival less baseline.
    graph.constant("last_less_first", np.array([[-1, *np.zeros_like(weights), 1]], dtype=np.float32))
    graph.add("MatMul", ["last_less_first", "alive"], "change")
    graph.add("ReduceSum", ["integrals", "axis_1"], "integrated", keepdims=1)
    graph.add("Sub", ["change", "integrated"], "error")
    graph.add("Abs", ["integrals"], "magnitudes")
    graph.add("ReduceSum", ["magnitudes", "axis_1"], "total_magnitude", keepdims=1)
    graph.add("Max", ["total_magnitude", "smallest_total"], "divisor")
    graph.add("Div", ["error", "divisor"], "error_share")
    graph.add("Mul", ["magnitudes", "error_share"], "corrections")
    graph.add("Add", ["integrals", "corrections"], "shared")


def _seeds(graph: GraphBuilder, sown: bool) -> None:
    """Add `survival` [N, H] and `contributions` [N, H, I] with the seeds of a spot, which planting does not have."""
    survival = "usual_survival_by_horizon"
    if sown:
        add_survival_of_seeds(graph, survival, "survival_by_horizon", [len(HORIZONS), "N"], (1, -1))
        survival = "survival_by_horizon"
    graph.add("Sub", [survival, "usual_survival_by_horizon"], "by_seeds")
    graph.add("Unsqueeze", ["by_seeds", "axis_1"], "by_seeds_column")
    graph.add("Concat", ["shared", "by_seeds_column"], "by_horizon", axis=1)
    graph.add("Transpose", [survival], "survival", perm=[1, 0])
    graph.add("Transpose", ["by_horizon"], "contributions", perm=[2, 0, 1])
