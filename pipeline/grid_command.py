"""``python -m pipeline grid``: builds everything in ``data/``, and the maps of the grid."""

from tqdm import tqdm

from pipeline.consistency import violations
from pipeline.coverage import measure_coverage
from pipeline.data_files import DATA, GRID, REGIONS, SPECIES, write_checksums
from pipeline.errors import error_sentences
from pipeline.grid import fill_columns, place_points, read_inputs
from pipeline.grid_file import write_grid
from pipeline.grid_readme import write_readme
from pipeline.maps import draw_maps
from pipeline.regions import build_regions, write_regions
from pipeline.sources import PROJECT
from pipeline.species import write_species_json
from pipeline.validation import validate

_MAPS = PROJECT / "docs" / "maps"
_STEPS = 6


class InconsistentGridError(Exception):
    """A grid whose columns contradict each other: a fault of the pipeline, never written."""


def run(sources):
    """Reads the sources, writes data/ and the maps; the same sources give the same bytes."""
    with tqdm(total=_STEPS, unit="step") as progress:

        def step(name, function, *arguments):
            progress.set_description(name)
            result = function(*arguments)
            progress.update()
            return result

        inputs = step("read sources", read_inputs, sources)
        regions = build_regions(inputs.outlines)
        points = step("place points", place_points, inputs)
        frame = step("fill columns", fill_columns, inputs, points)
        broken = {rule: rows for rule, rows in violations(frame).items() if rows}
        if broken:
            raise InconsistentGridError(f"rows that break a rule: {broken}")
        scores = step("measure errors", validate, inputs)
        errors = error_sentences(scores)
        step("write data", _write_data, inputs, frame, regions, errors)
        step("draw maps", draw_maps, frame, regions, _MAPS)


def _write_data(inputs, frame, regions, errors):
    write_regions(regions, REGIONS)
    write_grid(frame, regions, errors, GRID)
    write_species_json(SPECIES)
    write_readme(measure_coverage(inputs, frame, regions), errors, DATA / "README.md")
    write_checksums(DATA)
