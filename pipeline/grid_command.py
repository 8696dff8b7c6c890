"""``python -m pipeline grid``: builds the files in ``data/`` and the maps of the grid."""

from tqdm import tqdm

from pipeline.evaluation.grid.coverage import measure_coverage
from pipeline.evaluation.grid.maps import draw_maps
from pipeline.evaluation.grid.readme import write_readme
from pipeline.evaluation.grid.scores import error_sentences
from pipeline.evaluation.grid.validation import validate
from pipeline.grid.arrow_file import write_grid
from pipeline.grid.build import fill_columns, read_inputs
from pipeline.grid.columns.consistency import violations
from pipeline.grid.data_files import DATA, GRID, REGIONS, SPECIES, write_checksums
from pipeline.grid.points import place_points
from pipeline.grid.regions import build_regions, write_regions
from pipeline.outcomes.species import write_species_json
from pipeline.sources.manifest import PROJECT

_MAPS = PROJECT / "docs" / "maps"
_STEPS = 6


class InconsistentGridError(Exception):
    """The columns of the built grid contradict each other: a bug in the pipeline; nothing is written."""


def run(sources):
    """Read the sources, then writes data/ and the maps. The same sources give the same bytes."""
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
