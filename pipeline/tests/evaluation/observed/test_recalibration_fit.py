from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from pipeline.evaluation.observed.measures import MIN_BLOCKS
from pipeline.evaluation.observed.recalibration import (
    UNPLACED,
    PeriodTrees,
    fit_lines,
    held_out_survival,
    line_entries,
)
from pipeline.models.recalibration import Lines, hazard_logits

TREES = 60_000
TRUE = Lines(np.array([0.5, -0.3, 0.2]), np.array([0.6, 1.3, 0.9]))


@pytest.fixture(scope="module")
def survival():
    hazard = expit(np.random.default_rng(1).normal(-1.5, 1.0, (TREES, 3)))
    return np.cumprod(1 - hazard, axis=1)


@pytest.fixture(scope="module")
def trees(survival):
    """Trees that die by other lines than the models', half of the living lost after each period."""
    generator = np.random.default_rng(2)
    true = TRUE.survival(survival)
    hazard = 1 - true / np.column_stack([np.ones(TREES), true[:, :-1]])
    dies, kept = generator.random((TREES, 3)) < hazard, generator.random((TREES, 3)) < 0.5
    at_risk = np.column_stack([np.ones(TREES, bool), np.cumprod(~dies & kept, axis=1)[:, :-1].astype(bool)])
    block = np.arange(TREES) % 50
    unplaced = np.zeros((TREES, 3), dtype=bool)
    return PeriodTrees.of(survival, at_risk.astype(float), (dies & at_risk).astype(float), block, block % 5, unplaced)


def test_lines_are_recovered_in_spite_of_lost_trees(trees):
    lines, why = fit_lines(trees, np.ones(TREES, dtype=bool))
    assert why == [None] * 3
    assert lines.intercept == pytest.approx(TRUE.intercept, abs=0.12)
    assert lines.slope == pytest.approx(TRUE.slope, abs=0.08)


def test_held_out_folds_are_recalibrated_to_the_true_survival(trees, survival):
    assert held_out_survival(trees, survival) == pytest.approx(TRUE.survival(survival), abs=0.03)


def test_survival_is_nan_from_a_period_on_whose_line_a_fold_decides(trees, survival):
    def without_deaths(*folds):
        died = trees.died.copy()
        died[np.isin(trees.fold, folds), 1] = 0
        return np.isnan(held_out_survival(replace(trees, died=died), survival))

    # The other folds have no death in the second period: it has a line only with all trees or the fold with deaths.
    assert (without_deaths(1, 2, 3, 4) == ((trees.fold == 0)[:, None] & [False, True, True])).all()
    # No death at all: the period has no line with or without a fold.
    assert not without_deaths(0, 1, 2, 3, 4).any()


def test_intervals_contain_the_true_line(trees):
    for period, entry in enumerate(line_entries(trees, replicates=60, seed=1)):
        assert entry["intercept_low"] - 0.05 < TRUE.intercept[period] < entry["intercept_high"] + 0.05
        assert entry["slope_low"] - 0.05 < TRUE.slope[period] < entry["slope_high"] + 0.05


def test_a_bootstrap_of_blocks_that_are_alike_has_the_slope_of_the_estimate(trees):
    some = trees.block < 5
    copies = [np.concatenate([values[some]] * 8) for values in (trees.logits, trees.at_risk, trees.died)]
    block, unplaced = np.repeat(np.arange(8), some.sum()), np.zeros((8 * some.sum(), 3), dtype=bool)
    for entry in line_entries(PeriodTrees(*copies, block, block, unplaced), replicates=10, seed=1):
        assert entry["slope_low"] == pytest.approx(entry["slope"], abs=1e-6)
        assert entry["slope_high"] == pytest.approx(entry["slope"], abs=1e-6)


def test_a_period_without_deaths_stays_as_it_is(trees):
    died = trees.died * np.array([1.0, 0.0, 1.0])
    without = replace(trees, died=died)
    lines, why = fit_lines(without, np.ones(TREES, dtype=bool))
    assert (lines.intercept[1], lines.slope[1]) == (0, 1)
    assert why[1].startswith("fewer than 10 trees")


def test_a_period_of_which_many_deaths_may_be_of_another_stays_as_it_is(trees):
    dead = trees.died[:, 1] > 0
    unplaced = np.column_stack([np.zeros(TREES, bool), dead & (np.arange(TREES) % 10 == 0), np.zeros(TREES, bool)])
    lines, why = fit_lines(replace(trees, unplaced=unplaced), np.ones(TREES, dtype=bool))
    assert (lines.intercept[1], lines.slope[1]) == (0, 1)
    assert why == [None, UNPLACED, None]


def test_a_slope_that_would_reverse_the_order_of_the_sites_is_not_used_but_the_level_is(trees):
    everyone = np.ones(TREES, dtype=bool)
    reversed_ = replace(trees, logits=-trees.logits)
    lines, why = fit_lines(reversed_, everyone)
    assert (lines.slope == 1).all()
    assert all(reason.startswith("level only") and "reverse" in reason for reason in why)
    expected = (trees.at_risk * expit(lines.intercept + reversed_.logits)).sum(axis=0)
    assert expected == pytest.approx(trees.died.sum(axis=0), rel=1e-6)


def test_few_blocks_draw_the_slope_towards_1_and_keep_the_number_of_deaths(trees):
    few = trees.block < 2
    apart = replace(trees, block=np.arange(TREES) % 1000)
    (drawn, _), (free, _) = (fit_lines(of, few) for of in (trees, apart))
    assert (np.abs(drawn.slope - 1) < np.abs(free.slope - 1) * 0.5).all()
    expected = (trees.at_risk * expit(drawn.intercept + drawn.slope * trees.logits))[few].sum(axis=0)
    assert expected == pytest.approx(trees.died[few].sum(axis=0), rel=1e-6)


def test_blocks_without_a_tree_at_risk_in_a_period_do_not_count_there(trees):
    few = trees.block < MIN_BLOCKS - 1
    kept = np.column_stack([np.ones(TREES), np.ones(TREES), few])
    lost = replace(trees, at_risk=trees.at_risk * kept, died=trees.died * kept)
    lines, of_few = fit_lines(lost, np.ones(TREES, dtype=bool))[0], fit_lines(trees, few)[0]
    assert (lines.intercept[2], lines.slope[2]) == pytest.approx((of_few.intercept[2], of_few.slope[2]))
    entries = line_entries(lost, replicates=20, seed=1)
    assert ["slope_low" in entry for entry in entries] == [True, True, False]


def test_hazard_logits_are_those_of_the_survival_between_horizons():
    assert hazard_logits(np.array([[0.9, 0.6, 0.3]])) == pytest.approx(logit([[0.1, 1 / 3, 0.5]]))
    assert np.isfinite(hazard_logits(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))).all()
