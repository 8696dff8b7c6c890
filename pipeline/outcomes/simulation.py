"""Simulate the outcomes of planting programmes, as a table like one from the field.

The trees follow the hazards of `true_hazards` plus a site effect that no grid column explains. The table has what a
crew would record: place, species, method, year, and whether the tree lived. It does not have the hazards.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.envelopes import AXES, Envelope, Environment, Scale, on_axis, species_envelopes
from pipeline.outcomes.intercepts import (
    PUBLISHED_SITE,
    PUBLISHED_SPECIES,
    PUBLISHED_SURVIVAL,
    averaging,
    expected_survival,
    intercepts,
)
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.seeds import seed_ratio, spot_logits
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.true_hazards import method_logit, predictor, species_terms
from pipeline.outcomes.world import World

PLOTS = 10_000
PLOTS_OF_MAIN_SPECIES = 60_000
"""Far more Douglas-fir is planted than any other tree; the published sample is of that species too."""
TREES_PER_PLOT = 8
NATIVE_SHARE = 0.7
"""Share of plots inside the native range; the others are off-site trials, which show where not to plant."""
LOST_SHARE = 0.06
"""Chance at each visit after the first that a living tree is not found or not visited again."""
PLANTED_YEARS = np.arange(2008, 2019)
VISITS = (1, 3, 5)


@dataclass(frozen=True)
class Truth:
    """The hazards of a world: environment, scale and envelopes of the grid, and intercepts [periods] by method."""

    world: World
    environment: Environment
    scale: Scale
    envelopes: list[Envelope]
    intercepts: dict[str, np.ndarray]

    def logits(self, method: str, species: int, points: np.ndarray) -> np.ndarray:
        """Return the hazard logits [points, periods] of a species, by its index, at the typical site of grid points.

        The practice is the average one, and a spot has the default seeds.
        """
        return self.logits_in(self.environment.at(points), method, species)

    def logits_in(self, environment: Environment, method: str, species: int) -> np.ndarray:
        """Return the hazard logits [points, periods] of a species, by its index, in an environment [points]."""
        logits = self.sown_logits(environment, method, species)
        return logits if method == METHODS[0] else spot_logits(logits, seed_ratio(self.world))

    def sown_logits(self, environment: Environment, method: str, species: int) -> np.ndarray:
        """Return hazard logits like `logits`, for seed at the central rates of emergence and first-year survival."""
        return self.intercepts[method] + predictor(environment, species, self.envelopes[species], self.world, method)

    def survival(self, method: str, species: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Return expected survival [rows, horizons] of species at points [rows], the best prediction from the grid."""
        survival = np.zeros((len(point), len(VISITS)))
        for index in np.unique(species):
            rows = species == index
            survival[rows] = expected_survival(self.logits(method, index, point[rows]), self.site_sd(method))
        return survival

    def curve(self, method: str, species: int, feature: str, values: np.ndarray) -> np.ndarray:
        """Return the logits [values, periods] of the terms of one feature at its values, others at their medians."""
        medians = {name: np.full(len(values), self.scale.middle[name]) for name in AXES}
        axes = medians | {feature: on_axis(feature, np.asarray(values, dtype=np.float64))}
        environment = Environment.of_axes(axes, np.zeros(len(values)), self.scale)
        total = np.zeros((len(values), len(VISITS)))
        for term in species_terms(environment, species, self.envelopes[species], self.world):
            if term.variable == feature:
                weights = np.array(self.world.process_weights[term.process])
                total += method_logit(term, method, self.world)[:, None] * weights
        return total

    def averaged_curve(self, method: str, species: int, feature: str, values: np.ndarray) -> np.ndarray:
        """Return the same for the hazard averaged over sites, as trees of many sites show it."""
        return averaging(self.site_sd(method)) * self.curve(method, species, feature, values)

    def site_sd(self, method: str) -> float:
        """Return the standard deviation, in logits, of the site effects that no grid column explains."""
        return self.world.site_sd(method)


def true_process(grid: Grid, world: World) -> Truth:
    """Return the hazards of every species at every grid point in a world."""
    environment, scale = Environment.of_grid(grid), Scale.of_grid(grid)
    envelopes = species_envelopes(grid, environment)
    site = environment.at(np.array([grid.nearest(*PUBLISHED_SITE)]))
    return Truth(world, environment, scale, envelopes, solved_intercepts(world, site, envelopes))


def truth_of_world(world: World, central: Truth, published: Environment) -> Truth:
    """Return the hazards of a world, from those of the central one and the environment of the published site."""
    return replace(central, world=world, intercepts=solved_intercepts(world, published, central.envelopes))


def solved_intercepts(world: World, published: Environment, envelopes: list[Envelope]) -> dict[str, np.ndarray]:
    """Return the intercepts [periods] by method, from the environment of the published site.

    The published sample is taken to be of usual stock in a usual year.
    """
    species = species_codes().index(PUBLISHED_SPECIES)
    usual = replace(world, drought_year=0.0, stock_shift=(0.0,) * len(species_codes()))
    solved = {}
    for method in METHODS:
        at_site = predictor(published, species, envelopes[species], usual, method)[0]
        solved[method] = world.level + intercepts(at_site, PUBLISHED_SURVIVAL[method], world.site_sd(method))
    return solved


def simulated_outcomes(grid: Grid, truth: Truth, seed: int) -> pd.DataFrame:
    """Return an outcomes table (see `table`) of `plots_of` plots per species and method, TREES_PER_PLOT trees each."""
    generator = np.random.default_rng(seed)
    tables = []
    for method in METHODS:
        for index, code in enumerate(tqdm(species_codes(), desc=f"simulate {method}")):
            plots = plots_of(code)
            points = plot_points(truth.envelopes[index].inside, plots, generator)
            years, alive = _followed_trees(truth.logits(method, index, points), truth.site_sd(method), generator)
            planted = generator.choice(PLANTED_YEARS, size=plots)
            tables.append(
                pd.DataFrame(
                    {
                        "latitude": np.repeat(grid.latitude[points], TREES_PER_PLOT),
                        "longitude": np.repeat(grid.longitude[points], TREES_PER_PLOT),
                        "species_code": code,
                        "planting_method": method,
                        "planted_year": np.repeat(planted, TREES_PER_PLOT),
                        "years_observed": years.ravel(),
                        "alive": alive.ravel(),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def plots_of(species_code: str) -> int:
    """Return the number of plots of a species by each method."""
    return PLOTS_OF_MAIN_SPECIES if species_code == PUBLISHED_SPECIES else PLOTS


def plot_points(inside: np.ndarray, plots: int, generator: np.random.Generator) -> np.ndarray:
    """Return grid points [plots] for a species whose native range is `inside`, bool [points]."""
    native = round(plots * NATIVE_SHARE)
    return np.concatenate(
        [generator.choice(np.flatnonzero(inside), size=native), generator.choice(len(inside), size=plots - native)]
    )


def _followed_trees(
    logits: np.ndarray, site_sd: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return years observed and alive, both [plots, trees], for plots with hazard logits [plots, periods]."""
    site_effect = generator.normal(0.0, site_sd, size=(len(logits), 1))
    shape = (len(logits), TREES_PER_PLOT)
    years = np.zeros(shape, dtype=np.int64)
    alive = np.ones(shape, dtype=np.int64)
    followed = np.ones(shape, dtype=bool)
    for period, visit in enumerate(VISITS):
        if period > 0:
            followed &= generator.random(shape) >= LOST_SHARE
        dies = followed & (generator.random(shape) < expit(logits[:, period, None] + site_effect))
        years[followed] = visit
        alive[dies] = 0
        followed &= ~dies
    return years, alive
