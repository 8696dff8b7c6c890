"""The section of the model card on published survival."""

from pipeline.evaluation.evidence import Comparison
from pipeline.evaluation.model_card.text import markdown_table

HOT_VALLEYS = "hot valleys of southwestern Oregon"


def evidence_section(comparisons: list[Comparison], *, simulated: bool) -> str:
    """Report observed survival beside the models', misses included."""
    rows = [
        [
            row.evidence["source"],
            row.evidence["place"],
            f"{row.evidence['species']}, {row.evidence['method']}",
            f"{row.evidence['observed_year']}",
            _observed(row),
            f"{row.evidence['model_year']}",
            f"{row.mean:.2f} ({row.low:.2f} to {row.high:.2f})",
            row.evidence["remark"],
        ]
        for row in comparisons
    ]
    header = ["source", "place", "species, method", "year", "observed", "model's year", "model", "remark"]
    independent = (
        "No constant of the\nsimulation is fitted to one of them, but its sizes were set with this table in view: it "
        "is no independent test."
        if simulated
        else "The models were\nfitted without them."
    )
    return f"""## Published survival beside the models

Every published figure that could be had, whether it fits or not. {independent} Each
figure is of few sites, years and stocks. The published places are approximate: the model's figure is the mean over the
grid points within some kilometres and the elevations of the source, in brackets the 5th to the 95th percentile of the
points, which leaves out what differs between sites alike on the grid.

**A drone-seeded "tree" is a spot sown with a pod in which a seedling lives, not a seed.** Figures of single seeds and
emergents are far lower and are no measure of the drone-seeded model; they are here because nothing closer exists.

{markdown_table(header, rows)}{_largest_miss(comparisons) if simulated else ""}"""


def _largest_miss(comparisons: list[Comparison]) -> str:
    """Say why the models stay far below what was observed in the hot valleys."""
    rows = [row for row in comparisons if row.evidence["place"] == HOT_VALLEYS]
    figures = ", ".join(f"{row.evidence['species']} {row.mean:.2f}" for row in rows)
    return f"""

The largest miss of planted trees is that of the {HOT_VALLEYS}: {figures}, where
{_observed(rows[0])} was observed. It stays. Those trees were planted with care, which is no input: survival here is an
average over ordinary and careful plantings. The effects of drought are the same in the whole region; sizes that raised
these valleys to what was observed would leave little of them on other dry sites, where the orderings below rest on
them."""


def _observed(row: Comparison) -> str:
    low, high = row.evidence["observed_low"], row.evidence["observed_high"]
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
