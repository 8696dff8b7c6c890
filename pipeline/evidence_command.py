"""``python -m pipeline evidence``: scores models on real plantings, and writes the results."""

from pathlib import Path

from threadpoolctl import threadpool_limits

from pipeline.evaluation.evidence.document.write import write_evidence, write_into_card, write_into_manifest
from pipeline.evaluation.evidence.outside import measure_outside
from pipeline.evaluation.evidence.places import outside_places
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.predictions import compare_plantings
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.artefacts import read_artefacts
from pipeline.sources.manifest import PROJECT, Sources

MODELS = PROJECT / "models"
DOCS = PROJECT / "docs"


def run(models_directory: Path, output: Path | None, sources: Path | None) -> None:
    """Write evidence.md and the directory evidence/ beside it, and the result into the models' manifest and card.

    The documents of the shipped models are in docs/, of others in their directory. With `output` they are written
    there and the models are left as they are. With `sources`, the climate of places outside the grid is measured again
    first.
    """
    grid, models = read_grid(GRID), read_artefacts(models_directory)
    target = output or (DOCS if models_directory.resolve() == MODELS.resolve() else models_directory)
    with threadpool_limits(limits=1):
        if sources is not None:
            measure_outside(grid, Sources(sources), outside_places(grid))
        comparisons = compare_plantings(grid, models, read_plantings())
        write_evidence(grid, models.manifest, comparisons, target)
    if output is None:
        manifest = write_into_manifest(models.manifest, comparisons, models_directory)
        card = models_directory / "model-card.md"
        if card.is_file():
            write_into_card(card, manifest, comparisons)
    print(f"wrote {target / 'evidence.md'}")
