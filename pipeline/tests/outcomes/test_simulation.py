from dataclasses import replace

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.envelopes import LIMITS, Envelope, Environment, Scale
from pipeline.outcomes.intercepts import PUBLISHED_SURVIVAL, expected_survival, intercepts
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.simulation import TREES_PER_PLOT, Truth, plots_of, simulated_outcomes
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.table import COLUMNS
from pipeline.outcomes.true_hazards import method_logit, predictor, species_terms
from pipeline.outcomes.world import World

CENTRAL = World.central()
SITE_SD = 0.5


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture(scope="module")
def environment(grid):
    return Environment.of_grid(grid)


@pytest.fixture(scope="module")
def envelope(grid, environment):
    """An envelope that contains the whole region."""
    limits = {axis: environment.axes[axis] for axis in LIMITS}
    return Envelope(
        inside=np.ones(len(grid.latitude), dtype=bool),
        low={axis: float(values.min()) for axis, values in limits.items()},
        high={axis: float(values.max()) for axis, values in limits.items()},
        spread={axis: float(values.std()) for axis, values in limits.items()},
        local_seed={name: (float(scores.min()), float(scores.max())) for name, scores in environment.scores.items()},
    )


def species(code):
    return species_codes().index(code)


@pytest.mark.parametrize("method", METHODS)
def test_intercepts_give_the_published_survival_at_the_published_site(method):
    site = np.array([0.7, -0.2, 0.4])
    found = intercepts(site, PUBLISHED_SURVIVAL[method], SITE_SD)
    assert expected_survival(site + found, SITE_SD) == pytest.approx(PUBLISHED_SURVIVAL[method], abs=1e-9)


@pytest.mark.parametrize("code", ["PSME", "PISI", "PIPO"])
def test_every_term_harms_seed_at_least_as_much_as_seedlings(environment, envelope, code):
    for term in species_terms(environment, species(code), envelope, CENTRAL):
        assert (method_logit(term, "drone_seeded", CENTRAL) >= method_logit(term, "manual", CENTRAL)).all()


def test_drought_costs_a_sensitive_species_more_than_a_tolerant_one(grid, environment, envelope):
    driest = np.argsort(grid.columns["vpd_max"] - 0.01 * grid.columns["precipitation_annual"])[-500:]
    there = environment.at(driest)
    thirsty, tolerant = (
        predictor(there, species(code), envelope, CENTRAL, "manual")[:, 0] for code in ("TSHE", "PIPO")
    )
    assert (thirsty > tolerant + 0.5).mean() > 0.95


def test_leaving_the_envelope_costs_survival(grid, environment, envelope):
    narrow = replace(envelope, low=envelope.low | {"temperature_min_january": -2.0})
    outside = grid.columns["temperature_min_january"] < -6
    wide, cut = (predictor(environment, species("PISI"), each, CENTRAL, "manual")[:, 0] for each in (envelope, narrow))
    assert (cut[outside] > wide[outside] + 0.5).all()
    inside = grid.columns["temperature_min_january"] >= -2
    assert cut[inside] == pytest.approx(wide[inside])


def hazard_of_the_mean_site(environment, envelope, code, **scores):
    """First-year logit at a site with the given scores, 0 for the others, and the axes of the median site."""
    site = Environment(
        {name: np.array([np.median(values)]) for name, values in environment.axes.items()},
        {name: np.array([scores.get(name, 0.0)]) for name in environment.scores},
        np.zeros(1),
    )
    return predictor(site, species(code), envelope, CENTRAL, "manual")[0, 0]


@pytest.mark.parametrize("code", ["PSME", "TSHE", "PIPO"])
@pytest.mark.parametrize(
    ("harmful", "harmless"),
    [
        ({"heat_load": 2.0}, {"heat_load": -2.0}),
        ({"slope": 2.0}, {"slope": -1.0}),
        ({"soil_water_capacity": -1.0}, {"soil_water_capacity": 1.0}),
        ({"precipitation_annual": -1.0}, {"precipitation_annual": 1.0}),
        ({"vpd_max": 1.0}, {"vpd_max": -1.0}),
        ({"dew_point": 1.6}, {"dew_point": 0.6}),
    ],
    ids=["south slope", "steep slope", "thin soil", "little rain", "dry air", "brush of the humid coast"],
)
def test_what_harms_seedlings_raises_their_hazard(environment, envelope, code, harmful, harmless):
    worse, better = (hazard_of_the_mean_site(environment, envelope, code, **site) for site in (harmful, harmless))
    assert worse > better


def test_a_south_slope_costs_a_drought_sensitive_species_more(environment, envelope):
    cost = {
        code: hazard_of_the_mean_site(environment, envelope, code, heat_load=2.0)
        - hazard_of_the_mean_site(environment, envelope, code, heat_load=-2.0)
        for code in ("TSHE", "PIPO")
    }
    assert cost["TSHE"] > 1.5 * cost["PIPO"]


def test_local_seed_softens_the_drought_of_the_home_climate_only(environment, envelope):
    coastal = replace(envelope, local_seed=envelope.local_seed | {"vpd_max": (-2.0, 0.0)})
    interior = replace(envelope, local_seed=envelope.local_seed | {"vpd_max": (-2.0, 1.5)})
    at_home, off_site = (
        hazard_of_the_mean_site(environment, seed, "PSME", vpd_max=1.5) for seed in (interior, coastal)
    )
    assert at_home < off_site


@pytest.fixture(scope="module")
def truth(grid, environment, envelope):
    """A world in which grid columns cause no differences between sites."""
    weights = dict.fromkeys(CENTRAL.process_weights, (0.0, 0.0, 0.0))
    sizes = {"programme_sd": SITE_SD, "place_sd": 0.0, "stand_sd": 0.0, "plot_sd": 0.0, "seeding_site_factor": 1.0}
    world = replace(CENTRAL, process_weights=weights, **sizes)
    level = dict.fromkeys(METHODS, np.array([-2.0, -2.2, -2.4]))
    return Truth(world, environment, Scale.of_grid(grid), [envelope] * len(species_codes()), level)


@pytest.fixture(scope="module")
def outcomes(grid, truth):
    return simulated_outcomes(grid, truth, seed=1)


def test_outcomes_have_what_a_crew_would_record_and_no_hazards(outcomes):
    assert tuple(outcomes.columns) == COLUMNS
    assert set(outcomes["alive"]) == {0, 1}
    assert set(outcomes["years_observed"]) == {1, 3, 5}
    trees = outcomes.groupby(["species_code", "planting_method"]).size()
    for (code, _), number in trees.items():
        assert number == plots_of(code) * TREES_PER_PLOT
    assert len(trees) == len(species_codes()) * len(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", ["PSME", "PIPO"])
def test_the_share_that_dies_in_year_one_is_the_expected_hazard(outcomes, truth, code, method):
    trees = outcomes[(outcomes["species_code"] == code) & (outcomes["planting_method"] == method)]
    died = ((trees["years_observed"] == 1) & (trees["alive"] == 0)).mean()
    expected = 1 - truth.survival(method, np.array([species(code)]), np.array([0]))[0, 0]
    assert died == pytest.approx(expected, abs=0.01)


def test_trees_of_a_plot_share_a_site_effect(outcomes):
    first_year = ((outcomes["years_observed"] == 1) & (outcomes["alive"] == 0)).to_numpy()
    plots = first_year.reshape(-1, TREES_PER_PLOT).sum(axis=1)
    share = first_year.mean()
    assert plots.var() > 1.1 * TREES_PER_PLOT * share * (1 - share)


def test_the_same_seed_gives_the_same_outcomes(grid, truth, outcomes):
    assert simulated_outcomes(grid, truth, seed=1).equals(outcomes)
