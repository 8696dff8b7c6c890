"""``python -m pipeline evaluate``: scores models on a table of outcomes, without training."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pipeline.evaluation.blocks import block_folds, block_names
from pipeline.evaluation.held_out import FOLD_SEED
from pipeline.evaluation.observed.censoring import follow_up
from pipeline.evaluation.observed.curves import calibration_bins, plot_calibration_bins
from pipeline.evaluation.observed.groups import group_scores
from pipeline.evaluation.observed.measures import LEVEL, Trees, measures
from pipeline.evaluation.observed.predictions import (
    HELD_OUT_FILE,
    SURVIVAL_COLUMNS,
    predicted_survival,
    read_held_out,
)
from pipeline.evaluation.observed.recalibration import PeriodTrees, held_out_survival, line_entries
from pipeline.evaluation.observed.report import FORMAT, markdown
from pipeline.grid.arrow_file import Grid, read_grid
from pipeline.grid.data_files import GRID
from pipeline.models import recalibration
from pipeline.models.artefacts import (
    ModelArtefacts,
    known_tables,
    read_artefacts,
    recalibrated_methods,
    simulated_methods,
)
from pipeline.outcomes.periods import (
    HORIZONS,
    MAX_UNPLACED,
    METHODS,
    PERIOD_NAMES,
    seen_alive,
    tree_periods,
    unknown_status,
    unplaced,
)
from pipeline.outcomes.table import read_outcomes
from pipeline.sources.manifest import sha256_of

BOOTSTRAP_SEED = 3


def run(outcomes_file: Path, models_directory: Path, output: Path, replicates: int) -> None:
    """Write report.md, report.json, calibration.png, recalibration.json and predictions.parquet into `output`."""
    models = read_artefacts(models_directory)
    grid = read_grid(GRID)
    outcomes, point = read_outcomes(outcomes_file, grid)
    # Fail before minutes of work.
    output.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(limits=1):
        evaluate(grid, outcomes, point, outcomes_file, models, output, replicates)
    print(f"wrote {output / 'report.md'}")


def evaluate(
    grid: Grid,
    outcomes: pd.DataFrame,
    point: np.ndarray,
    outcomes_file: Path,
    models: ModelArtefacts,
    output: Path,
    replicates: int,
) -> None:
    """Evaluate models on the rows of a table with their grid points [rows]; see :func:`run`."""
    table = {"file": outcomes_file.name, "sha256": sha256_of(outcomes_file)}
    survival, source = _survival(grid, outcomes, point, models, table["sha256"])
    rows = outcomes.assign(
        ecoregion=grid.columns["ecoregion"][point].astype(int),
        block=block_names(grid)[point],
        fold=block_folds(grid, point, FOLD_SEED)[point],
    )
    rows["species"], rows["years_alive"] = rows["species_code"], seen_alive(rows)
    methods = [method for method in METHODS if (rows["planting_method"] == method).any()]
    trees, recalibrated, lines, before, after = {}, np.empty_like(survival), {}, [], []
    for method in methods:
        chosen = (rows["planting_method"] == method).to_numpy()
        mine, predicted = rows[chosen], survival[chosen]
        block, fold, years, seen = (
            mine[name].to_numpy() for name in ("block", "fold", "years_observed", "years_alive")
        )
        trees[method] = Trees(follow_up(mine), predicted, block, unknown_status(years, seen))
        periods = tree_periods(years, mine["alive"].to_numpy() == 1)
        at_risk = PeriodTrees.of(predicted, *periods, block, fold, unplaced(years, seen))
        lines[method] = line_entries(at_risk, replicates, BOOTSTRAP_SEED)
        recalibrated[chosen] = held_out_survival(at_risk, predicted)
        before += _scores(method, trees[method])
        after += _scores(method, replace(trees[method], survival=recalibrated[chosen]))
    curves = [
        {
            "planting_method": method,
            "horizon_years": horizon,
            "bins": calibration_bins(trees[method], column, replicates, BOOTSTRAP_SEED),
        }
        for method in methods
        for column, horizon in enumerate(HORIZONS)
    ]
    described = {"version": models.manifest["version"], "sha256": models.sha256()}
    # Scores of trees that the models were fitted to are not held-out scores, and are left out.
    held_out = [entry | dict.fromkeys(recalibration.SCORES) for entry in after] if source == "in sample" else after
    fitted = {"models": described, "outcomes": table, "methods": lines, "scores": held_out}
    report = {
        "format": FORMAT,
        "models": described,
        "outcomes": table | {"trees": len(rows)},
        "predictions": source,
        "notes": _notes(rows, methods, models, source),
        "bootstrap": {"replicates": replicates, "level": LEVEL, "seed": BOOTSTRAP_SEED},
        "scores": group_scores(rows, trees, replicates, BOOTSTRAP_SEED),
        "curves": curves,
        "recalibration": {"methods": lines, "scores_before": before, "scores": after},
    }
    plot_calibration_bins(curves, output / "calibration.png")
    _write_json(report, output / "report.json")
    _write_json({"format": recalibration.FORMAT} | fitted, output / "recalibration.json")
    (output / "report.md").write_text(markdown(report), encoding="utf-8")
    _predictions(rows, survival, recalibrated).to_parquet(output / "predictions.parquet", index=False)


def _survival(
    grid: Grid, outcomes: pd.DataFrame, point: np.ndarray, models: ModelArtefacts, sha256: str
) -> tuple[np.ndarray, str]:
    """Return survival [rows, horizons] and its origin: "held out", "in sample", or "models" of other outcomes."""
    predicted = predicted_survival(models, grid, outcomes, point)
    provenance = models.manifest["provenance"]
    others = {name: part for name, part in provenance.items() if name != "outcomes"}
    if sha256 in [table["sha256"] for table in known_tables(others)]:
        return predicted, "in sample"
    if sha256 not in [table["sha256"] for table in known_tables(provenance)]:
        return predicted, "models"
    held_out = models.directory / HELD_OUT_FILE
    # Beside recalibrated models the file can only be that of others.
    if "recalibration" in provenance or not held_out.exists():
        return predicted, "in sample"
    return read_held_out(held_out, len(outcomes)), "held out"


def _notes(rows: pd.DataFrame, methods: list[str], models: ModelArtefacts, source: str) -> list[str]:
    counts = ", ".join(f"{(rows['planting_method'] == method).sum():,} {method}" for method in methods)
    notes = [f"{len(rows):,} trees ({counts}) in {rows['block'].nunique()} one-degree blocks."]
    for absent in set(METHODS) - set(methods):
        notes.append(f"No tree of the table is {absent}: that model is not evaluated.")
    for method in methods:
        mine = rows[rows["planting_method"] == method]
        unclear = unplaced(mine["years_observed"].to_numpy(), mine["years_alive"].to_numpy()).any(axis=1).sum()
        if unclear:
            notes.append(
                f"Of {(mine['alive'] == 0).sum():,} dead {method} trees {unclear:,} may have died in one of several "
                f"periods ({', '.join(PERIOD_NAMES)}, later), because no visit between these is known. If there was "
                "one, state it in the column `years_alive` (`docs/outcomes.md`). Years and periods are neither scored "
                f"nor recalibrated where such trees are more than {MAX_UNPLACED:.0%} of the deaths."
            )
    provenance = models.manifest["provenance"]
    simulated, recalibrated = simulated_methods(models.manifest), recalibrated_methods(models)
    if simulated:
        notes.append(f"{_models(simulated, models)} trained on simulated outcomes.")
    if recalibrated:
        file = provenance["recalibration"]["outcomes"].get("file", "a table")
        notes.append(f"{_models(recalibrated, models)} recalibrated to {file}.")
    practices = [
        f"{feature['label']} {feature['default']:g}"
        for feature in models.manifest["features"]
        if "default" in feature and not set(methods).isdisjoint(feature.get("methods", METHODS))
    ]
    if practices:
        named = ", ".join(practices)
        notes.append(f"Every tree is predicted at the default practice, also if planted otherwise: {named}.")
    known = [table.get("file", "a table") for table in known_tables(models.manifest["provenance"])]
    if known and source == "models":
        notes.append(
            f"**The models were trained on or recalibrated to {', '.join(known)}, and this table is another file. "
            "Trees that are in both are not recognised and make the scores too good: leave them out.**"
        )
    if source == "held out":
        trained = [name for name in models.methods if name not in provenance.get("kept", {})]
        notes.append(
            f"{_models(trained, models)} trained on this table. The scores are of the predictions that training wrote "
            f"({HELD_OUT_FILE}), each by models that were fitted without the tree's block."
        )
    if source == "in sample":
        notes.append(
            "**The models were recalibrated to this table, or trained on it without the held-out predictions of that "
            "training: the scores are of trees that the models know, and too good.**"
        )
    return notes


def _models(methods: list[str], models: ModelArtefacts) -> str:
    """Return the beginning of a sentence on the models of some methods."""
    return "The models were" if methods == models.methods else f"The {' and '.join(methods)} model was"


def _scores(method: str, trees: Trees) -> list[dict]:
    """Return the scores of a method as the manifest of models has them; null where one cannot be estimated."""
    entries = []
    for column, horizon in enumerate(HORIZONS):
        found = {} if np.isnan(trees.survival[:, column]).any() else measures(trees, column)[0]
        scores = {name: found.get(name) for name in recalibration.SCORES}
        entries.append({"planting_method": method, "horizon_years": horizon, **scores})
    return entries


def _predictions(rows: pd.DataFrame, survival: np.ndarray, recalibrated: np.ndarray) -> pd.DataFrame:
    """Return a row for each row of the table, with its values, block, fold and predicted survival."""
    named = rows.drop(columns=["species"]).reset_index(drop=True)
    named.insert(0, "row", np.arange(1, len(rows) + 1))
    columns = dict(zip(SURVIVAL_COLUMNS, survival.T, strict=True))
    columns |= {f"recalibrated_{name}": values for name, values in zip(SURVIVAL_COLUMNS, recalibrated.T, strict=True)}
    return named.assign(**columns)


def _write_json(content: dict, path: Path) -> None:
    text = json.dumps(content, indent=2, allow_nan=False, default=lambda number: number.item())
    path.write_text(text + "\n", encoding="utf-8")
