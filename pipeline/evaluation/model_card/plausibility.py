"""The section of the model card on plausibility."""

import numpy as np

from pipeline.evaluation.forestry.plausibility import (
    PLAUSIBLE_SURVIVAL,
    SPREAD,
    check_ordering,
    method_gap,
    orderings,
    published_sample,
    survival_everywhere,
    top_magnitudes,
)
from pipeline.evaluation.forestry.warming import warming_rules
from pipeline.evaluation.forestry.zones import stands, zone_rules
from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURES
from pipeline.outcomes.crest import west_of_crest
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES, PUBLISHED_SURVIVAL
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.species import species_codes


def plausibility_section(
    grid: Grid, models: dict[str, GraphModel], survival_image: str, gap_image: str, *, simulated: bool
) -> str:
    """Report the published sample, the gap, the magnitudes and the orderings."""
    return "\n\n".join(
        [
            "## Plausibility",
            _sample(grid, models, simulated),
            _spread(grid, models),
            _best_species(grid, models[METHODS[0]]),
            _rules(grid, models[METHODS[0]]),
            f"![Survival to year 5 of six species]({survival_image})",
            f"![Difference between the methods]({gap_image})",
            _orderings(grid, models[METHODS[0]]),
        ]
    )


def _sample(grid: Grid, models: dict[str, GraphModel], simulated: bool) -> str:
    rows = []
    for method in METHODS:
        survival, contributions = published_sample(grid, models[method])
        for column, horizon in enumerate(HORIZONS):
            top = np.argsort(-np.abs(contributions[column]), kind="stable")[:3]
            named = ", ".join(f"{FEATURES[index].label} {contributions[column, index]:+.3f}" for index in top)
            rows.append(
                [
                    method,
                    str(horizon),
                    f"{PUBLISHED_SURVIVAL[method][column]:.2f}",
                    f"{survival[column]:.3f}",
                    named,
                ]
            )
    place = f"{PUBLISHED_SPECIES} at {PUBLISHED_SITE[0]}, {PUBLISHED_SITE[1]}"
    header = ["method", "year", "published", "model", "top factors"]
    note = " The levels of the simulation were set to meet it, so that the agreement is by construction."
    return f"A published sample, {place}.{note if simulated else ''}\n\n{markdown_table(header, rows)}"


def _spread(grid: Grid, models: dict[str, GraphModel]) -> str:
    gap = method_gap(grid, models)
    low, high = np.quantile(gap[:, :, -1], (0.1, 0.9))
    shares = ", ".join(
        f"{(gap[:, :, column] > 0).mean():.2%} at year {horizon}" for column, horizon in enumerate(HORIZONS)
    )
    lines = [
        "Share of pairs of a grid point and a species with manual above drone-seeded survival, before rounding: "
        f"{shares}. At year 5 the difference is {low:.3f} at the 10th percentile and {high:.3f} at the 90th."
    ]
    for method in METHODS:
        lives = survival_everywhere(grid, models[method])[:, :, 0] >= PLAUSIBLE_SURVIVAL
        if not lives.any():
            lines.append(f"Nowhere do {PLAUSIBLE_SURVIVAL:.0%} survive year 1, {method}.")
            continue
        magnitudes = top_magnitudes(grid, models[method])[lives]
        quantiles = np.quantile(magnitudes, (0.1, 0.5, 0.9))
        share = ((magnitudes >= 0.02) & (magnitudes <= 0.20)).mean()
        lines.append(
            f"Magnitude of the first factor, {method}, where at least {PLAUSIBLE_SURVIVAL:.0%} survive year 1: "
            f"median {quantiles[1]:.3f}, 10th to 90th percentile {quantiles[0]:.3f} to {quantiles[2]:.3f}; "
            f"{share:.0%} are within 0.02 to 0.20."
        )
    return "\n\n".join(lines)


def _best_species(grid: Grid, model: GraphModel) -> str:
    survival = survival_everywhere(grid, model)[:, :, -1]
    points = np.arange(0, len(grid.latitude), SPREAD)
    west = west_of_crest(grid.latitude[points], grid.longitude[points])
    best = survival.argmax(axis=0)
    native = (grid.native_ranges[points] >> best.astype(np.uint32) & np.uint32(1)).astype(bool)
    parts = []
    for code, side, name in (("JUOC", ~west, "east"), ("SESE", west, "west")):
        first = best == species_codes().index(code)
        parts.append(
            f"{code} is first at {first[side].mean():.1%} of the points {name} of the Cascades, "
            f"{(first & ~native)[side].mean():.1%} outside its range"
        )
    return (
        f"Of all species planted by hand, {'; '.join(parts)}. At {(~native).mean():.0%} of all points the first "
        "species is not native there: a range map is not a feature, and climates beyond it can be as good."
    )


def _rules(grid: Grid, model: GraphModel) -> str:
    rows = [
        [rule.text, f"{rule.value:.3f}", f"{rule.bound:g}", "yes" if rule.holds else "**no**"]
        for rule in (*zone_rules(stands(grid, model)), *warming_rules(grid, model))
    ]
    table = markdown_table(["rule", "value", "at most", "holds"], rows)
    intro = (
        "Rules of zones and of a changed climate, planted by hand, year 5, at native points: shares of the points, "
        "differences of mean survival, and survival at the published site."
    )
    return f"{intro}\n\n{table}"


def _orderings(grid: Grid, model: GraphModel) -> str:
    results = [check_ordering(grid, model, ordering) for ordering in orderings()]
    rows = [
        [
            result.ordering.site,
            f"{result.ordering.better} {result.better_survival:.2f}",
            f"{result.ordering.worse} {result.worse_survival:.2f}",
            ", ".join(result.named) if result.ordering.factors else "",
            f"{result.ordering.why} ({result.ordering.source})",
            "yes" if result.holds else "**no**",
        ]
        for result in results
    ]
    header = ["site", "outlives (year 5)", "the other", "factors against the other", "because", "holds"]
    held = sum(result.holds for result in results)
    intro = (
        f"Orderings, hand-planted: {held} of {len(results)} hold. The better species need not be native there by its "
        "range map. Between neighbours the order alone is tested, and no factor is named."
    )
    return f"{intro}\n\n{markdown_table(header, rows)}"
