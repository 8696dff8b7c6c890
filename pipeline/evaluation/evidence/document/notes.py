"""Notes of docs/evidence.md on how to read its result, as far as the comparison bears them out."""

from collections.abc import Sequence

from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.redcedar import redcedar_visits
from pipeline.evaluation.evidence.scores import coverage
from pipeline.evaluation.evidence.summary import Result
from pipeline.evaluation.evidence.text import filled
from pipeline.models.artefacts import simulated_methods
from pipeline.outcomes.practice import LINEAR_PRACTICES

INTERIOR = "tcharris2/MTP_Fd_Regen"


def interior(result: Result) -> str:
    """Say of which places the rows of British Columbia are, in a paragraph, if there are two."""
    of_years = {of.year: of for source in result.sources if source.source == INTERIOR for of in source.years}
    if len(of_years) < 2:
        return ""
    predicted = " and the models predict that most die" if of_years[2].predicted < 0.5 else ""
    return (
        "**British Columbia has two rows of different places.** That of year 2 is John Prince alone, the northernmost "
        f"place, where\nmost trees lived{predicted}.\n\n"
    )


def pessimism(result: Result) -> str:
    """Say at the end of a sentence what the upper bound of British Columbia may explain if the models predict less."""
    years = [of for source in result.sources if source.source == INTERIOR for of in source.years]
    is_pessimistic = any(of.predicted < of.observed for of in years)
    return ", so\n  that part of the apparent pessimism may be an artefact" if is_pessimistic else ""


def independence(manifest: dict) -> str:
    """Say what whoever made the models knew of the plantings."""
    simulated = simulated_methods(manifest)
    if not simulated:
        fitted = "- **The models were fitted without these plantings.**"
        if {practice.name for practice in LINEAR_PRACTICES} & {feature["name"] for feature in manifest["features"]}:
            fitted += " The effects of vegetation and overstory were not fitted: their sizes come from Mount Rainier "
            fitted += "and Idaho."
        return filled(fitted)
    of = "" if simulated == list(manifest["methods"]) else f" of the {simulated[0]} model"
    aimed_at = filled(
        "- **Some of it was aimed at.** The sizes of vegetation and overstory come from Mount Rainier and Idaho, the "
        "spread between plantings from British Columbia and Vancouver Island, and with weed control the interval at "
        "Medford was made to reach 0.89. Medford's two figures are of two species together and stand here for each: "
        "its four values are two."
    )
    view = "Whoever set the sizes of the simulation had these sources in view."
    return f"- **It is no independent test{of}.** {view}\n{aimed_at}"


def known(every: Result, tested: Result) -> str:
    """Name the sources that are left out because the models know them."""
    names = {source.source for source in tested.sources}
    items = [
        f"- **Not counted: {source.source}.** The models know of its {source.trees:,} trees from a table."
        for source in every.sources
        if source.source not in names
    ]
    return "".join(f"\n{filled(item)}" for item in items)


def extrapolated(comparisons: Sequence[Comparison]) -> str:
    """Say how many values lie inside where the models extrapolate, and where they do not."""
    counts = []
    for beyond in (False, True):
        inside, below, above = coverage([c for c in comparisons if bool(c.predicted.beyond) == beyond])
        counts.append(f"{inside} of {inside + below + above}")
    names = sorted({name for comparison in comparisons for name in comparison.predicted.beyond})
    return filled(
        f"- **Extrapolation.** Within the 1st to the 99th percentile of the training "
        f"sites {counts[0]} values lie inside, beyond it in any feature ({', '.join(names) or 'none'}) {counts[1]}."
    )


def redcedars() -> str:
    """Say between which ends the survival of the redcedars lies, as some were not found."""
    visits = redcedar_visits().assign(year=lambda table: table["years"].round().astype(int))
    sums = visits.groupby("year")[["planted", "alive", "missing"]].sum()
    ends = [
        f"{alive / planted:.2f} and {(alive + missing) / planted:.2f} in year {year}"
        for year, planted, alive, missing in sums.itertuples()
    ]
    return filled(
        "- **The redcedars are a lower bound.** Trees that were not found count as dead here, while the table that "
        f"`example` writes leaves out those that never were. The survival of all lies between {', '.join(ends)}: the "
        "first if trees that were not found had died, the second if they lived."
    )


def sown_spots(comparisons: Sequence[Comparison]) -> str:
    """Say which sown spots are among the plantings, and where their values lie if all lie above their intervals."""
    item = "- **No spot seeded by drone in the two states is among them.**"
    inside, below, above = coverage([c for c in comparisons if c.planting.method == "drone_seeded"])
    if inside == below == 0 and above == 3:
        item += " The three observed values of sown spots, one of drones in California and two of hand-sown spots, all "
        item += "lie above their intervals."
    return filled(item)
