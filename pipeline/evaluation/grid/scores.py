"""Errors of an estimate against what was observed, in words that carry their figures."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Score:
    """``check`` says which places were predicted from what; figures are in the column's unit."""

    column: str
    check: str
    places: int
    rmse: float
    bias: float
    mean: float

    def sentence(self, unit):
        """One clause for people."""
        relative = f", {100 * self.rmse / self.mean:.1f} % of the mean" if unit == "mm" else ""
        rmse, bias = _figure(self.rmse), _figure(self.bias)
        return f"RMSE {rmse} {unit}{relative}, bias {bias}, {self.check} ({self.places} places)"


def score(column, check, estimate, observed):
    """A :class:`Score` over the places where something was observed; the bias is estimate minus observation."""
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
    """Three digits that mean something, never an exponent, never minus zero."""
    text = f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"
    return text.replace("-0.00", "0.00")
