"""The exported graphs, run as the service runs them."""

from pathlib import Path

import numpy as np
import onnxruntime as ort

from pipeline.models.features import FEATURE_NAMES, with_practice


class GraphModel:
    """An ONNX graph of the model contract, on one thread."""

    def __init__(self, path: Path):
        self.session = _session(path)

    def run(self, features: np.ndarray, species: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return survival and baseline [rows, horizons] and contributions [rows, horizons, inputs], float32.

        Features are those of the grid, for the default practice, or all inputs.
        """
        inputs = {"features": _inputs(self.session, features), "species": species.astype(np.int64)}
        return tuple(self.session.run(["survival", "baseline", "contributions"], inputs))

    def survival(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return survival [rows, horizons]."""
        return self.run(features, species)[0]

    def contributions(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return contributions [rows, horizons, features]."""
        return self.run(features, species)[2]


class IntervalGraph:
    """An interval graph of the model contract, on one thread."""

    def __init__(self, path: Path):
        self.session = _session(path)

    def draws(self, features: np.ndarray, species: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Return survival [rows, horizons, draws], float32, for features and their standard errors [rows, features]."""
        values = _inputs(self.session, features)
        exact = np.zeros((len(values), values.shape[1] - errors.shape[1]), dtype=np.float32)
        inputs = {
            "features": values,
            "species": species.astype(np.int64),
            "errors": np.column_stack([errors, exact]).astype(np.float32),
        }
        return self.session.run(["draws"], inputs)[0]


def _inputs(session: ort.InferenceSession, features: np.ndarray) -> np.ndarray:
    """Return the inputs float32 [rows, inputs] of a graph: with the default practice if only that is missing."""
    (width,) = (each.shape[1] for each in session.get_inputs() if each.name == "features")
    is_of_grid = features.shape[1] == len(FEATURE_NAMES)
    return with_practice(features) if is_of_grid and width != len(FEATURE_NAMES) else features.astype(np.float32)


def _session(path: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
