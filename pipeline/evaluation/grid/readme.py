"""Writes ``data/README.md``: what the grid is, the source of each column and its error."""

from pathlib import Path

from pipeline.evaluation.grid.scores import figure
from pipeline.evaluation.grid.validation import (
    ANSWERED,
    MOVED,
    NEAR_BLOCKS,
    OWN_ELEVATION,
    SINGLE,
    UNMOVED,
    WIDE,
    WIDE_BLOCKS,
    spacing_km,
)
from pipeline.grid.arrow_file import COVERAGE, FORMAT, VERSION
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import STEPS_PER_DEGREE
from pipeline.grid.points import CURVE_ANSWERED, CURVE_RADII_KM, FORESTED_ANSWERED, SEARCH_RADIUS_KM
from pipeline.grid.regions import COAST_TOLERANCE_KM, NAMES

# RMSE as answered, in the unit of the column, for precipitation in percent of the mean.
_AIMS = {
    "elevation": 65,
    "precipitation_annual": 8,
    "temperature_mean": 0.35,
    "temperature_max": 0.55,
    "temperature_min_january": 0.5,
    "dew_point": 0.45,
    "vpd_max": 0.55,
}
_OWN_ELEVATION_AIM_M = 25
_SIDES = ("west", "east")
# Titles of the columns of ANSWERED, SINGLE and WIDE.
_CHECKS = ("as answered", "single plots", f"{WIDE_BLOCKS:g} degree")
_TEMPLATE = Path(__file__).with_name("readme_template.md")


def write_readme(coverage, inputs, frame, scores, errors, path):
    """Write the file from :class:`.Coverage`, :class:`.Inputs`, the points, scores and ``{column: sentence}``."""
    mask = coverage.mask
    point_spacing, plot_spacing = spacing_km(inputs, frame)
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
        fall=_fall(mask),
        fits="\n".join(_fit(name, fit) for name, fit in zip(NAMES.values(), inputs.terrain.fits, strict=True)),
        near=NEAR_BLOCKS,
        wide=WIDE_BLOCKS,
        answered=_answered(scores),
        own_elevation=_own_elevation(scores),
        moved=_moved(scores),
        point_spacing=point_spacing,
        plot_spacing=plot_spacing,
        columns=_columns(),
        errors="\n".join(f"- `{column.name}`: {errors[column.name]}" for column in COLUMNS),
        soil_error=inputs.soil.log_error,
        soil_rmse=_relative_error(scores, "soil_water_capacity"),
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
    known = ["canopy known", *(f"{mask.canopy_known[s]:.1%}" for s in CURVE_ANSWERED)]
    return _table(header, [*rows, known])


def _fall(mask):
    """Return the maximum fall, in percentage points, of the share of other plots answered beyond the radius."""
    at = {radius: mask.curve[radius][FORESTED_ANSWERED] for radius in CURVE_RADII_KM}
    return 100 * (at[SEARCH_RADIUS_KM] - min(share for radius, share in at.items() if radius >= SEARCH_RADIUS_KM))


def _fit(name, fit):
    return (
        f"- {name}: {fit.metres_per_level:.3f} m a grey level, offset {fit.offset:.1f} m; on {fit.places:,} plots that "
        f"were not used RMSE {fit.rmse:.1f} m, median error {fit.median_error:.1f} m, bias {fit.bias:.2f} m"
    )


def _answered(scores):
    header = ["column", "unit", "aim"]
    header += [f"{check}, {side}" for check in _CHECKS for side in _SIDES]
    rows = []
    for column in COLUMNS:
        own = {(s.check, s.side): s for s in scores if s.column == column.name}
        if (ANSWERED, "west") not in own:
            continue
        cells = [_error(own.get((check, side)), column.unit) for check in (ANSWERED, SINGLE, WIDE) for side in _SIDES]
        aim = _aim(column, [own[ANSWERED, side] for side in _SIDES])
        rows.append([f"`{column.name}`", column.unit, aim, *cells])
    return _table(header, rows)


def _aim(column, answered):
    if column.name not in _AIMS:
        return ""
    aim = _AIMS[column.name]
    relative = column.unit == "mm"
    met = [(100 * s.rmse / s.mean if relative else s.rmse) <= aim for s in answered]
    missed = [side for side, holds in zip(_SIDES, met, strict=True) if not holds]
    verdict = f"missed in the {' and '.join(missed)}" if missed else "met"
    return f"{aim:g}{' %' if relative else ''}: {verdict}"


def _own_elevation(scores):
    own = [s for s in scores if s.check == OWN_ELEVATION]
    met = "met" if all(s.rmse <= _OWN_ELEVATION_AIM_M for s in own) else "missed"
    figures = " and ".join(f"{figure(s.rmse)} m {s.side}" for s in own)
    return f"{figures} of the crest (aim {_OWN_ELEVATION_AIM_M} m: {met})"


def _moved(scores):
    header = ["column", "unit", "places", "west", "west, moved", "east", "east, moved", "halved"]
    rows = []
    for column in COLUMNS:
        own = {(s.check, s.side): s for s in scores if s.column == column.name}
        if (MOVED, "west") not in own:
            continue
        pairs = [[own[check, side] for check in (UNMOVED, MOVED)] for side in _SIDES]
        halved = ["yes" if moved.rmse <= unmoved.rmse / 2 else "no" for unmoved, moved in pairs]
        places = sum(unmoved.places for unmoved, _ in pairs)
        cells = [_error(s, column.unit) for pair in pairs for s in pair]
        rows.append([f"`{column.name}`", column.unit, f"{places:,}", *cells, ", ".join(halved)])
    return _table(header, rows)


def _relative_error(scores, name):
    (own,) = (s for s in scores if s.column == name)
    return f"{100 * own.rmse / own.mean:.1f} %"


def _error(score, unit):
    if score is None:
        return ""
    relative = f" ({100 * score.rmse / score.mean:.1f} %)" if unit == "mm" else ""
    return f"{figure(score.rmse)}{relative}"
