"""Errors of an estimate against observations, and the sentence about them in the metadata and ``data/README.md``.

The sentences are in ``data/grid.arrow``: editing one changes the bytes and the checksum of the grid.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.columns.definitions import COLUMNS

_NO_TRUTH = {
    "precipitation_growing_season": "No truth at hand for the season's share; the annual amount's error applies to it.",
    "temperature_max": "No truth at hand in Oregon.",
    "dew_point": "No truth at hand in Oregon.",
    "vpd_max": "No truth at hand in Oregon.",
    "vpd_min": "No truth at hand in Oregon, where the raster is the same product.",
    "climatic_water_deficit": "No truth at hand in Washington.",
    "soil_water_capacity": "No truth at hand below basin scale, where soils differ most.",
    "soil_clay": "No truth at hand below basin scale, where soils differ most.",
    "soil_organic_matter": "No truth at hand: a relation from the literature, not a measurement.",
    "crown_ratio": "No truth at hand: a relation from the literature with assumed constants.",
}


@dataclass(frozen=True)
class Score:
    """``check`` says which places were predicted from which; figures are in the unit of the column."""

    column: str
    check: str
    places: int
    rmse: float
    bias: float
    mean: float

    def sentence(self, unit):
        """Return the score as a clause with its figures in ``unit``."""
        relative = f", {100 * self.rmse / self.mean:.1f} % of the mean" if unit == "mm" else ""
        rmse, bias = _figure(self.rmse), _figure(self.bias)
        return f"RMSE {rmse} {unit}{relative}, bias {bias}, {self.check} ({self.places} places)"


def score(column, check, estimate, observed):
    """Return the :class:`Score` of the places with an observation; the bias is estimate minus observation."""
    known = np.isfinite(observed)
    error = (estimate - observed)[known]
    return Score(
        column=column,
        check=check,
        places=int(known.sum()),
        rmse=float(np.sqrt((error**2).mean())),
        bias=float(error.mean()),
        mean=float(observed[known].mean()),
    )


def _figure(value):
    """Return a figure with no decimals from 10 on and two below, without exponent or minus zero."""
    text = f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"
    return text.replace("-0.00", "0.00")


def error_sentences(scores):
    """Return ``{column: text}`` for every column: its scores, then what could not be measured."""
    return {column.name: _sentence(column, scores) for column in COLUMNS}


def _sentence(column, scores):
    measured = "; ".join(s.sentence(column.unit) for s in scores if s.column == column.name)
    return " ".join(part for part in (measured and measured + ".", _NO_TRUTH.get(column.name)) if part)
