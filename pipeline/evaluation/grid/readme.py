"""Writes ``data/README.md``: what the grid is, the source of each column and its error."""

from pathlib import Path

from pipeline.grid.arrow_file import COVERAGE, FORMAT, MAX_DISTANCE_KM, VERSION
from pipeline.grid.build import LEAVE_OUT_KM
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.points import MIN_FOREST_SHARE, SPACING_KM
from pipeline.grid.regions import COAST_TOLERANCE_KM

_TEMPLATE = Path(__file__).with_name("readme_template.md")


def write_readme(coverage, errors, path):
    """Write the file from :class:`.Coverage` and ``errors``, ``{column: sentence}``."""
    text = _TEMPLATE.read_text(encoding="utf-8").format(
        format=FORMAT,
        version=VERSION,
        coverage=COVERAGE,
        points=f"{sum(coverage.points.values()):,}",
        by_region=", ".join(f"{region} {count:,}" for region, count in coverage.points.items()),
        spacing=SPACING_KM,
        share=MIN_FOREST_SHARE,
        plots=coverage.plots,
        accuracy=coverage.mask_accuracy,
        forested=coverage.forested_plots,
        beyond=coverage.forested_beyond_reach,
        hole=coverage.forest_beyond_reach,
        reach=MAX_DISTANCE_KM,
        table=_table(errors),
        leave_out=LEAVE_OUT_KM,
        strip=COAST_TOLERANCE_KM,
        outline=coverage.outside_outline,
        outline_forested=coverage.forested_outside_outline,
        regions=coverage.outside_regions,
        regions_forested=coverage.forested_outside_regions,
    )
    path.write_text(text, encoding="utf-8")


def _table(errors):
    lines = ["| column | unit | what | kind | source and method | error |", "|---|---|---|---|---|---|"]
    for c in COLUMNS:
        cells = [f"`{c.name}`", c.unit, c.description, c.kind, f"{c.source}. {c.method}.", errors[c.name]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
