import numpy as np
import pytest

from pipeline.evaluation.metrics import calibration_curve, calibration_error, score, status_weights
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
