"""Writes docs/evidence.md with its list and plots, and the result into a manifest."""

import re
from collections.abc import Sequence
from pathlib import Path

from pipeline.evaluation.conditioning.section import conditioning_section
from pipeline.evaluation.evidence.document.card import SECTION, caution, evidence_section, is_simulated
from pipeline.evaluation.evidence.document.listing import evidence_rows, listing
from pipeline.evaluation.evidence.document.notes import INTERIOR
from pipeline.evaluation.evidence.document.plots import plot_elevation, plot_observed
from pipeline.evaluation.evidence.document.report import RAINIER, elevations_of_places, report
from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.redcedar import REDCEDAR
from pipeline.evaluation.evidence.stands import CLEAR_PLOTS, stands
from pipeline.grid.arrow_file import Grid
from pipeline.models.manifest import manifest_text

_GROUPS = {
    RAINIER: "Mount Rainier",
    INTERIOR: "British Columbia",
    "emoran5/PILA_post-fire_seedling_model": "King Fire",
    REDCEDAR: "Puget lowlands",
}


def write_evidence(grid: Grid, manifest: dict, comparisons: Sequence[Comparison], output: Path) -> None:
    """Write evidence.md, evidence/plantings.md and their plots into `output`, for the models of a manifest."""
    figures = output / "evidence"
    figures.mkdir(parents=True, exist_ok=True)
    text = report(comparisons, manifest, OutsidePlaces(grid), conditioning_section(grid))
    (output / "evidence.md").write_text(text, encoding="utf-8")
    (figures / "plantings.md").write_text(listing(comparisons), encoding="utf-8")
    plot_observed(comparisons, _GROUPS, figures / "observed.png")
    found, clear = stands(comparisons), stands(comparisons, treatment=CLEAR_PLOTS)
    plot_elevation(found, clear, elevations_of_places(), RAINIER, figures / "elevation.png")


def write_into_manifest(manifest: dict, comparisons: Sequence[Comparison], directory: Path) -> dict:
    """Add the plantings to a manifest, and to its caution their result if it is simulated; write and return it."""
    added = manifest | {"evidence": evidence_rows(comparisons)}
    if is_simulated(manifest):
        added["caution"] = caution(manifest, comparisons)
    (directory / "manifest.json").write_text(manifest_text(added), encoding="utf-8")
    return added


def write_into_card(card: Path, manifest: dict, comparisons: Sequence[Comparison]) -> None:
    """Replace the caution of a model card and its section on planted trees."""
    parts = re.split(r"^(?=## )", card.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts[0] = re.sub(r"^\*\*.*\*\*$", lambda _: f"**{manifest['caution']}**", parts[0], count=1, flags=re.MULTILINE)
    section = evidence_section(comparisons, manifest)
    replaced = [section if part.startswith(SECTION) else part.rstrip() for part in parts]
    card.write_text("\n\n".join(replaced) + "\n", encoding="utf-8")
