"""The sections of the model card, as Markdown."""

import pandas as pd

from pipeline.evaluation.ebm import Yardstick
from pipeline.evaluation.recovery import Recovery
from pipeline.models.basis import KNOTS
from pipeline.models.features import FEATURES
from pipeline.models.hazard import QUADRATURE_NODES
from pipeline.outcomes.periods import HORIZONS, PeriodCounts

MOST_BRIER_EXCESS = 0.03
SLOPE_RANGE = (0.95, 1.05)
MOST_ECE = 0.01


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table of texts."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def what_section(version: str) -> str:
    """Say what the models are."""
    labels = ", ".join(feature.label for feature in FEATURES)
    return f"""# Model card: {version}

This file is written by `python -m pipeline models`; every figure in it comes from that run.

## What it is

Two models, hand planting and drone seeding, of the chance that a tree is alive 1, 3 and 5 years after planting.
Each is an additive discrete-time hazard model: the logit of the hazard of a period (year 1, years 2-3, years 4-5) is a
level of the species plus one curve a feature and species ({KNOTS} knots, linear between them). Survival is the product
of one minus the hazards, so it cannot rise with the horizon. The features are
{labels}.

The fit is a hierarchical penalised spline regression (Eilers and Marx 1996; Pedersen et al. 2019): a species' curve
shrinks to the curve of all species, and the drone-seeded model is fitted as a departure from the manual one. The
packaged additive models at hand, explainable boosting machines among them, pool no curves in this way, so the solver is
the pipeline's own: Newton's method on SciPy's factorizations (`pipeline/hazard_fit.py`), held by a test to go as low as
SciPy's general optimizer.

A contribution is exact, not sampled: the predictor is walked in a straight line from the species' average training
site (every curve at its mean) to the site, and each feature is credited with its share of the change in survival at
every step ({QUADRATURE_NODES}-point Gauss-Legendre in the graph). Contributions add up to survival less baseline."""


def data_section(counts: dict[str, PeriodCounts], *, simulated: bool) -> str:
    """Say what the models were trained on."""
    source = (
        "**The outcomes are simulated.** No public table of planted or drone-seeded survival exists for Oregon and\n"
        "Washington. The process is in `docs/simulation.md`. The fit sees what a field crew would write down - place,\n"
        "species, method, and whether a tree was alive when last visited - and none of the simulated hazards; sites\n"
        "differ by more than the grid explains, and some trees are lost to follow-up. Every skill below is\n"
        "skill at that."
        if simulated
        else "The outcomes are observed: the table given to `--outcomes`."
    )
    rows = [
        [
            method,
            f"{trees.at_risk[:, 0].sum():,.0f}",
            f"{len(trees.point):,}",
            *(f"{died:,.0f}" for died in trees.died.sum(axis=0)),
        ]
        for method, trees in counts.items()
    ]
    header = ["method", "trees", "points x species", "died year 1", "died years 2-3", "died years 4-5"]
    return f"## What it is trained on\n\n{source}\n\n{markdown_table(header, rows)}"


def overall_section(scores: pd.DataFrame, image: str) -> str:
    """Report the scores of all species together, and whether they reach what was aimed at."""
    has_best = "best_brier" in scores
    header = ["method", "year", "trees", "AUC", "Brier", "calibration slope", "ECE"]
    header += ["best possible AUC", "best possible Brier", "Brier excess", "RMSE of survival"] if has_best else []
    rows = [
        [
            row.method,
            str(row.horizon),
            f"{row.trees:,.0f}",
            f"{row.auc:.3f}",
            f"{row.brier:.4f}",
            f"{row.slope:.3f}",
            f"{row.ece:.4f}",
        ]
        + (
            [f"{row.best_auc:.3f}", f"{row.best_brier:.4f}", f"{row.brier / row.best_brier - 1:.1%}", f"{row.rmse:.3f}"]
            if has_best
            else []
        )
        for row in scores.itertuples()
    ]
    met = scores["slope"].between(*SLOPE_RANGE).all() and (scores["ece"] < MOST_ECE).all()
    if has_best:
        met &= (scores["brier"] / scores["best_brier"] - 1 <= MOST_BRIER_EXCESS).all()
    brier_aim = f"Brier within {MOST_BRIER_EXCESS:.0%} of the best possible, " if has_best else ""
    best = (
        ' "Best possible" is the simulated\nprobability itself, which no model can beat but by luck; the RMSE is to it.'
        if has_best
        else ""
    )
    return f"""## Scores on blocks never trained on

One-degree blocks are dealt into five folds; each fold is predicted by models fitted without it. Trees lost before a
horizon are accounted for by inverse probability weights (Graf et al. 1999).{best}

{markdown_table(header, rows)}

Aimed at: {brier_aim}calibration slope {SLOPE_RANGE[0]} to
{SLOPE_RANGE[1]}, expected calibration error below {MOST_ECE}: **{"reached" if met else "not reached"}**.

![Calibration on held-out blocks]({image})"""


def yardstick_section(result: Yardstick) -> str:
    """Compare with InterpretML's EBM."""
    return f"""## Against an explainable boosting machine

InterpretML's EBM (a curve a feature and a surface for each feature with the species) on the same first-year outcomes
of hand-planted trees, scored on the same held-out blocks by mean deviance a tree (lower is better): EBM
{result.boosting:.4f}, this model **{result.ours:.4f}**, the simulated probability itself {result.best:.4f}. Both are
additive and explain themselves alike; this one's curves are smooth and borrow from each other across species."""


def recovery_section(results: dict[str, list[Recovery]], image: str) -> str:
    """Report how well the simulated effects come back."""
    parts = ["## Recovery of the true effects\n"]
    parts.append(
        "First-year effects on the hazard logit over each species' native points, all species together. For a feature\n"
        "with a small true effect the RMSE matters, not the correlation.\n"
    )
    header = ["method", "feature", "true effect, SD", "RMSE of the fitted", "correlation"]
    rows = [
        [method, result.feature, f"{result.true_sd:.2f}", f"{result.rmse:.2f}", _number(result.correlation, 2)]
        for method, features in results.items()
        for result in features
    ]
    parts.append(markdown_table(header, rows))
    parts.append(f"\n![Fitted effects and, dashed, the simulated ones]({image})")
    return "\n".join(parts)


def species_section(method: str, scores: pd.DataFrame) -> str:
    """Report the scores of each species, three horizons side by side."""
    has_best = "best_brier" in scores
    header = ["species", "trees"]
    for title in ("AUC", "Brier excess" if has_best else "Brier", "slope", "ECE"):
        header += [f"{title} y{horizon}" for horizon in HORIZONS]
    rows = []
    for species, of_species in scores.groupby("species"):
        brier = of_species["brier"] / of_species["best_brier"] - 1 if has_best else of_species["brier"]
        rows.append(
            [
                species,
                f"{of_species['trees'].iloc[0]:,.0f}",
                *(_number(value, 3) for value in of_species["auc"]),
                *((f"{value:.1%}" if has_best else f"{value:.4f}") for value in brier),
                *(_number(value, 2) for value in of_species["slope"]),
                *(f"{value:.3f}" for value in of_species["ece"]),
            ]
        )
    reached = f"ECE is below {MOST_ECE} for {(scores['ece'] < MOST_ECE).sum()} of {len(scores)} species and horizons."
    chance = (
        f" Bins of finite numbers of trees are off the diagonal by chance alone: the simulated probability itself has "
        f"{scores['best_ece'].mean():.3f} on average and {scores['best_ece'].max():.3f} at most."
        if has_best
        else ""
    )
    return f"## By species, {method}, held-out blocks\n\n{reached}{chance}\n\n{markdown_table(header, rows)}"


def limits_section(*, simulated: bool) -> str:
    """Say what the models are not."""
    first = (
        "- They were never compared with a planted tree. Use them to exercise the service, not to choose what to plant."
        if simulated
        else "- They know the sites, species and years in the table of outcomes; elsewhere they extrapolate."
    )
    return f"""## What it is not

{first}
- A prediction is for the nearest grid point, up to 5 km away; slope, aspect and the planting spot are not in it.
- Stock, season, site preparation, browse protection and the year's weather are not inputs; their spread is averaged.
- Elevation, dew point and the January minimum run together over the region: of what one is credited with, part may be
  another's.
- A factor's contribution is relative to the average training site of that species and method. It explains the model,
  and is no promise of what changing the factor would do."""


def _number(value: float, decimals: int) -> str:
    return "-" if pd.isna(value) else f"{value:.{decimals}f}"
