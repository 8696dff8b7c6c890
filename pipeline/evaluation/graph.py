"""The exported graphs, run as the service runs them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime as ort

from pipeline.models.artefacts import ModelsError
from pipeline.models.features import FEATURE_NAMES, INPUT_NAMES, with_practice
from pipeline.outcomes.periods import HORIZONS


class _Graph:
    """A graph on one thread; ModelsError where it cannot be opened or run."""

    def __init__(self, path: Path):
        options = ort.SessionOptions()
        # As in the service, a folder that cannot be: weights in other files have no SHA-256 in the manifest.
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", "/dev/null")
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self.path = path
        with _named_errors(path):
            self._session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def _inputs(self, features: np.ndarray) -> np.ndarray:
        """Return the inputs float32 [rows, inputs] of the graph: with the default practice if only that is missing."""
        takes_practice = any(
            each.name == "features" and each.shape[1:] == [len(INPUT_NAMES)] for each in self._session.get_inputs()
        )
        is_of_grid = features.shape[1] == len(FEATURE_NAMES)
        return with_practice(features) if is_of_grid and takes_practice else features.astype(np.float32)

    def _run(self, outputs: list[str], **inputs: np.ndarray) -> list[np.ndarray]:
        with _named_errors(self.path):
            return self._session.run(outputs, inputs)


class GraphModel(_Graph):
    """An ONNX graph of the model contract."""

    def run(self, features: np.ndarray, species: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return survival and baseline [rows, horizons] and contributions [rows, horizons, inputs], float32.

        Features are those of the grid, for the default practice, or all inputs.
        """
        outputs = ["survival", "baseline", "contributions"]
        return tuple(self._run(outputs, features=self._inputs(features), species=species.astype(np.int64)))

    def survival(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return survival [rows, horizons]; ModelsError unless it is from 0 to 1 and never rises with the horizon."""
        survival = self.run(features, species)[0]
        if survival.shape != (len(species), len(HORIZONS)):
            raise ModelsError(f"{self.path}: survival must have {len(HORIZONS)} horizons, not shape {survival.shape}")
        is_valid = (survival >= 0) & (survival <= 1)
        is_valid[:, 1:] &= survival[:, 1:] <= survival[:, :-1]
        for row in np.flatnonzero(~is_valid.all(axis=1)):
            values = ", ".join(f"{value:g}" for value in survival[row])
            where = f"species {species[row]} with features {', '.join(f'{value:g}' for value in features[row])}"
            raise ModelsError(f"{self.path}: survival must be from 0 to 1 and never rise, not {values} for {where}")
        return survival

    def contributions(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return contributions [rows, horizons, features]."""
        return self.run(features, species)[2]


class IntervalGraph(_Graph):
    """An interval graph of the model contract."""

    def draws(self, features: np.ndarray, species: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Return survival [rows, horizons, draws], float32, for features and their standard errors [rows, features]."""
        values = self._inputs(features)
        exact = np.zeros((len(values), values.shape[1] - errors.shape[1]), dtype=np.float32)
        all_errors = np.column_stack([errors, exact]).astype(np.float32)
        return self._run(["draws"], features=values, species=species.astype(np.int64), errors=all_errors)[0]


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Raise ModelsError with the file for what onnxruntime raises: its errors have no common class."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split())
        if re.search("external (data|tensors)", reason, re.IGNORECASE):
            reason = "it keeps weights in another file, of which the manifest has no SHA-256; save it as one"
        raise ModelsError(f"{path}: does not run as a graph of the model contract: {reason}") from error
