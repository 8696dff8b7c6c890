"""Survival that models predict for the rows of an outcomes table, and held-out predictions as Parquet."""

from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.evaluation.blocks import HeldOut
from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.models.artefacts import ModelArtefacts, ModelsError
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.species import species_codes

HELD_OUT_FILE = "held-out.parquet"
SURVIVAL_COLUMNS = [f"survival_{horizon}" for horizon in HORIZONS]
_ROWS_AT_ONCE = 50_000


def predicted_survival(models: ModelArtefacts, grid: Grid, outcomes: pd.DataFrame, point: np.ndarray) -> np.ndarray:
    """Return survival [rows, horizons] at each row's grid point; ModelsError names what the models do not have."""
    path = models.directory / "manifest.json"
    absent = sorted(set(outcomes["planting_method"]) - set(models.methods))
    if absent:
        raise ModelsError(f"{path}: has no model for planting_method {absent[0]}, which the table has")
    unknown = sorted(set(outcomes["species_code"]) - set(models.manifest["species"]))
    if unknown:
        raise ModelsError(f"{path}: has no species {unknown[0]}, which the table has")
    of_grid = [feature["name"] for feature in models.manifest["features"] if "default" not in feature]
    missing = [name for name in of_grid if name not in grid.columns]
    if missing:
        raise ModelsError(f"{path}: feature {missing[0]} is not a column of the grid")
    # The table does not say how its trees were planted: practice has its defaults.
    columns = [
        np.full(len(grid.latitude), feature["default"], np.float32)
        if "default" in feature
        else grid.columns[feature["name"]]
        for feature in models.manifest["features"]
    ]
    features = np.column_stack(columns)
    species = pd.Index(models.manifest["species"]).get_indexer(outcomes["species_code"])
    survival = np.empty((len(outcomes), len(HORIZONS)))
    for method in sorted(set(outcomes["planting_method"])):
        graph = GraphModel(models.graph(method))
        rows = np.flatnonzero(outcomes["planting_method"] == method)
        for some in np.array_split(rows, -(-len(rows) // _ROWS_AT_ONCE)):
            survival[some] = graph.survival(features[point[some]], species[some])
    return survival


def write_held_out(
    outcomes: pd.DataFrame, point: np.ndarray, held_out: dict[str, HeldOut], folds: np.ndarray, path: Path
) -> None:
    """Write the held-out predictions of training, one for each row of the table, numbered from 1 below the header."""
    survival = np.full((len(outcomes), len(HORIZONS)), np.nan)
    species = pd.Index(species_codes()).get_indexer(outcomes["species_code"])
    for method, predictions in held_out.items():
        rows = np.flatnonzero(outcomes["planting_method"] == method)
        known = pd.MultiIndex.from_arrays([predictions.counts.species, predictions.counts.point])
        wanted = pd.MultiIndex.from_arrays([species[rows], point[rows]])
        survival[rows] = predictions.survival[known.get_indexer(wanted)]
    table = pd.DataFrame(
        {
            "row": np.arange(1, len(outcomes) + 1),
            "planting_method": outcomes["planting_method"].to_numpy(),
            "species_code": outcomes["species_code"].to_numpy(),
            "fold": folds[point],
            **dict(zip(SURVIVAL_COLUMNS, survival.T, strict=True)),
        }
    )
    table.to_parquet(path, index=False)


def read_held_out(path: Path, rows: int) -> np.ndarray:
    """Return survival [rows, horizons] of a file of :func:`write_held_out`; ModelsError if it is not of this table."""
    try:
        survival = pd.read_parquet(path, columns=SURVIVAL_COLUMNS).to_numpy(dtype=np.float64)
    except (OSError, ValueError, KeyError) as error:
        raise ModelsError(f"{path}: cannot be read: {error}") from error
    if len(survival) != rows or not np.isfinite(survival).all():
        raise ModelsError(f"{path}: must have survival for each of the table's {rows} rows, not {len(survival)}")
    return survival
