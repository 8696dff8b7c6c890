"""Calibration curves with intervals by a bootstrap of blocks, and their plot."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pipeline.evaluation.figures import save_png
from pipeline.evaluation.observed.censoring import known_alive, known_dead, status_weights
from pipeline.evaluation.observed.measures import LEVEL, MIN_BLOCKS, Trees, resampled
from pipeline.outcomes.periods import HORIZONS

MAX_BINS = 10
TREES_PER_BIN = 50


def calibration_bins(trees: Trees, column: int, replicates: int, seed: int) -> list[dict]:
    """Return bins of about equal numbers of trees, by predicted survival, with the observed share alive and interval.

    Empty if the status of the trees at the horizon does not allow it.
    """
    horizon, predicted = HORIZONS[column], trees.survival[:, column]
    known = known_alive(trees.follow_up, horizon).any() and known_dead(trees.follow_up, horizon).any()
    if not (known and trees.is_estimable(column)):
        return []
    count = int(np.clip(len(predicted) // TREES_PER_BIN, 2, MAX_BINS))
    edges = np.unique(np.quantile(predicted, np.linspace(0, 1, count + 1)[1:-1]))
    which = np.searchsorted(edges, predicted, side="right")
    observed = _share_alive(trees, which, len(edges) + 1, horizon)
    draws = np.full((0, len(edges) + 1), np.nan)
    if replicates and trees.followed_blocks(column) >= MIN_BLOCKS:
        drawn = resampled(trees.block, replicates, seed)
        draws = np.array([_share_alive(trees[rows], which[rows], len(edges) + 1, horizon) for rows in drawn])
    bins = []
    for index in range(len(edges) + 1):
        here = which == index
        if np.isnan(observed[index]):
            continue
        entry = {"trees": int(here.sum()), "predicted": float(predicted[here].mean()), "observed": observed[index]}
        values = draws[~np.isnan(draws[:, index]), index]
        if len(values) > replicates / 2:
            low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
            entry |= {"low": float(low), "high": float(high)}
        bins.append(entry)
    return bins


def plot_calibration_bins(curves: list[dict], path: Path) -> None:
    """Draw observed against predicted survival, a row per planting method and a panel per horizon."""
    methods = list(dict.fromkeys(curve["planting_method"] for curve in curves))
    figure = Figure(figsize=(10, 0.6 + 3.5 * len(methods)), dpi=90, layout="constrained")
    axes = figure.subplots(len(methods), len(HORIZONS), squeeze=False, sharex=True, sharey=True)
    for curve in curves:
        axis = axes[methods.index(curve["planting_method"]), HORIZONS.index(curve["horizon_years"])]
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axis.set(title=f"{curve['planting_method']}, year {curve['horizon_years']}", xlim=(0, 1), ylim=(0, 1))
        axis.set_aspect("equal")
        bins = curve["bins"]
        if not bins:
            axis.text(0.5, 0.5, "not estimable", ha="center", va="center", color="0.4")
            continue
        predicted, observed = ([entry[name] for entry in bins] for name in ("predicted", "observed"))
        axis.plot(predicted, observed, "o-", color="#1b6e53", markersize=4)
        for entry in bins:
            if "low" in entry:
                axis.plot([entry["predicted"]] * 2, [entry["low"], entry["high"]], color="#1b6e53", linewidth=1)
    for axis in axes[-1]:
        axis.set_xlabel("predicted survival")
    for axis in axes[:, 0]:
        axis.set_ylabel("observed share alive")
    save_png(figure, path)


def _share_alive(trees: Trees, which: np.ndarray, bins: int, horizon: int) -> np.ndarray:
    """Return the weighted share alive [bins], NaN in a bin without a tree of known status."""
    followed = trees.follow_up
    if not (known_alive(followed, horizon).any() and known_dead(followed, horizon).any()):
        return np.full(bins, np.nan)
    alive, dead = status_weights(followed, horizon)
    known = np.bincount(which, alive + dead, bins)
    return np.divide(np.bincount(which, alive, bins), known, out=np.full(bins, np.nan), where=known > 0)
