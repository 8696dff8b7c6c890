"""Errors of an estimate against observations, and the sentence about them in the metadata and ``data/README.md``.

The sentences are in ``data/grid.arrow``: editing one changes the bytes and the checksum of the grid.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.columns.definitions import COLUMNS

_NO_TRUTH = {
    "slope": "No truth at hand in degrees; the ruggedness has one.",
    "heat_load": "Computed from latitude, slope and aspect; their errors apply.",
    "precipitation_growing_season": "No truth at hand for the season's share; the annual amount's error applies to it.",
    "temperature_max": "No truth at hand in Oregon.",
    "dew_point": "No truth at hand in Oregon.",
    "vpd_max": "No truth at hand in Oregon.",
    "vpd_min": "No truth at hand in Oregon, where the raster is the same product.",
    "climatic_water_deficit": "No truth at hand in Washington.",
    "soil_water_capacity": "No truth at hand below basin scale, where soils differ most.",
    "soil_water_error": "An estimate of the error of the column above, not a measurement.",
    "soil_clay": "No truth at hand below basin scale, where soils differ most.",
    "rock_depth": "No truth at hand below basin scale, where soils differ most.",
    "crown_ratio": "No truth at hand: a relation from the literature with assumed constants.",
    "ecoregion": "Boundaries are simplified by a few kilometres.",
}
_LAPSE = "Judged by moving the column from points above or below: see the column without `lapse_`."


@dataclass(frozen=True)
class Score:
    """``check`` says which places were predicted from which, ``side`` is west or east of the Cascades, or both.

    Figures are in the unit of the column; the bias is estimate minus observation.
    """

    column: str
    check: str
    side: str
    places: int
    rmse: float
    bias: float
    mean: float

    def figures(self, unit):
        """Return the error as text with its unit, for amounts in mm with its share of the mean."""
        relative = f" ({100 * self.rmse / self.mean:.1f} %)" if unit == "mm" else ""
        return f"{figure(self.rmse)} {unit}{relative}, bias {figure(self.bias)}"


def score(column, check, side, estimate, observed):
    """Return the :class:`Score` of estimates [N] against observations [N]."""
    error = np.asarray(estimate, dtype=float) - observed
    return Score(
        column=column,
        check=check,
        side=side,
        places=len(error),
        rmse=float(np.sqrt((error**2).mean())),
        bias=float(error.mean()),
        mean=float(np.mean(observed)),
    )


def figure(value):
    """Return a figure with no decimals from 10 on and two below, without exponent or minus zero."""
    text = f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"
    return text.replace("-0.00", "0.00")


def error_sentences(scores):
    """Return ``{column: text}`` for every column: its scores, then what could not be measured."""
    return {column.name: _sentence(column, scores) for column in COLUMNS}


def _sentence(column, scores):
    own = [s for s in scores if s.column == column.name]
    checks = list(dict.fromkeys(s.check for s in own))
    measured = [
        f"RMSE {check}: "
        + "; ".join(
            f"{'' if s.side == 'both' else s.side + ' '}{s.figures(column.unit)} ({s.places} places)"
            for s in own
            if s.check == check
        )
        + "."
        for check in checks
    ]
    if column.name.startswith("lapse_"):
        measured.append(_LAPSE)
    return " ".join([*measured, *filter(None, [_NO_TRUTH.get(column.name)])])
