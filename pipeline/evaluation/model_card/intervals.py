"""The section of the model card on intervals."""

from pipeline.evaluation.coverage import ANSWERS, SITES, WORLDS, Coverage, Intervals, Width, widths
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import Grid
from pipeline.intervals.fit import WORLDS as FITTED_WORLDS
from pipeline.intervals.model import LEVEL
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes

COVERAGE_RANGE = (0.76, 0.84)
AIMED_GROUPS = ("all", "west of the Cascades", "east of the Cascades")


def intervals_section(grid: Grid, intervals: Intervals, results: list[Coverage]) -> str:
    """Report how often the intervals held the truth, and where they are wide."""
    low, high = COVERAGE_RANGE
    aimed = [result for result in results if result.group in AIMED_GROUPS]
    reached = "reached" if all(low <= result.inside <= high for result in aimed) else "**not reached**"
    return f"""## Intervals

The {LEVEL:.0%} interval is where the survival of a plot of a planting is expected to lie in 8 of 10 cases:
`docs/intervals.md` says what is in it. Coverage is the share of true survival - at the site's true inputs, with its
site effect, without the chance of counting trees - inside the interval, over {SITES} sites of the grid, all species and
horizons, and {WORLDS} redrawn worlds other than the {FITTED_WORLDS} that the intervals were fitted to.

Target: {low:.0%} to {high:.0%} over all and on both sides of the Cascades, for both methods and their difference:
{reached}. *Reached* holds in worlds that are drawn from the same priors as those of the fit. Where no prior
covers what happens on the ground, coverage is lower: see *Tested on planted trees*.

{_coverage_table([result for result in results if result.group not in species_codes()])}

By species, all horizons. {_species_outside(results)}

{_species_table(results)}

{_widths(grid, intervals)}"""


def _coverage_table(results: list[Coverage]) -> str:
    rows = [
        [
            result.group,
            result.answer,
            f"{result.inside:.1%}",
            f"{result.below:.1%}",
            f"{result.above:.1%}",
            f"{result.width:.3f}",
        ]
        for result in results
    ]
    return markdown_table(["where", "interval of", "inside", "below", "above", "mean width"], rows)


def _species_table(results: list[Coverage]) -> str:
    inside = {(result.group, result.answer): f"{result.inside:.1%}" for result in results}
    rows = [[code, *(inside[code, answer] for answer in ANSWERS)] for code in species_codes()]
    return markdown_table(["species", *ANSWERS], rows)


def _species_outside(results: list[Coverage]) -> str:
    """Name the species whose coverage lies outside the range of the target."""
    low, high = COVERAGE_RANGE
    outside = [
        f"{result.group} {result.answer} ({result.inside:.1%})"
        for result in results
        if result.group in species_codes() and not low <= round(result.inside, 3) <= high
    ]
    if not outside:
        return f"All are from {low:.0%} to {high:.0%}."
    return f"Outside {low:.0%} to {high:.0%}, which the target does not ask of single species: {', '.join(outside)}."


def _widths(grid: Grid, intervals: Intervals) -> str:
    of_places = widths(grid, intervals)
    rows = [[place, *(_width(of[method]) for method in METHODS)] for place, of in of_places.items()]
    low, high = of_places["dry"]["drone_seeded"].first_year
    return f"""Median width of the interval of survival to year 5 on the logit scale and, in brackets, of survival
itself, for species in their native ranges. On the logit scale it should be widest where least is known, for drone
seeding on dry sites. There an interval says little: to year 1, half of them are {low:.2f} to {high:.2f} wide.

{markdown_table(["sites", *METHODS], rows)}"""


def _width(width: Width) -> str:
    return f"{width.logit:.2f} ({width.survival:.2f})"
