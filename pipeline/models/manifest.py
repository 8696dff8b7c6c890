"""models/manifest.json: the description of the graphs for the service, and their provenance."""

import importlib.metadata
import json
import platform
import re
from collections.abc import Collection
from pathlib import Path

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.models.artefacts import FORMAT
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.hazard import average_sites
from pipeline.models.input_errors import INPUT_ERRORS
from pipeline.outcomes.periods import HORIZONS, METHODS, PeriodCounts
from pipeline.outcomes.practice import PRACTICES, PracticeFeature
from pipeline.outcomes.seeds import SEEDS_PER_SPOT
from pipeline.outcomes.species import species_codes
from pipeline.sources.manifest import sha256_of

SERIES = "Nurselog"
CODENAME = "lodgepole"
EXTRAPOLATED = "For species, sites and years that the table does not cover, the survival figures are extrapolated."
CAUTION = {
    # `evaluation.evidence` adds the result on planted trees.
    "simulated": "The models are trained on simulated outcomes.",
    "observed": f"The models are fitted to a table of observed outcomes. {EXTRAPOLATED}",
}


def without_trees(provenance: dict, methods: Collection[str] = METHODS) -> str:
    """Return the part of a caution on the species that the outcomes of the methods, own or kept, have no tree of."""
    own = "".join(
        f" No {method} trees of: {', '.join(species)}; their {method} figures are those of the mean species."
        for method, species in provenance.get("outcomes", {}).get("species_without_trees", {}).items()
        if species and method in methods
    )
    kept = provenance.get("kept", {}).items()
    return own + "".join(without_trees(base["provenance"], [method]) for method, base in kept if method in methods)


ALIVE = {
    "manual": "A planted seedling counts as alive if it lives at the end of the horizon.",
    "drone_seeded": (
        "A spot sown with one seed pod counts as alive if at least one seedling lives there at the end of the horizon; "
        f"this is not the survival of a seed. A pod has {SEEDS_PER_SPOT:g} viable seeds unless seeds_per_spot says "
        "otherwise: as many as the published sample needs at natural rates of emergence and first-year survival."
    ),
}
_BOUNDS = {column.name: column for column in COLUMNS}
LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow", "shapely", "onnx")


def interval_file(method: str) -> str:
    """Return the name of a method's interval graph."""
    return f"{method}-intervals.onnx"


def write_manifest(
    grid: Grid,
    version: str,
    origin: dict,
    counts: dict[str, PeriodCounts],
    scores: list[dict],
    interval_level: float | None,
    directory: Path,
) -> dict:
    """Write manifest.json beside the graphs, and return its content.

    `version` is <major>_<minor>; `counts` has the methods that were trained; `origin` describes where the outcomes came
    from, its ``kind`` is simulated or observed; `scores` has one entry per method and horizon. The level is that of the
    interval graphs, None if there are none.
    """
    manifest = {
        "format": FORMAT,
        "version": f"{grid.coverage}_v{version}_{CODENAME}",
        "codename": CODENAME,
        "series": SERIES,
        "coverage": grid.coverage,
        "outcomes": origin["kind"],
        "caution": CAUTION[origin["kind"]] + without_trees({"outcomes": origin}),
        "alive": ALIVE,
        "horizons": list(HORIZONS),
        "species": species_codes(),
        "features": _features(grid, counts),
        "methods": {
            method: {
                **_file(directory / f"{method}.onnx"),
                "averages": _averages(grid, counts[method]),
                **({"intervals": _file(directory / interval_file(method))} if interval_level else {}),
            }
            for method in counts
        },
        "interval_level": interval_level,
        "scores": scores,
        "provenance": {
            "outcomes": origin,
            "grid": {"version": grid.version, "sha256": grid.sha256},
            "python": platform.python_version(),
            "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        },
    }
    (directory / "manifest.json").write_text(manifest_text(manifest), encoding="utf-8")
    return manifest


def _file(path: Path) -> dict[str, str]:
    return {"file": path.name, "sha256": sha256_of(path)}


def _features(grid: Grid, counts: dict[str, PeriodCounts]) -> list[dict]:
    """Describe the features; the percentiles are over the grid points with training trees, each counted once.

    Features of the practice follow those of the grid. They have no training values, and no error of their own.
    """
    sites = np.unique(np.concatenate([trees.point for trees in counts.values()]))
    low, high = np.percentile(grid.features(FEATURE_NAMES)[sites].astype(np.float64), (1, 99), axis=0)
    # Rounded outwards, so that a value at a percentile does not lie beyond it.
    low, high = np.floor(low * 1e4) / 1e4, np.ceil(high * 1e4) / 1e4
    # Every feature may be named as a risk factor: columns that should not be named are not features.
    of_grid = [
        {
            "name": feature.name,
            "unit": grid.units[feature.name],
            "minimum": _BOUNDS[feature.name].minimum if feature.minimum is None else feature.minimum,
            "maximum": _BOUNDS[feature.name].maximum,
            "label": feature.label,
            "risk_factor": True,
            "training": {"p1": p1, "p99": p99},
            "error": INPUT_ERRORS[feature.name].entry(),
        }
        for feature, p1, p99 in zip(FEATURES, low.tolist(), high.tolist(), strict=True)
    ]
    return of_grid + [_practice(practice) for practice in PRACTICES]


def _practice(practice: PracticeFeature) -> dict:
    entry = {
        "name": practice.name,
        "unit": practice.unit,
        "minimum": practice.minimum,
        "maximum": practice.maximum,
        "label": practice.label,
        "risk_factor": True,
        "default": practice.default,
    }
    return entry if practice.methods == METHODS else entry | {"methods": list(practice.methods)}


def _averages(grid: Grid, trees: PeriodCounts) -> list[list[float]]:
    """Return the average site of each species [species, inputs], under the default practice."""
    defaults = [practice.default for practice in PRACTICES]
    return [[*site, *defaults] for site in average_sites(grid, trees).round(4).tolist()]


def manifest_text(manifest: dict) -> str:
    """Return indented JSON with each list of numbers and each row of the evidence on one line."""
    text = json.dumps(manifest, indent=2, allow_nan=False)
    text = re.sub(r'\{\s+("source": [^{}]*?)\s+\}', lambda row: "{" + re.sub(r",\n\s+", ", ", row[1]) + "}", text)
    return re.sub(r"\[\s+([\s\d.,e+-]+?)\s+\]", lambda numbers: f"[{' '.join(numbers[1].split())}]", text) + "\n"
