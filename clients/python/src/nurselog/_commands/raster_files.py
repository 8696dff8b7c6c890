"""The work of `nurselog predict` with a raster."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from nurselog._client import Client
from nurselog._commands.options import column_or_number
from nurselog._commands.progress import progress_bar
from nurselog._files.summary import Summary
from nurselog._raster.calls import SUFFIXES
from nurselog.errors import InvalidRequestError


def is_raster(path: Path) -> bool:
    """Whether a file is a raster, by its name."""
    return path.suffix.lower() in SUFFIXES


def refuse_table_options(**is_given: bool) -> None:
    """Raises InvalidRequestError for an option of the command that a raster would ignore."""
    if name := next((name for name, given in is_given.items() if given), None):
        remedy = ": state its reference system in its file, such as by gdal_edit.py -a_srs" if name == "crs" else ""
        raise InvalidRequestError(f"--{name} is for tables, and not for a raster{remedy}.")


def raster_options(
    source: Path, species: str, method: str, elevation_m: str | None, practice: dict[str, Any]
) -> dict[str, Any]:
    """Options of `Client.predict_raster` from those of the command, whose defaults are names of columns.

    Raises:
        InvalidRequestError: There is no species, or a practice is no number.
    """
    if species == "species_code":
        raise InvalidRequestError("A raster is predicted for one species: name it, such as --species PSME.")
    for name, value in practice.items():
        if isinstance(value, str):
            raise InvalidRequestError(f"--{name.replace('_', '-')} must be a number for a raster, not {value!r}.")
    elevation: str | float | Path | None = source if elevation_m is None else column_or_number(elevation_m)
    return {
        "species_code": species,
        "planting_method": None if method == "planting_method" else method,
        "elevation_m": None if elevation == "none" else elevation,
        **practice,
    }


def predict_raster_file(source: Path, output: Path, options: dict[str, Any], console: Console) -> Summary:
    """Predicts the cells of a raster and writes them as a GeoTIFF.

    Args:
        source: A raster.
        output: A GeoTIFF.
        options: Those of `Client.predict_raster`.
        console: Where the progress is shown if it is a terminal.

    Raises:
        NurselogError: The raster cannot be read, or the service refused or could not be reached.
        OSError: The output cannot be written.
    """
    with Client() as client, progress_bar("cells", console) as progress:
        task = progress.add_task("cells", total=None)
        survival = client.predict_raster(
            source,
            **options,
            output=output,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    failed = json.loads(survival.attrs["cells_failed"])
    counts = Counter({code: of_code["cells"] for code, of_code in failed.items()})
    first = {code: (1, of_code["example"]) for code, of_code in failed.items()}
    rows = int(survival.attrs["cells_answered"]) + counts.total()
    changed = json.loads(survival.attrs.get("models", "[]"))
    models = Counter({json.dumps(model).encode(): model["cells"] for model in changed})
    return Summary(rows, counts, first, "cells", models)
