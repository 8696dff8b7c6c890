"""The counts that worlds are conditioned on, and their likelihood.

The hazard logits of a planting are those of its world, plus an offset of its source, plus the effects of its programme,
place and stand. Survival is averaged over plots, whose spread the beta-binomial of the counts includes, too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import betaln, gammaln

from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.places import PlaceReader, read_places
from pipeline.evaluation.evidence.plantings import Planting
from pipeline.evaluation.evidence.predictions import yearly
from pipeline.evaluation.evidence.redcedar import REDCEDAR
from pipeline.evaluation.evidence.scores import correlation_of, counts_of, values
from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.envelopes import AXES
from pipeline.outcomes.intercepts import expected_survival
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.practice import LINEAR_PRACTICES

OFFSETS = Path(__file__).with_name("offsets.csv")
"""Mean and SD of the hazard logit for sources that state a cause of death which no input represents."""
ONE_PROGRAMME = frozenset({"AileneKane/mora_transplant", REDCEDAR})
"""Sources that planted all their places in one season and with one stock. The others have a programme for each
location and cohort."""
LEVELS = ("offset", "programme", "place", "stand")
_YEARS = 5


@dataclass(frozen=True)
class Observations:
    """Plantings by hand with counts [plantings], and the unit of each level that each belongs to.

    `table` has what :class:`pipeline.outcomes.plantings.Plantings` needs; `alive`, `before` and `correlation` are
    [plantings, years 1 to 5], with 0 trees before in years without a census; `since` is the year of the census before.
    `offset` is mean and SD [plantings, 2].
    """

    plantings: tuple[Planting, ...]
    table: pd.DataFrame
    alive: np.ndarray
    before: np.ndarray
    since: np.ndarray
    correlation: np.ndarray
    offset: np.ndarray
    units: dict[str, np.ndarray]

    @property
    def sources(self) -> list[str]:
        """The sources, in the order of the plantings."""
        return list(dict.fromkeys(planting.source for planting in self.plantings))

    def of_source(self, source: str) -> np.ndarray:
        """Return which plantings are of the source, bool [plantings]."""
        return np.array([planting.source == source for planting in self.plantings])

    def log_likelihood(self, logits: np.ndarray, plot_sd: float) -> np.ndarray:
        """Return the log probability [plantings] of the counts at hazard logits [plantings, periods]."""
        survival = np.column_stack([np.ones(len(logits)), yearly(expected_survival(logits, plot_sd))])
        rows = np.arange(len(logits))[:, None]
        share = (survival[:, 1:] / survival[rows, self.since]).clip(1e-4, 1 - 1e-4)
        return np.where(self.before > 0, self._beta_binomial(share), 0.0).sum(axis=1)

    def _beta_binomial(self, share: np.ndarray) -> np.ndarray:
        """Return log probabilities; for a correlation of 0, as of a single tree, nearly those of the binomial."""
        size = 1 / np.maximum(self.correlation, 1e-3) - 1
        first, second, died = share * size, (1 - share) * size, self.before - self.alive
        ways = gammaln(self.before + 1) - gammaln(self.alive + 1) - gammaln(died + 1)
        return ways + betaln(self.alive + first, died + second) - betaln(first, second)


def read_observations(grid: Grid, plantings: Sequence[Planting]) -> Observations:
    """Return the plantings by hand that have a count or a level, with their environment and practice."""
    columns = [{"name": name, "error": {"at_point": 0.0, "per_km": 0.0}} for name in AXES]
    reader = PlaceReader(grid, columns, OutsidePlaces(grid))
    places = {(place["source"], place["place"]): place for place in read_places()}
    used, rows = [], []
    for planting in plantings:
        if planting.method != METHODS[0] or not values(planting.censuses):
            continue
        used.append(planting)
        place = places[planting.source, planting.place]
        environment = reader.inputs(planting).features.mean(axis=0)
        rows.append(
            {name: place[name] for name in ("latitude", "longitude")}
            | {"species_code": planting.species_code, "planting_method": planting.method}
            | dict(zip(AXES, environment, strict=True))
            | {feature.name: planting.practice.get(feature.name, np.nan) for feature in LINEAR_PRACTICES}
        )
    alive, before = np.zeros((2, len(used), _YEARS))
    since = np.zeros((len(used), _YEARS), dtype=int)
    correlation = np.zeros((len(used), _YEARS))
    for row, planting in enumerate(used):
        counts = counts_of(planting)
        trees, year_before = counts.trees, 0
        for living, year in zip(counts.alive, counts.years, strict=True):
            alive[row, year - 1], before[row, year - 1], since[row, year - 1] = living, trees, year_before
            correlation[row, year - 1] = correlation_of(trees)
            trees, year_before = living, year
    offsets = {line["source"]: (line["mean"], line["sd"]) for line in pd.read_csv(OFFSETS).to_dict("records")}
    offset = np.array([offsets.get(planting.source, (0.0, 0.0)) for planting in used])
    return Observations(tuple(used), pd.DataFrame(rows), alive, before, since, correlation, offset, _units(used))


def _units(plantings: Sequence[Planting]) -> dict[str, np.ndarray]:
    """Return for each level the index of the unit [plantings] that each planting belongs to."""
    keys = {level: [] for level in LEVELS}
    for planting in plantings:
        cohort = re.sub(r" stand \d+$", "", planting.place)
        keys["offset"].append(planting.source)
        keys["programme"].append((planting.source, "" if planting.source in ONE_PROGRAMME else cohort))
        keys["place"].append((planting.source, planting.location))
        keys["stand"].append((planting.source, planting.place))
    return {level: pd.factorize(pd.Series([str(key) for key in of_level]))[0] for level, of_level in keys.items()}
