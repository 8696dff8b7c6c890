"""The section of docs/evidence.md on conditioning."""

import pandas as pd

from pipeline.evaluation.conditioning.observations import OFFSETS
from pipeline.evaluation.conditioning.result import Result, plantings_sha256, process_sha256, read_result
from pipeline.evaluation.evidence.summary import FITS
from pipeline.evaluation.model_card.text import markdown_table

_NEVER = "`python -m pipeline condition` has not been run: the models are not conditioned on these plantings."


def conditioning_section() -> str:
    """Return what `condition` found when it was last run."""
    result = read_result()
    return _NEVER if result is None else section_of(result)


def section_of(result: Result) -> str:
    """Return the section on a result."""
    return f"""`python -m pipeline condition` conditions the sizes of the simulation on the plantings: a Markov chain
(preconditioned Crank-Nicolson) over the deviates of `World` from its priors and over the effects of {_LEVELS}.
Drone-seeded spots are not used. Counts are as in the log score above. The offsets were fixed before the first chain was
run and were not changed after it: hazard logits of sources that state a condition which kills and which no input has.

{_offsets()}

Each source in turn was left out, and its plantings predicted by the prior and by the posterior of the others, each with
a programme and a place of its own. The score is the mean log score of a planting; the error of the gain is half the
difference between the halves of the chain.

{_held_out(result)}

**{_decision(result)}** The rule was set before: every held-out source must gain, and the intervals must hold at least
{FITS:.0%} of its values on average over the sources.{_stale(result)}

Two chains ran over all sources, {result.steps:,} steps each after {result.burn_in:,} to burn in. Of the steps
{_accepted(result)} were accepted; the largest potential scale reduction over the deviates is
{result.largest_reduction:.2f}. What moved most, in prior standard deviations:

{_moved(result)}

The draws are in `pipeline/evaluation/conditioning/posterior.npy`, with their SHA-256 in `result.json` beside it."""


_LEVELS = "source, programme, place and stand"


def _offsets() -> str:
    table = pd.read_csv(OFFSETS).to_dict("records")
    rows = [[row["source"], f"{row['mean']:+g}", f"{row['sd']:g}", row["reason"]] for row in table]
    rows.append(["the others", "0", "0", "the effect of the programme covers stock and care"])
    return markdown_table(["source", "mean", "SD", "why"], rows)


def _held_out(result: Result) -> str:
    rows = [
        [
            source.source,
            str(source.plantings),
            f"{source.prior:.2f}",
            f"{source.posterior:.2f}",
            f"{source.gain:+.2f} ± {source.error:.2f}",
            f"{source.prior_inside} of {source.compared}",
            f"{source.posterior_inside} of {source.compared}",
        ]
        for source in result.held_out
    ]
    header = ["source left out", "plantings", "prior", "posterior", "gain", "inside, prior", "inside, posterior"]
    return markdown_table(header, rows)


def _decision(result: Result) -> str:
    if result.may_be_served:
        return "The posterior may be served."
    lost = [source.source for source in result.held_out if source.gain <= 0]
    why = f"these sources lose: {', '.join(lost)}" if lost else "too few values lie inside the intervals"
    return f"The prior is served: {why}."


def _stale(result: Result) -> str:
    if (result.process_sha256, result.plantings_sha256) == (process_sha256(), plantings_sha256()):
        return ""
    return (
        "\n\n**The simulation or the plantings have changed since this run**: its figures are of an earlier version. "
        "Run `condition` again."
    )


def _accepted(result: Result) -> str:
    return " and ".join(f"{share:.0%}" for share in result.accepted)


def _moved(result: Result) -> str:
    rows = [[f"`{m.name}`", f"{m.mean:+.2f}", f"{m.sd:.2f}", f"{m.reduction:.2f}"] for m in result.moved]
    return markdown_table(["size", "mean", "SD", "scale reduction"], rows)
