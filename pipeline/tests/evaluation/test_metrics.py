import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from pipeline.evaluation.held_out import Evaluation
from pipeline.evaluation.metrics import calibration_curve, calibration_error, logistic_line, score, status_weights
from pipeline.outcomes.periods import PeriodCounts


def drawn(chances, trees=400, seed=1):
    alive = np.random.default_rng(seed).binomial(trees, chances)
    return alive.astype(float), (trees - alive).astype(float)


def test_true_probabilities_score_a_slope_of_one_and_no_calibration_error():
    chances = np.random.default_rng(0).uniform(0.05, 0.95, 2000)
    scores = score(*drawn(chances), chances)
    assert scores.slope == pytest.approx(1.0, abs=0.01)
    assert scores.ece < 0.002
    assert scores.brier == pytest.approx((chances * (1 - chances)).mean(), abs=0.002)


def test_overconfident_predictions_score_a_slope_below_one():
    chances = np.random.default_rng(0).uniform(0.2, 0.8, 2000)
    logit = np.log(chances / (1 - chances))
    assert score(*drawn(chances), 1 / (1 + np.exp(-2 * logit))).slope == pytest.approx(0.5, abs=0.02)


def test_a_constant_shift_is_the_calibration_error():
    chances = np.random.default_rng(0).uniform(0.2, 0.8, 2000)
    assert calibration_error(*drawn(chances), chances + 0.1) == pytest.approx(0.1, abs=0.003)


def test_calibration_bins_hold_equal_numbers_of_trees():
    chances = np.linspace(0.1, 0.9, 1000)
    _, _, trees = calibration_curve(*drawn(chances, trees=10), chances)
    assert np.ptp(trees) <= 20


def test_trees_lost_to_follow_up_do_not_bias_the_share_alive():
    generator = np.random.default_rng(2)
    trees, hazards, kept = 200_000, (0.1, 0.2, 0.3), (1.0, 0.7, 0.8)
    at_risk, died, here = [], [], trees
    for hazard, share in zip(hazards, kept, strict=True):
        here = generator.binomial(here, share)
        dead = generator.binomial(here, hazard)
        at_risk.append(here)
        died.append(dead)
        here -= dead
    counts = PeriodCounts(np.zeros(1, int), np.zeros(1, int), np.array([at_risk], float), np.array([died], float))
    alive, dead = status_weights(counts)
    assert alive[0] / (alive[0] + dead[0]) == pytest.approx(np.cumprod(1 - np.array(hazards)), abs=0.005)
    assert (alive[0] + dead[0]) == pytest.approx(np.full(3, trees), rel=0.01)


def test_the_logistic_line_is_that_of_scikit_learn():
    generator = np.random.default_rng(3)
    predictor, ones, zeros = generator.normal(1, 2, 500), generator.uniform(0, 3, 500), generator.uniform(0, 3, 500)
    ones *= 1 / (1 + np.exp(-0.7 * predictor))
    fitted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        np.tile(predictor, 2)[:, None], np.repeat([1, 0], 500), sample_weight=np.concatenate([ones, zeros])
    )
    assert logistic_line(predictor, ones, zeros) == pytest.approx((fitted.intercept_[0], fitted.coef_[0, 0]), abs=1e-4)


def test_the_intercept_for_a_given_slope_makes_the_expected_number_the_observed_one():
    generator = np.random.default_rng(4)
    predictor, ones, zeros = generator.normal(1, 3, 500), generator.uniform(0, 3, 500), generator.uniform(0, 3, 500)
    intercept, slope = logistic_line(predictor, ones, zeros, slope=0.8)
    assert slope == 0.8
    assert ((ones + zeros) / (1 + np.exp(-intercept - 0.8 * predictor))).sum() == pytest.approx(ones.sum())


@pytest.mark.parametrize("predictor", [np.ones(20), np.linspace(-1, 1, 20), np.linspace(-1000, 1000, 20)])
def test_without_a_maximum_of_the_likelihood_there_is_no_line(predictor):
    ones = (np.arange(20) >= 10).astype(float)
    assert np.isnan(logistic_line(predictor, ones, 1 - ones)).all()


def test_scores_without_a_tree_of_known_status_are_not_numbers():
    scores = score(np.zeros(5), np.zeros(5), np.linspace(0.1, 0.9, 5))
    assert scores.trees == 0
    assert np.isnan([scores.auc, scores.brier, scores.slope, scores.ece]).all()


def test_scores_inside_native_ranges_are_reported_if_every_method_and_year_has_them():
    everywhere, inside = (pd.DataFrame({"brier": scores}) for scores in ([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]))
    for native, reported in (
        (inside, inside),
        (inside.iloc[:2], everywhere),
        (inside.replace(0.4, np.nan), everywhere),
    ):
        assert Evaluation(np.zeros(0), {}, None, everywhere, native).reported is reported
