"""The exported graphs, run as the service runs them."""

from pathlib import Path

import numpy as np
import onnxruntime as ort

from pipeline.models.features import INPUT_NAMES, with_practice


class GraphModel:
    """An ONNX graph of the model contract, on one thread."""

    def __init__(self, path: Path):
        self.session = _session(path)

    def run(self, features: np.ndarray, species: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return survival and baseline [rows, horizons] and contributions [rows, horizons, inputs], float32.

        Features are those of the grid, for the default practice, or all inputs.
        """
        inputs = {"features": with_practice(features), "species": species.astype(np.int64)}
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
        exact = np.zeros((len(features), len(INPUT_NAMES) - errors.shape[1]), dtype=np.float32)
        inputs = {
            "features": with_practice(features),
            "species": species.astype(np.int64),
            "errors": np.column_stack([errors, exact]).astype(np.float32),
        }
        return self.session.run(["draws"], inputs)[0]


def _session(path: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
