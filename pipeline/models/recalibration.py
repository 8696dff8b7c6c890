"""Recalibration of models: a line on the logit of each period's hazard, as a file and applied to the graphs.

A line on the hazards keeps what the service needs of a graph: survival that never rises with the horizon, and
contributions that add up to survival minus baseline. In the graphs of this pipeline the logit of a hazard is a level of
the species plus a curve per feature, so the line changes constants only.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from scipy.special import expit, logit

from pipeline.models.artefacts import ModelsError, check_methods, read_object
from pipeline.outcomes.periods import HORIZONS

FORMAT = "nurselog-recalibration/1"
SMALLEST_HAZARD = 1e-6
RANGES = {"intercept": (-1000, 1000), "slope": (0.001, 1000)}
"""Beyond what any line of `evaluate` has, and within what the float32 of the graphs can hold."""
SCORES = {"auc": (0, 1), "brier": (0, 1), "calibration_slope": (-1e6, 1e6), "expected_calibration_error": (0, 1)}
"""The scores of a method and horizon in a manifest, with their ranges; null where one cannot be estimated."""


@dataclass(frozen=True)
class Lines:
    """Intercept and slope [periods] on the logits of the hazards; 0 and 1 change nothing."""

    intercept: np.ndarray
    slope: np.ndarray

    @property
    def changes(self) -> np.ndarray:
        """Whether a line changes hazards, bool [periods]."""
        return (self.intercept != 0) | (self.slope != 1)

    def survival(self, survival: np.ndarray) -> np.ndarray:
        """Return recalibrated survival [rows, horizons]."""
        return np.cumprod(1 - expit(self.intercept + self.slope * hazard_logits(survival)), axis=1)


def hazard_logits(survival: np.ndarray) -> np.ndarray:
    """Return the logits of the hazards [rows, periods] of survival [rows, horizons]."""
    survival = np.maximum(survival.astype(np.float64), np.finfo(np.float32).tiny)
    lives = survival / np.column_stack([np.ones(len(survival)), survival[:, :-1]])
    return logit(np.clip(1 - lives, SMALLEST_HAZARD, 1 - SMALLEST_HAZARD))


def recalibrated_graph(path: Path, lines: Lines) -> onnx.ModelProto:
    """Return a graph of this pipeline with its hazards recalibrated; ModelsError for a graph of another kind."""
    proto = onnx.load(path)
    constants = {constant.name: constant for constant in proto.graph.initializer}
    periods = len(HORIZONS)
    table, intercepts, practice = (
        numpy_helper.to_array(constants[name]) if name in constants else None
        for name in ("table", "intercepts", "practice_slopes")
    )
    known = all(values is not None for values in (table, intercepts, practice))
    if not known or table.shape[1:] != (2 * periods,) or not len(intercepts) == len(practice) == periods:
        raise ModelsError(f"{path}: is not a graph that this pipeline wrote, so its hazards cannot be recalibrated")
    # Columns of the table are values at the knots of each period, then their rises to the next knot.
    scaled = table * np.tile(lines.slope, 2)
    column = (periods, 1, 1)
    shifted = lines.intercept.reshape(column) + intercepts * lines.slope.reshape(column)
    steeper = practice * lines.slope.reshape(column)
    for name, values in (("table", scaled), ("intercepts", shifted), ("practice_slopes", steeper)):
        constants[name].CopyFrom(numpy_helper.from_array(values.astype(np.float32), name))
    return proto


def read_recalibration(path: Path) -> tuple[dict, dict[str, Lines]]:
    """Return the content of a recalibration file and the lines of each method; ModelsError names the invalid value."""
    content = read_object(path, FORMAT)
    check_methods(path, content.get("methods"))
    methods = {method: _lines(path, method, entries) for method, entries in content["methods"].items()}
    parts = (("models", dict), ("outcomes", dict), ("scores", list))
    given = all(isinstance(content.get(name), kind) for name, kind in parts)
    if not given or not all(isinstance(content["outcomes"].get(name), str) for name in ("file", "sha256")):
        raise ModelsError(f"{path}: must have models, outcomes and scores, as evaluate writes them")
    _check_scores(path, content["scores"], list(methods))
    return content, methods


def _check_scores(path: Path, scores: list, methods: list[str]) -> None:
    """Raise ModelsError unless there is an entry for each method and horizon, with scores in their ranges or null."""
    wanted = [(method, horizon) for method in methods for horizon in HORIZONS]
    found = [(entry.get("planting_method"), entry.get("horizon_years")) for entry in scores if isinstance(entry, dict)]
    if len(scores) != len(wanted) or sorted(map(repr, found)) != sorted(map(repr, wanted)):
        raise ModelsError(f"{path}: scores must have an entry for each horizon of {' and '.join(methods)}")
    for entry in scores:
        for name, (low, high) in SCORES.items():
            if name not in entry or not (entry[name] is None or _is_number(entry[name], low, high)):
                raise ModelsError(
                    f"{path}: {name} in scores must be from {low:g} to {high:g}, or null, not {entry.get(name)!r}"
                )


def _lines(path: Path, method: str, entries: object) -> Lines:
    try:
        horizons = [entry["horizon_years"] for entry in entries]
        numbers = {name: [entry[name] for entry in entries] for name in RANGES}
    except (TypeError, KeyError) as error:
        raise ModelsError(f"{path}: {method} must have horizon_years, intercept and slope a period") from error
    if horizons != list(HORIZONS):
        raise ModelsError(f"{path}: horizon_years of {method} must be {list(HORIZONS)}, not {horizons}")
    for name, (low, high) in RANGES.items():
        for number in numbers[name]:
            if not _is_number(number, low, high):
                raise ModelsError(
                    f"{path}: {name} of {method} must be a number from {low:g} to {high:g}, not {number!r}"
                )
    return Lines(*(np.array(numbers[name], dtype=np.float64) for name in RANGES))


def _is_number(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
