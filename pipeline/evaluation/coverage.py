"""How often intervals contain the true survival, in redrawn worlds to which nothing was fitted.

The truth of a planting is the survival that its world gives its site: the world's hazards at the site's true inputs,
which differ from the grid's by their standard errors, with the effect of the site, and without the chance of counting
trees. The intervals are those that the service answers from the grid's inputs: at least as wide as to hold its value.
Both are compared at the four decimals of an answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit
from tqdm import tqdm

from pipeline.evaluation.graph import GraphModel, IntervalGraph
from pipeline.grid.arrow_file import Grid
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.intervals.model import LEVEL
from pipeline.intervals.refits import redrawn_truths
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.input_errors import standard_errors
from pipeline.outcomes.crest import west_of_crest
from pipeline.outcomes.envelopes import LOGARITHMIC_AXES, Environment
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.simulation import Truth
from pipeline.outcomes.species import species_codes

WORLDS = 300
SITES = 400
SEED = 77
DECIMALS = 4
DIFFERENCE = "difference"
ANSWERS = (*METHODS, DIFFERENCE)
_BOUNDS = {column.name: (column.minimum, column.maximum) for column in COLUMNS}


@dataclass(frozen=True)
class Intervals:
    """Lower and upper ends [2, species, sites, horizons] by answer, at `points` [sites] of the grid."""

    points: np.ndarray
    ends: dict[str, np.ndarray]


@dataclass(frozen=True)
class Coverage:
    """Shares of true survival inside the interval, below and above it, and the mean width."""

    answer: str
    group: str
    inside: float
    below: float
    above: float
    width: float


@dataclass(frozen=True)
class Width:
    """Median widths of intervals of the last horizon, as logits and as survival; quartiles of those of the first."""

    logit: float
    survival: float
    first_year: tuple[float, float]


def sample_of_sites(grid: Grid) -> np.ndarray:
    """Return the indices [sites] of grid points, all equally likely."""
    return np.random.default_rng(SEED).choice(len(grid.latitude), SITES, replace=False)


def answered_intervals(
    grid: Grid, models: dict[str, GraphModel], graphs: dict[str, IntervalGraph], points: np.ndarray
) -> Intervals:
    """Return the intervals of every species at some points."""
    features, errors = grid.features(FEATURE_NAMES)[points], standard_errors(grid, points)
    rows = [(features, np.full(len(points), species)) for species in range(len(species_codes()))]
    values = {method: np.stack([models[method].survival(*row) for row in rows]) for method in METHODS}
    draws = {method: np.stack([graphs[method].draws(*row, errors) for row in rows]) for method in METHODS}
    for of in (values, draws):
        of[DIFFERENCE] = of[METHODS[0]] - of[METHODS[1]]
    ends = {}
    for answer in ANSWERS:
        low, high = np.quantile(draws[answer], ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=-1)
        ends[answer] = np.stack([np.minimum(low, values[answer]), np.maximum(high, values[answer])]).round(DECIMALS)
    return Intervals(points, ends)


def coverage(grid: Grid, truth: Truth, intervals: Intervals) -> list[Coverage]:
    """Return the coverage of every answer, over all and by side of the Cascades, native range, horizon and species."""
    shape = (len(species_codes()), len(intervals.points), len(HORIZONS))
    below = {answer: np.zeros(shape) for answer in ANSWERS}
    above = {answer: np.zeros(shape) for answer in ANSWERS}
    for survival in _true_survival(grid, truth, intervals.points):
        for answer in ANSWERS:
            below[answer] += survival[answer] < intervals.ends[answer][0]
            above[answer] += survival[answer] > intervals.ends[answer][1]
    results = []
    for group, chosen in _groups(grid, intervals.points, shape).items():
        for answer in ANSWERS:
            low, high = (float(missed[answer][chosen].mean() / WORLDS) for missed in (below, above))
            width = float(np.diff(intervals.ends[answer], axis=0)[0][chosen].mean())
            results.append(Coverage(answer, group, 1 - low - high, low, high, width))
    return results


def widths(grid: Grid, intervals: Intervals) -> dict[str, dict[str, Width]]:
    """Return by place and method the widths of the intervals in native ranges.

    Places are thirds of the points by maximum VPD; on the logit scale probabilities are taken to be 0.001 to 0.999.
    """
    native = np.stack([grid.in_range(species)[intervals.points] for species in range(len(species_codes()))])
    dryness = grid.columns["vpd_max"][intervals.points]
    thirds = np.digitize(dryness, np.quantile(dryness, (1 / 3, 2 / 3)))
    of_places = {}
    for index, place in enumerate(("moist", "middling", "dry")):
        chosen = native & (thirds == index)
        of_places[place] = {method: _width(intervals.ends[method][:, chosen]) for method in METHODS}
    return of_places


def _width(ends: np.ndarray) -> Width:
    """Return the widths of intervals with ends [2, rows, horizons]."""
    survival = np.diff(ends, axis=0)[0]
    logits = np.diff(logit(ends[..., -1].clip(0.001, 0.999)), axis=0)[0]
    low, high = np.quantile(survival[:, 0], (0.25, 0.75))
    return Width(float(np.median(logits)), float(np.median(survival[:, -1])), (float(low), float(high)))


def _true_survival(grid: Grid, truth: Truth, points: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
    """Yield the true survival [species, sites, horizons] by answer in one world after another."""
    generator = np.random.default_rng(SEED + 1)
    species, sites = range(len(species_codes())), np.arange(len(points))
    for world in tqdm(redrawn_truths(grid, truth, WORLDS, SEED), total=WORLDS, desc="coverage"):
        moved = replace(world, environment=_true_environment(grid, truth.environment, points, generator))
        effect = generator.standard_normal((len(species), len(points), 1))
        survival = {}
        for method in METHODS:
            logits = np.stack([moved.logits(method, index, sites) for index in species])
            survival[method] = np.cumprod(expit(-(logits + world.site_sd(method) * effect)), axis=2)
            own = generator.standard_normal(effect.shape)
            shared = world.world.site_correlation
            effect = shared * effect + np.sqrt(1 - shared**2) * own
        survival[DIFFERENCE] = survival[METHODS[0]] - survival[METHODS[1]]
        yield {answer: survival[answer].round(DECIMALS) for answer in ANSWERS}


def _true_environment(
    grid: Grid, environment: Environment, points: np.ndarray, generator: np.random.Generator
) -> Environment:
    """Return the environment of sites whose features differ from the grid's by independent normal errors."""
    deviations = standard_errors(grid, points) * generator.standard_normal((len(points), len(FEATURE_NAMES)))
    of_grid = environment.at(points)
    axes, scores = {}, {}
    for name, of_points in of_grid.axes.items():
        value = grid.columns[name][points] + deviations[:, FEATURE_NAMES.index(name)]
        value = value.clip(*_BOUNDS[name])
        axes[name] = np.log(value) if name in LOGARITHMIC_AXES else value
        # A score is linear in its axis.
        rate = np.ptp(of_grid.scores[name]) / np.ptp(of_points)
        scores[name] = of_grid.scores[name] + rate * (axes[name] - of_points)
    return Environment(axes, scores, of_grid.zone_shift)


def _groups(grid: Grid, points: np.ndarray, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Return a mask [species, sites, horizons] by group."""
    west = west_of_crest(grid.latitude[points], grid.longitude[points])
    native = np.stack([grid.in_range(species)[points] for species in range(shape[0])])
    masks = {"all": np.True_, "west of the Cascades": west[:, None], "east of the Cascades": ~west[:, None]}
    masks["native range"] = native[:, :, None]
    for column, horizon in enumerate(HORIZONS):
        masks[f"year {horizon}"] = np.arange(shape[2]) == column
    for index, code in enumerate(species_codes()):
        masks[code] = (np.arange(shape[0]) == index)[:, None, None]
    return {group: np.broadcast_to(mask, shape) for group, mask in masks.items()}
