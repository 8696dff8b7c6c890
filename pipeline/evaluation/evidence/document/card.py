"""What the test on planted trees showed, in words: the caution of the manifest and the section of the model card."""

import math
from collections.abc import Sequence

import pandas as pd

from pipeline.evaluation.evidence.plantings import DATA
from pipeline.evaluation.evidence.predictions import Comparison, unseen
from pipeline.evaluation.evidence.scores import MIN_TREES
from pipeline.evaluation.evidence.stands import order_of, stands
from pipeline.evaluation.evidence.summary import FITS, Result, SourceResult, YearResult, summarise
from pipeline.evaluation.evidence.text import filled, share
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.models.artefacts import simulated_methods
from pipeline.models.manifest import CAUTION

SECTION = "## Tested on planted trees"
ORDERED = 0.5
"""Places are in the right order if the rank correlation over a source's stands is at least this, in every source."""


def caution(manifest: dict, comparisons: Sequence[Comparison]) -> str:
    """Return what the models of a manifest are trained on, with the result of the test."""
    return f"{CAUTION['simulated'] if is_simulated(manifest) else manifest['caution']} {tested(comparisons)}"


def is_simulated(manifest: dict) -> bool:
    """Return whether both models are as the simulation made them."""
    return manifest["outcomes"] == "simulated" and not {"recalibration", "kept"} & manifest["provenance"].keys()


def tested(comparisons: Sequence[Comparison]) -> str:
    """Return in two sentences the result of the test on plantings that the models do not know, and what it allows."""
    result = summarise(unseen(comparisons))
    on = f"Tested on {result.trees:,} planted trees of {result.counted} plantings at {result.places} places"
    on += f" and on {result.levels} plantings with published levels"
    found = "without intervals"
    if result.compared:
        found = f"{result.inside} of {result.compared} observed values (those of fewer than {MIN_TREES} trees left out)"
        found += " lie inside the 80 % intervals"
    return f"{on}: {found}. {use_of_figures(comparisons)[0]}"


def use_of_figures(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return in a sentence what the figures may be used for, and why, as the comparison found it."""
    result, orders = summarise(unseen(comparisons)), rank_orders(unseen(comparisons))
    covers = result.compared > 0 and result.mean_share_inside >= FITS
    places = bool(orders) and all(correlation >= ORDERED for _, _, correlation in orders)
    ranks = ", ".join(f"{correlation:.2f} over {count} pairs ({source})" for source, count, correlation in orders)
    share = "no interval was compared"
    if result.compared:
        share = f"{result.mean_share_inside:.0%} of the values of a source lie inside the intervals on average"
    why = f"{share}; rank correlation of pairs of stand and species in year 1: {ranks or 'not estimable'}"
    if covers and places:
        return (
            "Use survival with its interval as a rough range, and to compare places; ask a forester what to plant.",
            why,
        )
    if covers:
        return "Use the interval as a rough range; do not choose places or species by the figures alone.", why
    problem = "The intervals miss too many real plantings" if result.compared else "How far the models err is unknown"
    return f"{problem}: do not choose by the figures what or where to plant.", why


def rank_orders(comparisons: Sequence[Comparison]) -> list[tuple[str, int, float]]:
    """Return source, number of pairs of stand and species in year 1 and their rank correlation, where there is one."""
    found = stands(comparisons)
    orders = [(source, *order_of(found, source, 1)) for source in dict.fromkeys(stand.source for stand in found)]
    return [order for order in orders if not math.isnan(order[2])]


def where_of_sources() -> dict[str, str]:
    """Return where each source's plantings are."""
    table = pd.read_csv(DATA / "sources.csv")
    return dict(zip(table["source"], table["where"], strict=True))


def result_table(result: Result) -> str:
    """Return the table of results by source and year."""
    where = where_of_sources()
    header = ["source", "where", "places", "plantings", "trees", "year", "observed", "predicted"]
    header += ["inside", "below", "above", "width", "gain"]
    return markdown_table(header, [_row(source, year, where) for source in result.sources for year in source.years])


def _row(source: SourceResult, year: YearResult, where: dict[str, str]) -> list[str]:
    gain = "-" if math.isnan(source.gain) else f"{source.gain:+.2f}"
    return [
        source.source,
        where[source.source],
        str(year.places),
        str(year.plantings),
        f"{year.trees:,}" if year.trees else "-",
        str(year.year),
        share(year.observed),
        share(year.predicted),
        *(str(count) if year.compared else "-" for count in (year.inside, year.below, year.above)),
        "-" if math.isnan(year.width) else share(year.width),
        gain if year is source.years[0] else "",
    ]


def evidence_section(comparisons: Sequence[Comparison], manifest: dict) -> str:
    """Return the section of the model card on planted trees."""
    opening = caution(manifest, comparisons) if is_simulated(manifest) else tested(comparisons)
    view = (
        "The sizes of vegetation, overstory and the spread\nbetween plantings were set from four of these sources, "
        "and one interval was made to reach its value, so this is no\nindependent test."
        if simulated_methods(manifest)
        else "The models were fitted without them."
    )
    result = summarise(unseen(comparisons))
    why = use_of_figures(comparisons)[1]
    return f"""{SECTION}

{filled(f"{opening} The reason: {why}.")}

Observed and predicted are means over the plantings of a source that were seen in the year. *Inside*, *below* and
*above* count observed values beside their 80 % intervals, of which *width* is the mean width. *Gain* is the log score
of all counts of a source less that of a forecast that knows the other sources' survival and neither place nor species,
a planting; it stands in the source's first row.

{result_table(result)}

`docs/evidence.md` says how the figures were compared, and shows stands, elevation, treatments and seeds;
`docs/evidence/plantings.md` has every planting. {view}

**Alive, for drone seeding, is a spot sown with a pod in which a seedling lives, not a seed.**"""
