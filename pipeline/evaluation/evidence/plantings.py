"""Observed plantings, as counts or published levels, and the whole year that each census is compared with.

`data/plantings.csv` has a line for each planting and census, `data/redcedar.csv` that of the Open Redcedar Adaptation
Network (CC0). Lines with a reason in `left_out` are kept and printed, and not compared.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.evaluation.evidence.check import check_evidence
from pipeline.evaluation.evidence.redcedar import REDCEDAR, redcedar_visits

DATA = Path(__file__).with_name("data")
LAST_YEAR = 5
"""The models answer up to year 5."""
YEAR_TOLERANCE = 0.4
"""Maximum distance in years between a census and the whole year that it counts for."""
KEYS = ["source", "place", "species_code", "planting_method", "treatment"]


@dataclass(frozen=True)
class Census:
    """What was seen of a planting: alive trees if counted, and survival from `low` to `high`.

    `year` is the whole year that it is compared with, `years` the time since planting. A bound ("over 78 %") has an
    end of 0 or 1 and is no value; nor is a level after year 5, of which survival to year 5 can only be higher.
    """

    year: int
    years: float
    alive: int | None
    low: float
    high: float
    is_bound: bool

    @property
    def survival(self) -> float:
        """The observed survival: the counted share, or the middle of the published range."""
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Planting:
    """Trees of one species, place and treatment, with the censuses that can be compared, by year.

    `practice` has the practice features that the treatment states; `trees` is None where only a level is published.
    """

    source: str
    place: str
    species_code: str
    method: str
    treatment: str
    trees: int | None
    censuses: tuple[Census, ...]
    practice: dict[str, float] = field(default_factory=dict)

    @property
    def location(self) -> str:
        """The place without the number of a stand or the year of a cohort, which share its coordinates."""
        return re.sub(r" (stand \d+|20\d\d)$", "", self.place)


def read_plantings() -> list[Planting]:
    """Return the plantings with at least one census that can be compared, in the order of the files.

    EvidenceError names the lines of the files that cannot be used.
    """
    check_evidence(DATA)
    lines = pd.concat([_lines(), _redcedar_lines()], ignore_index=True)
    practice = _practices()
    plantings = []
    for key, of_planting in lines[lines["left_out"] == ""].groupby(KEYS, sort=False):
        trees = of_planting["planted"].iloc[0]
        censuses = compared_censuses(of_planting)
        if censuses:
            known = practice.get((key[0], key[-1]), {})
            plantings.append(Planting(*key, None if np.isnan(trees) else int(trees), censuses, known))
    return plantings


def left_out_lines() -> pd.DataFrame:
    """Return the lines that are not compared, with the reason in `left_out`."""
    lines = _lines()
    share = lines["alive"] / lines["planted"]
    lines = lines.fillna({"survival_low": share, "survival_high": share})
    years, whole = lines["years"], lines["years"].round()
    between = (whole <= LAST_YEAR) & ((years - whole).abs() > YEAR_TOLERANCE)
    for reason, applies in (
        ("before the end of the first summer", years < 1 - YEAR_TOLERANCE),
        (f"more than {YEAR_TOLERANCE:g} years from every whole year", between),
    ):
        lines.loc[(lines["left_out"] == "") & applies, "left_out"] = reason
    return lines[lines["left_out"] != ""]


def compared_censuses(lines: pd.DataFrame) -> tuple[Census, ...]:
    """Return the census nearest to each whole year, and of those after year 5 the last as a bound of year 5."""
    censuses = [_census(line) for line in lines.to_dict("records")]
    nearest = {}
    for census in censuses:
        distance = abs(census.years - census.year)
        if census.year <= LAST_YEAR and distance <= YEAR_TOLERANCE:
            best = nearest.get(census.year)
            if best is None or distance < abs(best.years - census.year):
                nearest[census.year] = census
    later = [census for census in censuses if census.year > LAST_YEAR and census.low > 0]
    if later and LAST_YEAR not in nearest:
        last = max(later, key=lambda census: census.years)
        nearest[LAST_YEAR] = Census(LAST_YEAR, last.years, None, last.low, 1.0, is_bound=True)
    return tuple(nearest[year] for year in sorted(nearest) if year >= 1)


def _census(line: dict) -> Census:
    counted = not np.isnan(line["alive"])
    low, high = (line["alive"] / line["planted"],) * 2 if counted else (line["survival_low"], line["survival_high"])
    alive = int(line["alive"]) if counted else None
    return Census(round(line["years"]), line["years"], alive, low, high, line["bound"] == "bound")


def _lines() -> pd.DataFrame:
    texts = dict.fromkeys((*KEYS, "bound", "left_out"), str)
    lines = pd.read_csv(DATA / "plantings.csv", dtype=texts, keep_default_na=False, na_values=[""])
    return lines.fillna(dict.fromkeys(texts, ""))


def _redcedar_lines() -> pd.DataFrame:
    """Return the redcedar counts as lines of plantings; a tree that was alive at a later visit was alive.

    Trees that were not found count as dead, so that survival is the lowest that the counts allow.
    """
    visits = redcedar_visits()
    return pd.DataFrame(
        {
            "source": REDCEDAR,
            "place": visits["place"],
            "species_code": visits["species_code"],
            "planting_method": "manual",
            "treatment": visits["seed_zone"],
            "years": visits["years"],
            "planted": visits["planted"],
            "alive": visits["alive"],
            "survival_low": np.nan,
            "survival_high": np.nan,
            "bound": "",
            "left_out": "",
        }
    )


def _practices() -> dict[tuple[str, str], dict[str, float]]:
    table = pd.read_csv(DATA / "treatments.csv")
    names = ["vegetation_control", "overstory_cover", "seeds_per_spot"]
    return {
        (line["source"], line["treatment"]): {name: line[name] for name in names if not np.isnan(line[name])}
        for line in table.to_dict("records")
    }
