"""models/manifest.json: what the service needs to know of the graphs, and their provenance."""

import importlib.metadata
import json
import platform
from pathlib import Path

from pipeline.grid.arrow_file import Grid
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.models.features import FEATURES
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.species import species_codes
from pipeline.sources.manifest import sha256_of

SERIES = "Nurselog"
CODENAME = "hemlock"
MODEL_VERSION = "1_0"
_BOUNDS = {column.name: column for column in COLUMNS}
LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow", "shapely", "onnx")


def model_version(grid: Grid) -> str:
    """Return <coverage>_v<major>_<minor>_<codename>."""
    return f"{grid.coverage}_v{MODEL_VERSION}_{CODENAME}"


def write_manifest(grid: Grid, origin: dict, directory: Path) -> None:
    """Write manifest.json beside the graphs; `origin` describes where the outcomes came from."""
    manifest = {
        "format": "nurselog-model/1",
        "version": model_version(grid),
        "codename": CODENAME,
        "series": SERIES,
        "coverage": grid.coverage,
        "horizons": list(HORIZONS),
        "species": species_codes(),
        # Every feature may be named as a risk factor: columns that should not be named are not features.
        "features": [
            {
                "name": feature.name,
                "unit": grid.units[feature.name],
                "minimum": _BOUNDS[feature.name].minimum,
                "maximum": _BOUNDS[feature.name].maximum,
                "label": feature.label,
                "risk_factor": True,
            }
            for feature in FEATURES
        ],
        "methods": {
            method: {"file": f"{method}.onnx", "sha256": sha256_of(directory / f"{method}.onnx")} for method in METHODS
        },
        "provenance": {
            "outcomes": origin,
            "grid": {"version": grid.version, "sha256": grid.sha256},
            "python": platform.python_version(),
            "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        },
    }
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
