"""docs/evidence.md: how the models compare with real plantings, and what that allows."""

import math
from collections.abc import Sequence
from pathlib import Path

from pipeline.evaluation.evidence import seeds
from pipeline.evaluation.evidence.document.card import (
    caution,
    rank_orders,
    result_table,
    use_of_figures,
    where_of_sources,
)
from pipeline.evaluation.evidence.document.notes import (
    INTERIOR,
    extrapolated,
    independence,
    interior,
    known,
    pessimism,
    redcedars,
    sown_spots,
)
from pipeline.evaluation.evidence.document.tables import (
    emergence_table,
    germinant_table,
    left_out_table,
    part_text,
    places_table,
    practices_table,
    sources_table,
)
from pipeline.evaluation.evidence.outside import CLIMATE, OutsidePlaces
from pipeline.evaluation.evidence.places import read_places
from pipeline.evaluation.evidence.plantings import YEAR_TOLERANCE
from pipeline.evaluation.evidence.predictions import Comparison, unseen
from pipeline.evaluation.evidence.scores import DESIGN_EFFECT, MIN_TREES, TREES_OF_LEVEL
from pipeline.evaluation.evidence.stands import (
    CLEAR_PLOTS,
    Stand,
    elevation_effects,
    order_of,
    stands,
    treatment_effect,
)
from pipeline.evaluation.evidence.summary import FITS, MIN_VALUES, Result, SourceResult, summarise
from pipeline.evaluation.evidence.text import filled, share
from pipeline.evaluation.model_card.text import markdown_table, with_marked
from pipeline.outcomes.seeds import PUBLISHED_FIRST_YEAR, SEEDS_PER_SPOT

RAINIER = "AileneKane/mora_transplant"
_TEMPLATE = Path(__file__).with_name("report.md")


def report(comparisons: Sequence[Comparison], manifest: dict, outside: OutsidePlaces, conditioning: str) -> str:
    """Return the document; `conditioning` is the text of its section on conditioned models."""
    every, comparisons = summarise(comparisons), unseen(comparisons)
    found, clear = stands(comparisons), stands(comparisons, treatment=CLEAR_PLOTS)
    result = summarise(comparisons)
    use, why = use_of_figures(comparisons)
    where = where_of_sources()
    template = with_marked(_TEMPLATE.read_text(encoding="utf-8"), shown=result.compared > 0)
    return template.format(
        version=manifest["version"],
        caution=filled(caution(manifest, comparisons)),
        use=filled(f"**What the figures may be used for.** {use} The reason: {why}."),
        fits=_named(result.fitting(), where),
        misses=_named(result.missing(), where),
        unjudged=_named(result.unjudged(), where),
        uncompared=_uncompared(result, where),
        interior=interior(result),
        pessimism=pessimism(result),
        sown_spots=sown_spots(comparisons),
        min_values=MIN_VALUES,
        fits_share=f"{FITS:.0%}",
        result_table=result_table(result),
        extrapolated=extrapolated(comparisons),
        independence=independence(manifest) + known(every, result),
        redcedar=redcedars(),
        on_grid=f"{every.on_grid:,}",
        trees=f"{every.trees:,}",
        tolerance=YEAR_TOLERANCE,
        design_effect=f"{DESIGN_EFFECT:.1f}",
        trees_of_level=TREES_OF_LEVEL,
        min_trees=MIN_TREES,
        humidity=" and ".join(f"{sd:.2f} ({name})" for name, sd in outside.residual_sd.items()),
        climate=", ".join(f"`{name}`" for name in CLIMATE),
        orders=_orders(comparisons, found, clear),
        elevation=_elevation(found, clear),
        stands=_stand_table(found),
        treatments=_treatment_table(comparisons),
        emergence_table=emergence_table(),
        germinant_table=germinant_table(),
        emergence=part_text("emergence"),
        germinant_survival=part_text("germinant_survival"),
        spot=PUBLISHED_FIRST_YEAR,
        seeds_needed=f"{SEEDS_PER_SPOT:,.0f}",
        three_seeds=f"{seeds.spot_survival(3):.3f}",
        places=places_table(),
        practices=practices_table(),
        left_out=left_out_table(),
        sources=sources_table(),
        conditioning=conditioning,
    )


def _named(sources: Sequence[SourceResult], where: dict[str, str]) -> str:
    """List sources with the number of values outside their intervals."""
    lines = []
    for source in sources:
        outside = [f"{count} {side}" for count, side in ((source.below, "below"), (source.above, "above")) if count]
        note = f", {' and '.join(outside)}" if outside else ""
        bias = "; ".join(
            f"year {of.year} {share(of.observed)} observed, {share(of.predicted)} predicted" for of in source.years
        )
        seen = "without intervals"
        if source.compared:
            seen = f"{source.inside} of {source.compared} values inside{note}, intervals {share(source.width)} wide"
        known = f"{source.source}, {_number(source.places, 'place')}"
        lines.append(filled(f"- {where[source.source]} ({known}): {seen}; {bias}"))
    return "\n".join(lines) or "- none"


def _uncompared(result: Result, where: dict[str, str]) -> str:
    """List the sources without a value beside an interval in paragraphs of their own, if there are any."""
    sources = result.uncompared()
    return f"No value beside an interval:\n\n{_named(sources, where)}\n\n" if sources else ""


def _number(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _orders(comparisons: Sequence[Comparison], found: Sequence[Stand], clear: Sequence[Stand]) -> str:
    rows = [
        [source, "all", "1", str(count), f"{correlation:+.2f}"]
        for source, count, correlation in rank_orders(comparisons)
    ]
    for year, chosen, which in ((3, found, "all"), (1, clear, "clear plots"), (3, clear, "clear plots")):
        count, correlation = order_of(chosen, RAINIER, year)
        rows.append([RAINIER, which, str(year), str(count), f"{correlation:+.2f}"])
    count, correlation = order_of(found, INTERIOR, 1, "PSME")
    rows.append([INTERIOR, "PSME only", "1", str(count), f"{correlation:+.2f}"])
    return markdown_table(["source", "plots", "year", "pairs", "rank correlation"], rows)


def _elevation(found: Sequence[Stand], clear: Sequence[Stand]) -> str:
    elevations = elevations_of_places()
    rows = [
        [species, which, str(year), str(count), f"{observed:+.2f}", f"{predicted:+.2f}"]
        for year in (1, 3)
        for chosen, which in ((found, "all"), (clear, "clear"))
        for species, count, observed, predicted in elevation_effects(chosen, elevations, RAINIER, year)
    ]
    return markdown_table(["species", "plots", "year", "stands", "observed", "predicted"], rows)


def elevations_of_places() -> dict[tuple[str, str], float]:
    """Return the elevation of each place, m."""
    return {(place["source"], place["place"]): place["elevation_m"] for place in read_places()}


def _stand_table(found: Sequence[Stand]) -> str:
    rows = [
        [
            stand.place,
            stand.species_code,
            str(stand.year),
            f"{stand.trees:,}",
            share(stand.observed),
            share(stand.predicted),
            "-" if math.isnan(stand.low) else f"{share(stand.low)} to {share(stand.high)}",
            "" if not stand.low > stand.observed and not stand.observed > stand.high else "outside",
        ]
        for stand in found
    ]
    return markdown_table(["stand", "species", "year", "trees", "observed", "predicted", "80 % interval", ""], rows)


def _treatment_table(comparisons: Sequence[Comparison]) -> str:
    rows = [
        [name, source, str(year), str(count), f"{observed:+.2f}", f"{predicted:+.2f}"]
        for name, source, pair_of in _TREATMENTS
        for year in (1, 2, 3)
        for count, observed, predicted in [treatment_effect(comparisons, source, year, pair_of)]
        if count
    ]
    header = ["treatment", "source", "year", "pairs", "observed", "predicted"]
    return markdown_table(header, rows)


def _understorey(treatment: str) -> tuple[str, int] | None:
    place, _, plants = treatment.partition(", understorey ")
    return (place, int(plants == "left")) if plants else None


def _canopy(treatment: str) -> tuple[str, int] | None:
    place, _, plants = treatment.partition(", understorey ")
    return (plants, int(place == "under canopy")) if plants else None


def _retention(treatment: str) -> tuple[str, int] | None:
    sides = {"clearcut": 0, "60 % retention, thinned from below": 1}
    return ("", sides[treatment]) if treatment in sides else None


def _grass(treatment: str) -> tuple[str, int] | None:
    if "competition" not in treatment:
        return None
    return "", int("grass" in treatment)


_TREATMENTS = (
    ("understorey left, not removed", RAINIER, _understorey),
    ("under canopy, not in a gap", RAINIER, _canopy),
    ("60 % of the stand kept, not clearcut", INTERIOR, _retention),
    ("grass, not herbicide", "Pinto et al. 2018", _grass),
)
