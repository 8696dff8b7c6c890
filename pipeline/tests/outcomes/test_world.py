from dataclasses import fields, replace

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES, PUBLISHED_SURVIVAL
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.simulation import true_process, truth_of_world
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import Prior, World

CENTRAL = World.central()


@pytest.fixture(scope="module")
def survival():
    """Return survival [methods, horizons] of the published species at the published site in a world."""
    grid = read_grid(GRID)
    point = grid.nearest(*PUBLISHED_SITE)
    central = true_process(grid, CENTRAL)
    species = np.array([species_codes().index(PUBLISHED_SPECIES)])

    def at_published_site(world):
        truth = truth_of_world(world, central.environment, central.envelopes, point)
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
    generator = np.random.default_rng(3)
    factors = np.array(Prior(True, 0.3, "").draw((2.0,) * 20_000, generator))
    shifts = np.array(Prior(False, 0.3, "").draw((2.0,) * 20_000, generator))
    for draws in (np.log(factors / 2.0), shifts - 2.0):
        assert draws.mean() == pytest.approx(0.0, abs=0.01)
        assert draws.std() == pytest.approx(0.3, abs=0.01)


def test_the_central_world_has_the_published_survival(survival):
    assert survival(CENTRAL) == pytest.approx(np.array([PUBLISHED_SURVIVAL[m] for m in METHODS]))


def test_planting_survives_better_than_seeding_at_the_published_site_in_every_drawn_world(survival):
    generator = np.random.default_rng(4)
    for _ in range(10):
        manual, seeded = survival(World.draw(generator))
        assert (manual > seeded).all()
        assert (np.diff(manual) < 0).all()
        assert (np.diff(seeded) < 0).all()


def test_a_wider_gap_between_methods_lowers_seeding_alone(survival):
    usual, wide = survival(CENTRAL), survival(replace(CENTRAL, seeding_gap=2.0))
    assert wide[0] == pytest.approx(usual[0])
    assert (wide[1] < usual[1] - 0.02).all()
