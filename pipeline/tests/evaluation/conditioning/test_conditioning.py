"""The chain over worlds: its likelihood, its prior without plantings, and its convergence to likely worlds."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.condition_command import draws_of_prior
from pipeline.evaluation.conditioning.chain import free_deviates, run_chain
from pipeline.evaluation.conditioning.held_out import inside, predict
from pipeline.evaluation.conditioning.observations import LEVELS, read_observations
from pipeline.evaluation.conditioning.result import POSTERIOR, HeldOut, Result, read_result
from pipeline.evaluation.conditioning.section import section_of
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.predictions import yearly
from pipeline.evaluation.evidence.scores import beta_binomial, counts_of
from pipeline.outcomes.intercepts import expected_survival
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.world import World, deviate_count


@pytest.fixture(scope="module")
def observations(whole_grid):
    return read_observations(whole_grid, read_plantings())


@pytest.fixture(scope="module")
def worlds(whole_grid, observations):
    return Plantings(whole_grid, observations.table)


def test_the_likelihood_equals_the_product_of_beta_binomials_from_census_to_census(worlds, observations):
    world = World.central()
    logits = worlds.logits(world)
    found = observations.log_likelihood(logits, world.plot_sd)
    survival = yearly(expected_survival(logits, world.plot_sd))
    for row in (0, 40, 150):
        counts = counts_of(observations.plantings[row])
        expected, before, reached = 0.0, counts.trees, 1.0
        for alive, year in zip(counts.alive, counts.years, strict=True):
            share = np.array([survival[row, year - 1] / reached])
            expected += beta_binomial(alive, before, share, observations.correlation[row, year - 1])[0]
            before, reached = alive, survival[row, year - 1]
        assert found[row] == pytest.approx(expected, abs=1e-6)


def test_observations_have_no_sown_spots_and_no_bounds(observations):
    assert {planting.method for planting in observations.plantings} == {"manual"}
    assert "Burgess et al. 2003" not in observations.sources


def test_a_stand_belongs_to_one_place_and_a_programme_to_one_source(observations):
    units = observations.units
    for lower, higher in (("stand", "place"), ("programme", "offset")):
        for unit in np.unique(units[lower]):
            assert len(np.unique(units[higher][units[lower] == unit])) == 1
    rainier = observations.of_source("AileneKane/mora_transplant")
    assert len(np.unique(units["programme"][rainier])) == 1
    assert len(np.unique(units["place"][rainier])) == 5


def test_without_plantings_the_chain_has_the_prior(worlds, observations):
    nothing = np.zeros(len(observations.plantings), dtype=bool)
    chain = run_chain(worlds, observations, nothing, steps=150, burn_in=400, thin=3, seed=1)
    moved = chain.deviates[:, free_deviates()]
    assert chain.accepted == 1
    # Every step is accepted and grows, so that the draws are nearly independent.
    assert moved.std() == pytest.approx(1.0, abs=0.1)
    assert not chain.deviates[:, ~free_deviates()].any()


def test_the_chain_moves_to_worlds_in_which_the_counts_are_likely(worlds, observations):
    # No tree of any planting dies.
    rich = replace(observations, alive=observations.before)
    everything = np.ones(len(observations.plantings), dtype=bool)
    chain = run_chain(worlds, rich, everything, steps=150, burn_in=0, thin=1, seed=2)
    assert chain.log_likelihood[-20:].mean() > chain.log_likelihood[:3].mean() + 100


def test_the_same_seed_gives_the_same_draws(worlds, observations):
    everything = np.ones(len(observations.plantings), dtype=bool)
    first, again = (run_chain(worlds, observations, everything, 10, 10, 1, seed=3) for _ in range(2))
    assert np.array_equal(first.deviates, again.deviates)


def test_the_prediction_of_a_new_planting_has_a_wide_interval_because_its_effects_are_unknown(worlds, observations):
    draws = np.random.default_rng(4).standard_normal((40, deviate_count()))
    prediction = predict(worlds, observations, draws, seed=5)
    low, high = prediction.interval
    assert prediction.by_draw.shape == (40, len(observations.plantings))
    assert (low < high).all()
    assert np.median(high[:, 0] - low[:, 0]) > 0.1
    held, compared = inside(observations, prediction, observations.of_source("Open Redcedar Adaptation Network"))
    assert 0 <= held <= compared == 18
    assert set(observations.units) == set(LEVELS)


def test_a_chain_without_a_source_starts_where_no_chain_with_it_has_been(worlds, observations):
    starts = draws_of_prior()
    assert len(starts) >= len(observations.sources)
    assert abs(np.corrcoef(starts[0], starts[1])[0, 1]) < 0.2
    nothing = np.zeros(len(observations.plantings), dtype=bool)
    chain = run_chain(worlds, observations, nothing, steps=1, burn_in=0, thin=1, seed=6, start=starts[0])
    free = free_deviates()
    # One step from the start, where the free deviates stay close; the others are held at 0.
    assert np.corrcoef(chain.deviates[0, free], starts[0, free])[0, 1] > 0.9
    assert not chain.deviates[0, ~free].any()


def result(*held_out):
    return Result(1, 10, 10, [0.2, 0.2], 1.0, list(held_out), [], "", "", "")


def held_out(posterior, inside=9):
    return HeldOut("a source", 10, -5.0, posterior, 0.1, 8, inside, 10)


@pytest.mark.parametrize(
    ("sources", "served"),
    [
        ((held_out(-4.0), held_out(-4.9)), True),
        ((held_out(-4.0), held_out(-5.1)), False),
        ((held_out(-4.0, inside=5), held_out(-4.9, inside=5)), False),
    ],
)
def test_the_posterior_is_served_only_if_every_source_gains_and_the_intervals_hold(sources, served):
    found = result(*sources)
    assert found.may_be_served is served
    assert ("The posterior may be served" in section_of(found, is_stale=False)) is served
    assert ("The prior is served" in section_of(found, is_stale=False)) is not served


def test_the_committed_posterior_belongs_to_the_committed_result():
    found = read_result()
    if found is not None:
        draws = np.load(POSTERIOR)
        assert draws.dtype == np.float32
        assert np.isfinite(draws).all()
        assert len(found.held_out) >= 10
