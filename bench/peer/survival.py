"""Survival and its risk factors from the models of a folder."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime

_RISK_FACTORS = 3


def rounded(values, decimals):
    """Rounds half up, like the figures of the interface."""
    scale = 10**decimals
    return np.floor(np.asarray(values, dtype=np.float64) * scale + 0.5) / scale


@dataclass(frozen=True)
class Survival:
    """Predictions of N sites and H horizons, rounded as reported.

    ``probability`` is [N, H]; ``factor`` (indexes of the manifest's features, largest magnitude first), ``magnitude``
    and ``positive`` are [N, H, 3].
    """

    probability: np.ndarray
    factor: np.ndarray
    magnitude: np.ndarray
    positive: np.ndarray


class SurvivalModels:
    """The model of each planting method."""

    def __init__(self, model_dir: Path):
        self.manifest = json.loads((model_dir / "manifest.json").read_text(encoding="utf-8"))
        self.methods = list(self.manifest["methods"])
        self.horizons = self.manifest["horizons"]
        features = self.manifest["features"]
        self._candidates = np.flatnonzero([feature["risk_factor"] for feature in features])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._sessions = [
            onnxruntime.InferenceSession(model_dir / model["file"], options, providers=["CPUExecutionProvider"])
            for model in self.manifest["methods"].values()
        ]

    def predict(self, features, species, method) -> Survival:
        """Predicts for N sites: float32 [N, F] features, int64 [N] species and method as indexes of the manifest's."""
        shape = (len(species), len(self.horizons))
        probability = np.empty(shape, np.float32)
        contributions = np.empty((*shape, features.shape[1]), np.float32)
        for index, session in enumerate(self._sessions):
            rows = np.flatnonzero(method == index)
            if len(rows) == 0:
                continue
            inputs = {"features": features[rows], "species": species[rows]}
            probability[rows], contributions[rows] = session.run(["survival", "contributions"], inputs)

        contributions = contributions[..., self._candidates]
        magnitude = rounded(np.abs(contributions), 4)
        top = np.argsort(-magnitude, axis=-1, kind="stable")[..., :_RISK_FACTORS]
        return Survival(
            rounded(probability, 4),
            self._candidates[top],
            np.take_along_axis(magnitude, top, axis=-1),
            np.take_along_axis(contributions >= 0, top, axis=-1),
        )
