from dataclasses import fields, replace

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.envelopes import Environment
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES, PUBLISHED_SURVIVAL
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.simulation import true_process, truth_of_world
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import Prior, World, deviate_names

CENTRAL = World.central()


@pytest.fixture(scope="module")
def survival():
    """Return survival [methods, horizons] of the published species at the published site in a world."""
    grid = read_grid(GRID)
    point = grid.nearest(*PUBLISHED_SITE)
    published = Environment.of_grid(grid).at(np.array([point]))
    central = true_process(grid, CENTRAL)
    species = np.array([species_codes().index(PUBLISHED_SPECIES)])

    def at_published_site(world):
        truth = truth_of_world(world, central, published)
        return np.stack([truth.survival(method, species, np.array([point]))[0] for method in METHODS])

    return at_published_site


def test_every_size_has_a_prior_with_a_spread_and_a_reason():
    for size in fields(World):
        prior = size.metadata["prior"]
        assert prior.sd > 0
        assert len(prior.reason) > 3


def test_the_same_generator_draws_the_same_world_and_another_draws_another():
    first, again, other = (World.draw(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    for size in fields(World):
        assert getattr(first, size.name) != getattr(other, size.name)


def test_a_factor_is_lognormal_about_its_central_value_and_a_shift_is_normal():
    deviates = iter([-1.0, 2.0, -1.0, 2.0])
    factors = Prior(True, 0.3, "").moved((2.0, 2.0), deviates)
    shifts = Prior(False, 0.3, "").moved((2.0, 2.0), deviates)
    assert factors == pytest.approx((2.0 * np.exp(-0.3), 2.0 * np.exp(0.6)))
    assert shifts == pytest.approx((1.7, 2.6))


def test_deviates_of_zero_give_the_central_world_and_each_moves_the_size_that_it_is_named_after():
    names = deviate_names()
    assert World.from_deviates(np.zeros(len(names))) == CENTRAL
    for index, name in enumerate(names):
        moved = World.from_deviates(np.eye(len(names))[index])
        changed = [size.name for size in fields(World) if getattr(moved, size.name) != getattr(CENTRAL, size.name)]
        assert changed == [name.split(".")[0]]


def test_the_central_world_has_the_published_survival(survival):
    assert survival(CENTRAL) == pytest.approx(np.array([PUBLISHED_SURVIVAL[m] for m in METHODS]))


def test_survival_never_rises_in_a_drawn_world(survival):
    generator = np.random.default_rng(4)
    for _ in range(10):
        assert (np.diff(survival(World.draw(generator)), axis=1) < 0).all()


def test_less_emergence_lowers_seeding_alone(survival):
    usual, poor = survival(CENTRAL), survival(replace(CENTRAL, emergence=CENTRAL.emergence / 2))
    assert poor[0] == pytest.approx(usual[0])
    assert (poor[1] < usual[1] - 0.1).all()


def test_the_methods_share_the_effects_of_programme_and_place_at_a_site():
    assert CENTRAL.site_correlation == pytest.approx(0.53, abs=0.005)
    assert np.hypot(CENTRAL.programme_sd, CENTRAL.place_sd) == pytest.approx(0.99, abs=0.005)
