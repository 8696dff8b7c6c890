"""Build models/: outcomes, fit, graphs, manifest."""

import hashlib
import importlib.metadata
import json
import platform
from pathlib import Path

from pipeline.envelopes import range_source
from pipeline.export_onnx import write_onnx
from pipeline.hazard_basis import Knots
from pipeline.hazard_features import FEATURE_NAMES, FEATURES, HORIZONS, METHODS
from pipeline.hazard_fit import Smoothing
from pipeline.hazard_grid import Grid, read_grid
from pipeline.hazard_model import fit_model
from pipeline.outcomes_periods import match_points, period_counts
from pipeline.simulation import simulated_outcomes, true_process
from pipeline.sources import PROJECT, SourceError
from pipeline.species import all_species, species_codes, write_species_json

GRID = PROJECT / "data" / "grid.arrow"
SPECIES = PROJECT / "data" / "species.json"
MODELS = PROJECT / "models"
CODENAME = "hemlock"
SERIES = "Nurselog"
MODEL_VERSION = "1_0"
SEED = 20240607
LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow", "shapely", "onnx")


def run(sources, outcomes_file):
    """Build models/ and data/species.json from the grid in data/ and, without outcomes, a simulation."""
    if sources is None:
        raise SourceError("the simulation needs --sources DIR for the species ranges")
    write_species_json(SPECIES)
    grid = read_grid(GRID)
    truth = true_process(grid, sources)
    outcomes = simulated_outcomes(grid, truth, SEED)
    point = match_points(grid, outcomes["latitude"].to_numpy(), outcomes["longitude"].to_numpy())
    knots = Knots.spanning(grid.features(FEATURE_NAMES))
    MODELS.mkdir(exist_ok=True)
    for method in METHODS:
        model = fit_model(grid, period_counts(outcomes, point, method), knots, Smoothing())
        write_onnx(model, MODELS / f"{method}.onnx")
    write_manifest(grid, sources, MODELS)


def write_manifest(grid: Grid, sources, directory: Path) -> None:
    """Write manifest.json beside the graphs: the contract's fields and where all came from."""
    ranges = [range_source(species) for species in all_species()]
    manifest = {
        "format": "nurselog-model/1",
        "version": f"{grid.coverage}_v{MODEL_VERSION}_{CODENAME}",
        "codename": CODENAME,
        "series": SERIES,
        "coverage": grid.coverage,
        "horizons": list(HORIZONS),
        "species": species_codes(),
        "features": [
            {"name": f.name, "unit": grid.units[f.name], "label": f.label, "risk_factor": True} for f in FEATURES
        ],
        "methods": {
            method: {"file": f"{method}.onnx", "sha256": _sha256(directory / f"{method}.onnx")} for method in METHODS
        },
        "provenance": {
            "outcomes": "simulated",
            "seed": SEED,
            "grid": {"version": grid.version, "sha256": grid.sha256},
            "sources": {name: sources.manifest[name].sha256 for name in ranges},
            "python": platform.python_version(),
            "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        },
    }
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
