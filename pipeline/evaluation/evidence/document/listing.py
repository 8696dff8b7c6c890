"""Every planting compared with the models: the `evidence` array of the manifest, and a table for readers.

Plantings and sown spots only; seeds are in :mod:`.seeds`.
"""

from collections.abc import Sequence

from pipeline.evaluation.evidence.plantings import Census
from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.scores import is_inside, values
from pipeline.evaluation.evidence.text import share
from pipeline.evaluation.model_card.text import markdown_table

DECIMALS = 4


def evidence_rows(comparisons: Sequence[Comparison]) -> list[dict]:
    """Return a row for each planting and each of its censuses of years 1 to 5 that is a value.

    `horizon_years` is the whole year compared with, between two horizons of the models by equal hazards.
    """
    rows = []
    for comparison in comparisons:
        planting, predicted = comparison.planting, comparison.predicted
        for census in values(planting.censuses):
            ends = (None, None) if predicted.interval is None else predicted.interval[:, census.year - 1]
            low, high = (None if end is None else round(float(end), DECIMALS) for end in ends)
            rows.append(
                {
                    "source": planting.source,
                    "place": planting.place,
                    "treatment": planting.treatment or None,
                    "species_code": planting.species_code,
                    "planting_method": planting.method,
                    "years": census.years,
                    "horizon_years": census.year,
                    "trees": planting.trees,
                    "observed": round(census.survival, DECIMALS),
                    "predicted": round(float(predicted.survival[census.year - 1]), DECIMALS),
                    "low": low,
                    "high": high,
                    "use": comparison.use,
                }
            )
    return rows


def listing(comparisons: Sequence[Comparison]) -> str:
    """Return every planting and census as a Markdown document, bounds among them."""
    header = ["place", "treatment", "species", "year", "trees", "observed", "predicted", "80 % interval", ""]
    parts = [_TITLE]
    for source in dict.fromkeys(comparison.planting.source for comparison in comparisons):
        mine = [comparison for comparison in comparisons if comparison.planting.source == source]
        rows = [_line(comparison, census) for comparison in mine for census in comparison.planting.censuses]
        parts.append(f"## {source}\n\n{markdown_table(header, rows)}")
    return "\n\n".join(parts) + "\n"


_TITLE = """# Every planting beside the models

`python -m pipeline evidence` writes this file; [evidence.md](../evidence.md) says how the figures were compared. Years
are those since planting; where a planting was seen between two horizons of the models, the hazard within the period is
taken to be equal. *Outside*: the observed value lies outside the interval. A bound is no value."""


def _line(comparison: Comparison, census: Census) -> list[str]:
    planting, predicted = comparison.planting, comparison.predicted
    survival = predicted.survival[census.year - 1]
    interval, note = "-", "bound" if census.is_bound else ""
    if predicted.interval is not None:
        low, high = predicted.interval[:, census.year - 1]
        interval = f"{share(low)} to {share(high)}"
        if not is_inside(census, predicted.interval):
            note = "bound, outside" if census.is_bound else "outside"
    trees = "-" if planting.trees is None else f"{planting.trees:,}"
    method = "" if planting.method == "manual" else ", sown spot"
    return [
        planting.place,
        planting.treatment or "-",
        planting.species_code + method,
        f"{census.years:g}",
        trees,
        observed_text(census),
        share(survival),
        interval,
        note,
    ]


def observed_text(census: Census) -> str:
    """Return an observed value, range or bound as a document shows it."""
    if not census.is_bound:
        ends = (share(census.low), share(census.high))
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return f"over {census.low:.2f}" if census.high == 1 else f"under {census.high:.2f}"
