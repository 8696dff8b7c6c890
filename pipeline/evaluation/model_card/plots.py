"""Plots of the model card: calibration on held-out blocks, and fitted and simulated effect curves."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pipeline.evaluation.blocks import HeldOut
from pipeline.evaluation.figures import save_png
from pipeline.evaluation.metrics import calibration_curve, status_weights
from pipeline.evaluation.recovery import true_effects
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.hazard import HazardModel
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.simulation import Truth
from pipeline.outcomes.species import species_codes

METHOD_COLORS = {"manual": "#1b6e53", "drone_seeded": "#c26a2d"}
CURVE_SPECIES = ("PSME", "PIPO", "PISI", "PIAL")
CURVE_FEATURES = (
    "precipitation_annual",
    "vpd_max",
    "heat_load",
    "slope",
    "soil_water_capacity",
    "elevation",
    "dew_point",
    "crown_ratio",
)
OUTSIDE_LABEL = "beyond the 1st to the 99th percentile of the training sites"


def plot_calibration(held_out: dict[str, HeldOut], simulated: bool, path: Path) -> None:
    """Draw simulated or observed against predicted survival in ten bins, a panel per horizon."""
    figure = Figure(figsize=(10, 3.8), dpi=90, layout="constrained")
    axes = figure.subplots(1, len(HORIZONS), sharey=True)
    for column, (axis, horizon) in enumerate(zip(axes, HORIZONS, strict=True)):
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for method, predictions in held_out.items():
            alive, dead = status_weights(predictions.counts)
            expected, observed, _ = calibration_curve(
                alive[:, column], dead[:, column], predictions.survival[:, column]
            )
            axis.plot(expected, observed, "o-", markersize=4, color=METHOD_COLORS[method], label=method)
        axis.set(title=f"year {horizon}", xlabel="predicted survival", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes[0].set_ylabel(f"{'simulated' if simulated else 'observed'} share alive")
    axes[0].legend(frameon=False)
    save_png(figure, path)


def plot_effects(
    grid: Grid, models: dict[str, HazardModel], truth: Truth | None, training: list[dict], path: Path
) -> None:
    """Draw first-year hazard logits along eight features for four species; the simulated effect dashed, if known.

    What lies beyond the 1st to the 99th percentile of the training sites, `training` of each feature, is shaded.
    """
    features = grid.features(FEATURE_NAMES)
    figure = Figure(figsize=(18, 9), dpi=90, layout="constrained")
    axes = figure.subplots(len(CURVE_SPECIES), len(CURVE_FEATURES))
    for place, (row, code) in enumerate(zip(axes, CURVE_SPECIES, strict=True)):
        species = species_codes().index(code)
        for axis, name in zip(row, CURVE_FEATURES, strict=True):
            column = FEATURE_NAMES.index(name)
            order = np.argsort(features[:, column], kind="stable")[::240]
            known = {m: true_effects(truth, species, m, order) for m in models} if truth else {}
            for method in models:
                logits = models[method].feature_logits(features[order], np.full(len(order), species))[:, column, 0]
                axis.plot(features[order, column], logits - logits.mean(), color=METHOD_COLORS[method], label=method)
                if known:
                    true = known[method][name]
                    axis.plot(
                        features[order, column],
                        true - true.mean(),
                        "--",
                        linewidth=1,
                        color=METHOD_COLORS[method],
                        label=f"{method}, simulated",
                    )
            axis.axhline(0, color="0.85", linewidth=0.8, zorder=0.5)
            ends = features[order[[0, -1]], column]
            axis.set_xlim(*ends)
            for outside in ((ends[0], training[column]["p1"]), (training[column]["p99"], ends[1])):
                axis.axvspan(*outside, color="0.9", linewidth=0, zorder=0, label=OUTSIDE_LABEL)
            if place == len(CURVE_SPECIES) - 1:
                axis.set_xlabel(f"{FEATURES[column].label} ({grid.units[name]})", fontsize=8)
        row[0].set_ylabel(f"{code}\nhazard logit", fontsize=9)
    labelled = dict(zip(*reversed(axes[0, 0].get_legend_handles_labels()), strict=True))
    figure.legend(labelled.values(), labelled.keys(), loc="outside lower center", ncols=len(labelled), frameon=False)
    save_png(figure, path)
