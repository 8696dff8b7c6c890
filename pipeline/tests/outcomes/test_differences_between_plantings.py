import numpy as np
import pandas as pd
import pytest

from pipeline.outcomes.envelopes import AXES
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SURVIVAL
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.seeds import SEEDS_PER_SPOT, spot_logits
from pipeline.outcomes.simulation import true_process
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World

CENTRAL = World.central()


@pytest.fixture(scope="module")
def survival(whole_grid):
    """Survival [rows, horizons] of Douglas-fir at the published place, with other columns as given [rows]."""
    point = whole_grid.nearest(*PUBLISHED_SITE)

    def of(**columns):
        rows = max(np.size(values) for values in columns.values())
        site = {name: whole_grid.columns[name][point] for name in AXES}
        place = {"latitude": whole_grid.latitude[point], "longitude": whole_grid.longitude[point]}
        usual = {"species_code": "PSME", "planting_method": "manual"}
        table = pd.DataFrame(site | place | usual | columns, index=range(rows))
        return Plantings(whole_grid, table).survival(CENTRAL)

    return of


def test_plantings_on_the_grid_have_the_survival_of_its_true_process(whole_grid):
    points = np.arange(0, len(whole_grid.latitude), 40_000)
    truth = true_process(whole_grid, CENTRAL)
    table = pd.DataFrame({name: whole_grid.columns[name][points] for name in AXES})
    table["latitude"], table["longitude"] = whole_grid.latitude[points], whole_grid.longitude[points]
    for code, method in (("PSME", "manual"), ("TSHE", "drone_seeded")):
        found = Plantings(whole_grid, table.assign(species_code=code, planting_method=method)).survival(CENTRAL)
        species = np.full(len(points), species_codes().index(code))
        assert found == pytest.approx(truth.survival(method, species, points))


def test_practice_at_its_default_changes_nothing_and_control_of_vegetation_helps(survival):
    none, default, complete = survival(vegetation_control=[0.0, np.nan, 1.0])
    assert default == pytest.approx(PUBLISHED_SURVIVAL["manual"])
    assert (none < default).all()
    assert complete[-1] >= none[-1] + 0.05


def test_overstory_costs_survival(survival):
    open_ground, closed = survival(overstory_cover=[0.0, 90.0])
    assert (open_ground > closed).all()


def test_a_spot_has_the_published_survival_at_the_default_seeds_and_three_seeds_rarely_live(survival):
    default, three = survival(planting_method="drone_seeded", seeds_per_spot=[SEEDS_PER_SPOT, 3.0])
    assert default == pytest.approx(PUBLISHED_SURVIVAL["drone_seeded"])
    assert three[0] < 0.1


def test_a_spot_is_dead_if_both_halves_of_its_seeds_are_dead():
    logits = np.array([[-2.0, -1.0, -1.5], [1.0, 0.5, 0.0]])
    half, whole = (1 - np.cumprod(1 / (1 + np.exp(spot_logits(logits, ratio))), axis=1) for ratio in (0.5, 1.0))
    assert half**2 == pytest.approx(whole)
    assert spot_logits(logits, 1.0) == pytest.approx(logits)
