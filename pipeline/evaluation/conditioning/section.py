"""The section of docs/evidence.md on conditioning."""

import pandas as pd

from pipeline.evaluation.conditioning.observations import OFFSETS, read_observations
from pipeline.evaluation.conditioning.result import CONVERGED, Result, plantings_sha256, process_sha256, read_result
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.summary import FITS
from pipeline.evaluation.evidence.text import filled
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.plantings import Plantings

_NEVER = "`python -m pipeline condition` has not been run: the models are not conditioned on these plantings."


def conditioning_section(grid: Grid) -> str:
    """Return what `condition` found when it was last run, and whether it is out of date."""
    result = read_result()
    if result is None:
        return _NEVER
    observations = read_observations(grid, read_plantings())
    now = (process_sha256(Plantings(grid, observations.table)), plantings_sha256(observations))
    return section_of(result, is_stale=now != (result.process_sha256, result.plantings_sha256))


def section_of(result: Result, *, is_stale: bool) -> str:
    """Return the section on a result."""
    return f"""`python -m pipeline condition` conditions the sizes of the simulation on the plantings: a Markov chain
(preconditioned Crank-Nicolson) over the deviates of `World` from its priors and over the effects of source, programme,
place and stand. Drone-seeded spots are not used. Counts are beta-binomial as in the log score above, but survival is
the mean over the plots of a stand, and inputs have no error. A source that states a condition which kills and which no
input has gets an offset on the hazard logit. The offsets were committed before the first result was looked at and were
not changed after it, but whoever chose them had seen the counts.

{_offsets()}

The zones of species follow the crest of the Cascades, which is known from 42 to 49 N; beyond, its ends stand in. Alex
Fraser and John Prince, in the interior of British Columbia, count as west of it, and the King Fire, on the western
slope of the Sierra, as east of it. This concerns conditioning only.

Each source in turn was left out, and its plantings predicted by the prior and by the posterior of the others, each with
a programme and a place of its own. The chain without a source starts at a draw of the prior, so that it has not seen
that source, and burns in for as long as those of all sources.

The score is the mean log score of a planting; the error of the gain is half the difference between the halves of the
chain. *Inside* is not the coverage of the served intervals above: here an interval is of the mean over a stand's plots,
a source has a programme and a place of its own, and its offset.

{_held_out(result)}

{_decided(result, is_stale)}

{filled(_chains(result))} What moved most, in prior standard deviations:

{_moved(result)}

The draws are in `pipeline/evaluation/conditioning/posterior.npy`, with their SHA-256 in `result.json` beside it."""


_RULE = (
    "The rule was set before: the two chains must agree (potential scale reduction below "
    f"{CONVERGED}), every source that is left out must gain, and the intervals must hold at least {FITS:.0%} of its "
    "values on average over the sources."
)


_STALE = (
    " **The simulation or the plantings have changed since this run**: its figures are of an earlier version. Run "
    "`condition` again."
)


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
    reasons = []
    if result.losing:
        reasons.append(f"{len(result.losing)} of {len(result.held_out)} sources lose ({', '.join(result.losing)})")
    if not result.covers:
        reasons.append("too few values lie inside the intervals")
    if not result.has_converged:
        reasons.append(f"the chains do not agree yet (potential scale reduction {result.largest_reduction:.1f})")
    return f"The prior is served: {'; '.join(reasons)}."


def _decided(result: Result, is_stale: bool) -> str:
    return filled(f"**{_decision(result)}** {_RULE}{_STALE if is_stale else ''}")


def _chains(result: Result) -> str:
    return (
        f"Two chains ran over all sources, {result.steps:,} steps each after {result.burn_in:,} to burn in. Of these "
        f"{_accepted(result)} were accepted; the largest potential scale reduction over the deviates is "
        f"{result.largest_reduction:.2f}."
        + ("" if result.has_converged else " Until the chains agree the gains above are provisional.")
    )


def _accepted(result: Result) -> str:
    return " and ".join(f"{share:.0%}" for share in result.accepted)


def _moved(result: Result) -> str:
    rows = [[f"`{m.name}`", f"{m.mean:+.2f}", f"{m.sd:.2f}", f"{m.reduction:.2f}"] for m in result.moved]
    return markdown_table(["size", "mean", "SD", "scale reduction"], rows)
