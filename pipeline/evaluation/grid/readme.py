"""Writes ``data/README.md``: what the grid is, the source of each column and its error."""

from pathlib import Path

from pipeline.evaluation.grid.scores import figure
from pipeline.evaluation.grid.validation import ANSWERED, NEAR_BLOCKS, OWN_ELEVATION, WIDE_BLOCKS
from pipeline.grid.arrow_file import COVERAGE, FORMAT, VERSION
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import STEPS_PER_DEGREE
from pipeline.grid.points import CURVE_ANSWERED, CURVE_RADII_KM, SEARCH_RADIUS_KM
from pipeline.grid.regions import COAST_TOLERANCE_KM, NAMES

_TEMPLATE = Path(__file__).with_name("readme_template.md")


def write_readme(coverage, inputs, scores, errors, path):
    """Write the file from :class:`.Coverage`, :class:`.Inputs`, scores and ``errors``, ``{column: sentence}``."""
    mask = coverage.mask
    text = _TEMPLATE.read_text(encoding="utf-8").format(
        format=FORMAT,
        version=VERSION,
        coverage=COVERAGE,
        points=f"{sum(coverage.points.values()):,}",
        by_region=", ".join(f"{region} {count:,}" for region, count in coverage.points.items()),
        arc_seconds=3600 // STEPS_PER_DEGREE,
        plots=coverage.plots,
        forested=coverage.forested_plots,
        radius=SEARCH_RADIUS_KM,
        mask=mask,
        coverage_forested=coverage.forested_answered,
        coverage_other=coverage.other_answered,
        curve=_curve(mask),
        fits="\n".join(_fit(name, fit) for name, fit in zip(NAMES.values(), inputs.terrain.fits, strict=True)),
        near=NEAR_BLOCKS,
        wide=WIDE_BLOCKS,
        answered=_answered(scores),
        columns=_columns(),
        errors="\n".join(f"- `{column.name}`: {errors[column.name]}" for column in COLUMNS),
        soil_error=inputs.soil.log_error,
        strip=COAST_TOLERANCE_KM,
        outline=coverage.outside_outline,
        outline_forested=coverage.forested_outside_outline,
        regions=coverage.outside_regions,
        regions_forested=coverage.forested_outside_regions,
    )
    path.write_text(text, encoding="utf-8")


def _table(header, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def _columns():
    rows = [[f"`{c.name}`", c.unit, c.description, c.kind, f"{c.source}. {c.method}."] for c in COLUMNS]
    return _table(["column", "unit", "what", "kind", "source and method"], rows)


def _curve(mask):
    header = ["radius, km", *(f"{share:.0%} of forested answered" for share in CURVE_ANSWERED)]
    rows = [[f"{radius:g}", *(f"{mask.curve[radius][s]:.1%}" for s in CURVE_ANSWERED)] for radius in CURVE_RADII_KM]
    return _table(header, rows)


def _fit(name, fit):
    return (
        f"- {name}: {fit.metres_per_level:.3f} m a grey level, offset {fit.offset:.1f} m; on {fit.places} plots that "
        f"were not used RMSE {fit.rmse:.1f} m, median error {fit.median_error:.1f} m, bias {fit.bias:.2f} m"
    )


def _answered(scores):
    header = ["column", "unit", "west", "east", "own elevation, west", "east", f"{WIDE_BLOCKS:g} degree, west", "east"]
    rows = []
    for column in COLUMNS:
        own = {(s.check, s.side): s for s in scores if s.column == column.name}
        if (ANSWERED, "west") not in own:
            continue
        cells = [
            _error(own.get((check, side)), column.unit)
            for check in (ANSWERED, OWN_ELEVATION, f"{WIDE_BLOCKS:g}-degree blocks")
            for side in ("west", "east")
        ]
        rows.append([f"`{column.name}`", column.unit, *cells])
    return _table(header, rows)


def _error(score, unit):
    if score is None:
        return ""
    relative = f" ({100 * score.rmse / score.mean:.1f} %)" if unit == "mm" else ""
    return f"{figure(score.rmse)}{relative}"
