"""The sections of the model card, as Markdown."""

import re

import pandas as pd

from pipeline.evaluation.ebm import EbmComparison
from pipeline.evaluation.recovery import Recovery
from pipeline.evaluation.scores import MIN_TREES
from pipeline.models.basis import KNOTS
from pipeline.models.features import FEATURES
from pipeline.models.hazard import QUADRATURE_NODES
from pipeline.outcomes.periods import HORIZONS, METHODS, PeriodCounts
from pipeline.outcomes.practice import PRACTICES

MAX_BRIER_EXCESS = 0.03
SLOPE_RANGE = (0.95, 1.05)
MAX_ECE = 0.01
_BEYOND = {
    False: (
        "as the simulation does, in models of observed outcomes in a straight line. The January curve of simulated "
        "models is the\nsimulation's at every value: a fit of it takes up what latitude and the crest do, which no "
        "feature states."
    ),
    True: "in a straight line.",
}


def with_marked(text: str, *, shown: bool) -> str:
    """Return a text with its parts between double square brackets, or without them."""
    return re.sub(r"\[\[(.*?)\]\]", r"\1" if shown else "", text, flags=re.DOTALL)


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table of texts."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def what_section(manifest: dict) -> str:
    """Describe the models; version, caution and the meaning of "alive" are those of the manifest."""
    labels = ", ".join(feature.label for feature in FEATURES)
    practices = ", ".join(f"{practice.label} ({practice.default:g})" for practice in PRACTICES)
    beyond = _BEYOND[manifest["outcomes"] == "observed"]
    alive = "\n".join(f"- `{method}`: {meaning}" for method, meaning in manifest["alive"].items())
    return f"""# Model card: {manifest["version"]}

**{manifest["caution"]}**

`python -m pipeline models` writes this file; every figure in it comes from that run.

## What "alive" means

{alive}

## What it is

Two models, for planting by hand and for drone seeding, of the probability that a tree is alive 1, 3 and 5 years after
planting. Each is an additive discrete-time hazard model: the logit of the hazard of a period (year 1, years 2-3, years
4-5) is a species level plus one curve for each feature and species ({KNOTS} knots, linear between them). Survival is
the product of one minus the hazards, so it cannot rise with the horizon. The features are
{labels}.
Three more describe the practice, with their defaults: {practices}. The models are trained at the defaults. The effects
of the first two are those of the simulation, from published trials (`docs/simulation.md`); the seeds of a spot enter
by the chance that all of them die. At its default a practice contributes 0.

No curve of a harmful feature (maximum VPD, slope, ruggedness, heat load, thin soil) falls: each is the nearest one to
the fit that does not. Beyond the grid's climates the curves of maximum VPD, January minimum and precipitation go on
{beyond}

The fit is a hierarchical penalised spline regression (Eilers and Marx 1996; Pedersen et al. 2019): a species' curve
shrinks to the curve of all species, and the drone-seeded model is fitted as a departure from the manual one. The
additive models in the pipeline's libraries, explainable boosting machines among them, do not pool curves in this way,
so the solver is our own: Newton's method on SciPy's factorizations (`pipeline/models/fit.py`). A test compares its
optimum with that of SciPy's general optimizer.

Contributions are computed, not sampled: the predictor is moved in a straight line from the average training site in the
native range of the species (every curve at its mean) to the site, and the contribution of a feature is its share of the
change in survival along the line ({QUADRATURE_NODES}-point Gauss-Legendre in the graph). The error of these integrals
is shared out over the features in proportion to the magnitudes of their contributions, so that contributions add up to
survival minus baseline exactly."""


def data_section(counts: dict[str, PeriodCounts], *, simulated: bool) -> str:
    """Describe the training data."""
    source = (
        "**The outcomes are simulated.** No public table of planted or drone-seeded trees covers Oregon and\n"
        "Washington. `docs/simulation.md` describes the process. The fit uses what a field crew would record - place,\n"
        "species, method, and whether a tree was alive when last visited - and of the simulated hazards only the\n"
        "January curve; sites differ by more than the grid explains, and some trees are lost to follow-up. Every\n"
        "score below measures how well the models recover that process."
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
    kept = [method for method in METHODS if method not in counts]
    note = "".join(
        f"\n\n**No tree of the table is {method}.** That model is kept from other models, which `provenance` in\n"
        "`manifest.json` names; this card has neither its training data nor its scores."
        for method in kept
    )
    return f"## Training data\n\n{source}{note}\n\n{markdown_table(header, rows)}"


def overall_section(native: pd.DataFrame, everywhere: pd.DataFrame, image: str) -> str:
    """Report the scores of all species together, inside native ranges first, and whether they reach the targets."""
    has_best = "best_brier" in everywhere
    met = all(_reached(scores) for scores in (native, everywhere))
    brier_aim = f"Brier within {MAX_BRIER_EXCESS:.0%} of the best possible, " if has_best else ""
    best = (
        ' "Best possible" is the simulated\nprobability itself, which a model can exceed only by chance; '
        "the RMSE is measured against it."
        if has_best
        else " A tree last seen alive in year 2\nor 4 counts as half a tree alive in the next. `evaluate` leaves it "
        "out there, so its scores of the same predictions\ndiffer."
    )
    meaning = (
        "*Reached* means that the\nfit gets out of the trees nearly all that the simulated process put into them. It "
        "says nothing about planted trees."
        if has_best
        else "*Reached* means that\nthe probabilities are right on average in places that the fit has not seen."
    )
    off_range = (
        "All trees. Those planted off the range mostly die, which is easy to tell, so the AUC is higher:"
        if has_best
        else "All trees:"
    )
    return f"""## Scores on held-out blocks

One-degree blocks are divided into five folds; each fold is predicted by models fitted without it. Trees lost before a
horizon are accounted for by inverse probability weights (Graf et al. 1999).{best}

Trees planted inside the native range of their species, where the models are meant to be used; `GET /v1/model` has
these:

{_score_table(native)}

{off_range}

{_score_table(everywhere)}

Target for both: {brier_aim}calibration slope {SLOPE_RANGE[0]} to
{SLOPE_RANGE[1]}, expected calibration error below {MAX_ECE}: **{"reached" if met else "not reached"}**. {meaning}

![Calibration on held-out blocks]({image})"""


def _score_table(scores: pd.DataFrame) -> str:
    header = ["method", "year", "trees", "AUC", "Brier", "calibration slope", "ECE"]
    with_best = "best_brier" in scores
    header += ["best possible AUC", "best possible Brier", "Brier excess", "RMSE of survival"] if with_best else []
    rows = []
    for row in scores.itertuples():
        cells = [row.method, str(row.horizon), f"{row.trees:,.0f}", f"{row.auc:.3f}", f"{row.brier:.4f}"]
        cells += [f"{row.slope:.3f}", f"{row.ece:.4f}"]
        if with_best:
            cells += [f"{row.best_auc:.3f}", f"{row.best_brier:.4f}", f"{row.brier / row.best_brier - 1:.1%}"]
            cells.append(f"{row.rmse:.3f}")
        rows.append(cells)
    return markdown_table(header, rows)


def _reached(scores: pd.DataFrame) -> bool:
    met = scores["slope"].between(*SLOPE_RANGE).all() and (scores["ece"] < MAX_ECE).all()
    if "best_brier" in scores:
        met &= (scores["brier"] / scores["best_brier"] - 1 <= MAX_BRIER_EXCESS).all()
    return bool(met)


def ebm_section(result: EbmComparison) -> str:
    """Compare with InterpretML's EBM."""
    return f"""## Against an explainable boosting machine

InterpretML's EBM (one curve for each feature and one surface for each feature with the species) on the same first-year
outcomes of hand-planted trees, scored on the blocks of the first fold by mean deviance a tree (lower is better): EBM
{result.boosting:.4f}, this model **{result.ours:.4f}**, the simulated probability itself {result.best:.4f}. Both are
additive and equally explainable; the curves of this model are smooth and share information between species. This model
alone has the January curve of the simulation."""


def recovery_section(results: dict[str, list[Recovery]], image: str) -> str:
    """Report how well the simulated effects are recovered."""
    parts = ["## Recovery of the true effects\n"]
    parts.append(
        "First-year effects on the hazard logit over the native points of each species, all species together. For a\n"
        "feature with a small true effect, judge by the RMSE, not the correlation.\n"
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
    if scores.empty:
        return f"## By species, {method}, held-out blocks\n\nNo species has {MIN_TREES} trees."
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
                *((f"{value:.1%}" if has_best else _number(value, 4)) for value in brier),
                *(_number(value, 2) for value in of_species["slope"]),
                *(_number(value, 3) for value in of_species["ece"]),
            ]
        )
    reached = f"ECE is below {MAX_ECE} for {(scores['ece'] < MAX_ECE).sum()} of {len(scores)} species and horizons."
    reached += _slopes_outside(scores)
    chance = (
        " Bins of finite numbers of trees deviate from the diagonal by chance: the ECE of the simulated probability "
        f"itself is {scores['best_ece'].mean():.3f} on average and {scores['best_ece'].max():.3f} at most."
        if has_best
        else ""
    )
    return f"## By species, {method}, held-out blocks\n\n{reached}{chance}\n\n{markdown_table(header, rows)}"


def _slopes_outside(scores: pd.DataFrame) -> str:
    """Name the species with a calibration slope outside the range of the target."""
    low, high = SLOPE_RANGE
    outside = scores[(scores["slope"].round(2) < low) | (scores["slope"].round(2) > high)]
    if outside.empty:
        return f" Every calibration slope is from {low} to {high}."
    cases = [f"{row.species} year {row.horizon} ({row.slope:.2f})" for row in outside.itertuples()]
    return f" Calibration slopes outside {low} to {high}: {', '.join(cases)}."


def _number(value: float, decimals: int) -> str:
    return "-" if pd.isna(value) else f"{value:.{decimals}f}"
