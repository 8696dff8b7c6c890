"""``python -m pipeline grid``: builds the files in ``data/`` and the maps of the grid."""

from tqdm import tqdm

from pipeline.evaluation.grid.coverage import measure_coverage
from pipeline.evaluation.grid.maps import draw_maps
from pipeline.evaluation.grid.readme import write_readme
from pipeline.evaluation.grid.scores import error_sentences
from pipeline.evaluation.grid.validation import validate
from pipeline.grid.arrow_file import RANGES, write_grid
from pipeline.grid.build import build_grid, read_inputs
from pipeline.grid.columns.consistency import violations
from pipeline.grid.data_files import DATA, GRID, REGIONS, SPECIES, write_checksums
from pipeline.grid.ranges import native_ranges
from pipeline.grid.regions import build_regions, write_regions
from pipeline.outcomes.species import all_species, write_species_json
from pipeline.sources.manifest import PROJECT
from pipeline.sources.raster import read_raster

_MAPS = PROJECT / "docs" / "maps"
_STEPS = 6


class InconsistentGridError(Exception):
    """The columns of the built grid contradict each other: a bug in the pipeline; nothing is written."""


def run(sources, elevation_file=None):
    """Read the sources, then write data/ and the maps. The same sources give the same bytes.

    ``elevation_file`` takes the place of the terrain tiles.
    """
    with tqdm(total=_STEPS, unit="step") as progress:

        def step(name, function, *arguments):
            progress.set_description(name)
            result = function(*arguments)
            progress.update()
            return result

        inputs, reader, nodes, sites = step("read sources", read_inputs, sources, elevation_file)
        regions = build_regions(inputs.outlines)
        frame, mask = step("build grid", build_grid, inputs, sources, reader, nodes, sites)
        del nodes, sites
        ranges = step("native ranges", _native_ranges, sources, frame)
        frame = frame.assign(**{RANGES: ranges})
        broken = {rule: rows for rule, rows in violations(frame).items() if rows}
        if broken:
            raise InconsistentGridError(f"rows that break a rule: {broken}")
        scores, errors_at_places = step("measure errors", validate, inputs, frame, reader)
        errors = error_sentences(scores)
        coverage = measure_coverage(inputs, frame, regions, mask)
        step("write data", _write_data, frame, regions, errors, scores, coverage, inputs)
        step(
            "draw maps",
            draw_maps,
            frame,
            regions,
            errors_at_places,
            inputs,
            read_raster(sources.path("elevation")),
            _MAPS,
        )


def _native_ranges(sources, frame):
    paths = [sources.path(f"range_{species.range_file}") for species in all_species()]
    return native_ranges(paths, frame["row"].to_numpy(), frame["column"].to_numpy())


def _write_data(frame, regions, errors, scores, coverage, inputs):
    write_regions(regions, REGIONS)
    write_grid(frame, regions, errors, GRID)
    write_species_json(SPECIES)
    write_readme(coverage, inputs, frame, scores, errors, DATA / "README.md")
    write_checksums(DATA)
