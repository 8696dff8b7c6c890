"""Published survival beside that of the models. The figures are benchmarks: none is fitted by itself.

The published places are approximate, so the models are asked at every grid point within a few kilometres and the
elevations stated.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.grid.projection import great_circle_km
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.species import species_codes

EVIDENCE = Path(__file__).with_name("evidence.csv")


@dataclass(frozen=True)
class Comparison:
    """A row of the evidence, and survival by the model: mean, and 5th and 95th percentile over the points used."""

    evidence: dict
    points: int
    mean: float
    low: float
    high: float


def compare_with_evidence(grid: Grid, models: dict[str, GraphModel]) -> list[Comparison]:
    """Return every row of the evidence with the models' survival; ValueError for a place without grid points."""
    features = grid.features(FEATURE_NAMES)
    return [_compare(grid, features, models, row) for row in pd.read_csv(EVIDENCE).to_dict("records")]


def _compare(grid: Grid, features: np.ndarray, models: dict[str, GraphModel], row: dict) -> Comparison:
    near = great_circle_km(grid.latitude, grid.longitude, row["latitude"], row["longitude"]) <= row["radius_km"]
    elevation = grid.columns["elevation"]
    points = np.flatnonzero(near & (elevation >= row["elevation_low"]) & (elevation <= row["elevation_high"]))
    if not len(points):
        raise ValueError(f"no grid point for the evidence of {row['source']} at {row['place']}")
    species = np.full(len(points), species_codes().index(row["species"]))
    survival = models[row["method"]].survival(features[points], species)[:, HORIZONS.index(row["model_year"])]
    low, high = np.quantile(survival, (0.05, 0.95))
    return Comparison(row, len(points), float(survival.mean()), float(low), float(high))
