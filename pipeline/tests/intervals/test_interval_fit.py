import numpy as np
import pytest

from pipeline.intervals.fit import WORLDS as FITTED_WORLDS
from pipeline.intervals.fit import interval_models
from pipeline.intervals.model import CORRELATION, DRAWS, LOG_VARIANCE, MEAN
from pipeline.intervals.refits import SITES as FITTED_SITES
from pipeline.intervals.refits import Refits
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.practice import LINEAR_PRACTICES
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World
from pipeline.sources.manifest import PROJECT

WORLDS = 400
SITES = 300
CORRELATION_OF_METHODS = 0.6


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(1).uniform(1, 100, (SITES, len(FEATURES))).astype(np.float32)


@pytest.fixture(scope="module")
def knots(features):
    return Knots.spanning(features, np.array([feature.logarithmic for feature in FEATURES]))


@pytest.fixture(scope="module")
def refits(features, knots):
    """Worlds that differ by a level and by the slope of one feature; those of the methods are correlated."""
    generator = np.random.default_rng(2)
    design = np.hstack([np.ones((SITES, 1)), knots.hats(features).toarray()])
    species = len(species_codes())
    manual, own = generator.standard_normal((2, WORLDS, 2))
    seeded = CORRELATION_OF_METHODS * manual + np.sqrt(1 - CORRELATION_OF_METHODS**2) * own
    coefficients = {}
    for method, scores in zip(METHODS, (manual, seeded), strict=True):
        of = np.zeros((WORLDS, species, design.shape[1], len(HORIZONS)))
        of[:, :, 0] = -1 + 0.5 * scores[:, 0, None, None]
        of[:, :, 1 : 1 + KNOTS] = 0.04 * scores[:, 1, None, None, None] * np.arange(KNOTS)[:, None]
        coefficients[method] = of
    site_sd = {method: np.linspace(0.2, 0.4, WORLDS) for method in METHODS}
    shape = (WORLDS, species, len(LINEAR_PRACTICES), len(HORIZONS))
    slopes = np.broadcast_to(np.linspace(-1, 1, WORLDS).reshape(-1, 1, 1, 1), shape)
    practice = dict.fromkeys(METHODS, slopes)
    return Refits([design] * species, coefficients, practice, site_sd, np.linspace(0.4, 0.6, WORLDS))


@pytest.fixture(scope="module")
def models(refits, knots):
    return interval_models(refits, knots)


def columns(model, features):
    species = np.zeros(len(features), dtype=np.int64)
    return model.intercepts[species] + model.knots.interpolate(model.curves, features, species).sum(axis=1)


@pytest.mark.parametrize("method", METHODS)
def test_the_mean_and_the_variance_of_process_and_fit_are_recovered(models, refits, features, method):
    found = columns(models[method], features)
    of_worlds = refits.designs[0] @ refits.coefficients[method][:, 0]
    assert found[:, MEAN] == pytest.approx(of_worlds.mean(axis=0), abs=1e-3)
    assert np.exp(found[:, LOG_VARIANCE]) == pytest.approx(of_worlds.var(axis=0, ddof=1), rel=0.1)


def test_the_correlation_between_the_methods_is_recovered(models, features):
    assert (columns(models["manual"], features)[:, CORRELATION] == 1).all()
    assert columns(models["drone_seeded"], features)[:, CORRELATION].mean() == pytest.approx(
        CORRELATION_OF_METHODS, abs=0.1
    )


def test_the_site_variance_is_that_of_the_mean_deviation_of_the_worlds(models):
    assert models["manual"].site_variance == pytest.approx(0.3**2)


def test_the_site_correlation_and_the_slopes_of_the_practice_are_those_of_the_worlds(models, refits):
    assert models["manual"].site_correlation == 1.0
    deviations = refits.site_sd["manual"]
    covariance = (refits.site_correlation * deviations**2).mean()
    assert models["drone_seeded"].site_correlation == pytest.approx(covariance / deviations.mean() ** 2, abs=1e-5)
    assert models["manual"].practice == pytest.approx(0.0)
    assert models["manual"].practice_variance == pytest.approx(refits.practice["manual"].var(axis=0), abs=1e-8)


def test_the_documentation_states_the_numbers_of_worlds_sites_and_draws():
    text = (PROJECT / "docs" / "intervals.md").read_text(encoding="utf-8")
    assert f"redrawn {FITTED_WORLDS} times" in text
    assert f"From {FITTED_WORLDS} worlds to {DRAWS} draws" in text
    assert f"at {FITTED_SITES:,} sites" in text
    assert f"correlated by {World.central().site_correlation:.2f}" in text
