from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm

from pipeline.evaluation.graph import IntervalGraph
from pipeline.intervals.graph import write_interval_graph
from pipeline.intervals.model import (
    COLUMNS,
    CORRELATION,
    DRAWS,
    LEVEL,
    LOG_VARIANCE,
    MEAN,
    IntervalModel,
    normal_scores,
)
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES, with_practice
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.practice import DEFAULTS
from pipeline.outcomes.species import species_codes
from pipeline.tests.node_graph import needs_node, run_in_node

UPPER = (1 + LEVEL) / 2


@pytest.fixture(scope="module")
def errors(features):
    return np.random.default_rng(6).uniform(0, 8, features.shape).astype(np.float32)


@pytest.fixture(scope="module", params=[False, True], ids=["planted", "sown"])
def model(features, practice_slopes, request):
    """Curves wilder than those of any fit, with mean logits at which survival is neither 0 nor 1."""
    generator = np.random.default_rng(4)
    knots = Knots.spanning(features, np.array([feature.logarithmic for feature in FEATURES]))
    shape = (len(species_codes()), len(FEATURES), KNOTS, COLUMNS)
    curves = np.cumsum(generator.normal(0, 0.1, shape), axis=2)
    intercepts = generator.normal(-1, 1, (shape[0], COLUMNS))
    intercepts[:, CORRELATION] += 1.5
    practice = {"practice": practice_slopes, "practice_variance": practice_slopes**2 / 4}
    sites = {"site_variance": 0.9, "site_correlation": 0.8}
    return IntervalModel(knots, intercepts, curves, **sites, **practice, sown=request.param)


@pytest.fixture(scope="module")
def draws_of(tmp_path_factory):
    """A function that runs the exported graph of a model."""

    def run(model, *rows):
        path = tmp_path_factory.mktemp("graph") / "intervals.onnx"
        write_interval_graph(model, path)
        return IntervalGraph(path).draws(*rows)

    return run


def constant_model(model, mean, variance, correlation):
    """Return a model whose logits are the same at every site, with survival of the first period's hazard alone."""
    intercepts = np.zeros_like(model.intercepts)
    intercepts[:, MEAN] = (mean, -40, -40)
    intercepts[:, LOG_VARIANCE] = np.log(variance)
    intercepts[:, CORRELATION] = correlation
    return replace(model, intercepts=intercepts, curves=np.zeros_like(model.curves))


def test_the_graph_computes_what_the_model_defines(model, draws_of, features, practised, species, errors):
    for inputs in (features, practised):
        draws = draws_of(model, inputs, species, errors)
        assert draws.shape == (len(features), len(HORIZONS), DRAWS)
        assert draws == pytest.approx(model.draws(inputs, species, errors), abs=2e-4)


def test_rows_of_the_default_practice_have_the_same_draws_among_other_rows(
    model, draws_of, features, practised, species, errors
):
    mixed = practised.copy()
    mixed[:10] = with_practice(features[:10])
    alone = draws_of(model, features[:10], species[:10], errors[:10])
    assert np.array_equal(draws_of(model, mixed, species, errors)[:10], alone)


def test_a_practice_away_from_its_default_widens_the_interval(model, draws_of, features, species, errors):
    known = constant_model(model, mean=-1.5, variance=0.1, correlation=1.0)
    certain = replace(known, practice=np.zeros_like(known.practice))
    other = with_practice(features, np.array([1.0, 0.0, DEFAULTS[-1]]))
    widths = [np.ptp(draws_of(certain, inputs, species, errors)[:, 0], axis=1) for inputs in (features, other)]
    assert (widths[1] > widths[0]).mean() > 0.95


def test_each_draw_is_a_probability_that_never_rises_with_the_horizon(model, draws_of, features, species, errors):
    draws = draws_of(model, features, species, errors)
    assert draws.min() >= 0
    assert draws.max() <= 1
    assert (np.diff(draws, axis=1) <= 0).all()


def test_an_empty_batch_gives_no_draws(model, draws_of, features, species, errors):
    assert draws_of(model, features[:0], species[:0], errors[:0]).shape == (0, len(HORIZONS), DRAWS)


def test_a_row_does_not_depend_on_its_batch(model, draws_of, features, species, errors):
    together = draws_of(model, features[:500], species[:500], errors[:500])
    alone = draws_of(model, features[499:500], species[499:500], errors[499:500])
    assert alone[0] == pytest.approx(together[499], abs=1e-6)


def test_the_ends_of_the_interval_are_the_quantiles_of_the_normal(model, draws_of, features, species, errors):
    certain = constant_model(model, mean=-1.5, variance=0.7, correlation=1.0)
    ends = np.quantile(draws_of(certain, features, species, errors)[:, 0], (1 - UPPER, UPPER), axis=-1)
    deviation = np.sqrt(0.7 + certain.site_variance)
    assert logit(ends[0]) == pytest.approx(1.5 - norm.ppf(UPPER) * deviation, rel=0.03)
    assert logit(ends[1]) == pytest.approx(1.5 + norm.ppf(UPPER) * deviation, rel=0.03)


def test_the_error_of_an_input_adds_the_squared_slope_times_error_to_the_variance(model, draws_of, features, species):
    step = float(model.knots.step[0])
    sloped = constant_model(model, mean=-1.5, variance=0.7, correlation=1.0)
    curves = sloped.curves.copy()
    curves[:, 0, :, 0] = 0.3 * np.arange(KNOTS)
    sloped = replace(sloped, curves=curves, site_correlation=1.0)
    errors = np.zeros_like(features)
    exact = logit(draws_of(sloped, features, species, errors)[:, 0].astype(float))
    errors[:, 0] = 2 * step
    inexact = logit(draws_of(sloped, features, species, errors)[:, 0].astype(float))
    # All sources have the same score when their correlation with the other method is 1.
    ratio = np.sqrt((0.7 + 0.9 + (2 * 0.3) ** 2) / (0.7 + 0.9))
    inside = (exact.max(axis=1) < 10) & (exact.min(axis=1) > -10)
    assert np.ptp(inexact, axis=1)[inside] == pytest.approx(ratio * np.ptp(exact, axis=1)[inside], rel=0.01)


def test_the_error_of_a_feature_on_a_logarithmic_scale_counts_relative_to_its_value(model, draws_of, features, species):
    column = [feature.logarithmic for feature in FEATURES].index(True)
    curved = constant_model(model, mean=-1.5, variance=1e-4, correlation=1.0)
    curves = curved.curves.copy()
    curves[:, column, :, 0] = 0.05 * np.arange(KNOTS)
    curved = replace(curved, curves=curves, site_variance=0.0)
    errors = np.zeros_like(features)
    errors[:, column] = 0.1 * features[:, column]
    relative = np.ptp(logit(draws_of(curved, features, species, errors)[:, 0].astype(float)), axis=1)
    assert relative.max() == pytest.approx(relative.min(), rel=0.02)
    assert relative.mean() > 1.5 * np.sqrt(1e-4) * np.ptp(normal_scores()[0])


@pytest.mark.parametrize(("of_worlds", "of_sites"), [(1.0, 1.0), (0.9, 0.8), (0.0, 0.0)])
def test_draws_of_two_methods_are_paired_as_correlated_as_the_model_says(
    model, draws_of, features, species, of_worlds, of_sites
):
    exact = np.zeros_like(features)
    manual = replace(constant_model(model, -1.0, 1.1, 1.0), site_correlation=1.0)
    seeded = replace(constant_model(model, -0.5, 1.1, of_worlds), site_correlation=of_sites)
    logits = [logit(draws_of(of, features[:1], species[:1], exact[:1])[0, 0].astype(float)) for of in (manual, seeded)]
    share = 1.1 / (1.1 + 0.9)
    assert np.corrcoef(*logits)[0, 1] == pytest.approx(share * of_worlds + (1 - share) * of_sites, abs=0.03)


def test_the_scores_have_the_quantiles_of_the_normal_in_every_direction():
    first, second = normal_scores()
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0, abs=0.02)
    for angle in np.linspace(0, np.pi, 36, endpoint=False):
        along = np.cos(angle) * first + np.sin(angle) * second
        assert np.quantile(along, UPPER) == pytest.approx(norm.ppf(UPPER), rel=0.03)
        assert np.quantile(along, 1 - UPPER) == pytest.approx(-norm.ppf(UPPER), rel=0.03)


@needs_node
def test_node_and_python_agree_within_1e_5(model, practised, species, errors, tmp_path):
    path = tmp_path / "intervals.onnx"
    write_interval_graph(model, path)
    exact = np.zeros((len(errors), practised.shape[1] - errors.shape[1]))
    in_node = run_in_node(path, tmp_path, features=practised, species=species, errors=np.hstack([errors, exact]))
    in_python = IntervalGraph(path).draws(practised, species, errors)
    assert in_node == pytest.approx(in_python.ravel(), abs=1e-5)


def test_a_second_export_has_the_same_bytes(model, tmp_path):
    for name in ("first", "second"):
        write_interval_graph(model, tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
