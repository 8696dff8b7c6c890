"""Scores of plantings against values that can be computed by hand or by another library."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from pipeline.evaluation.evidence.plantings import Census, Planting
from pipeline.evaluation.evidence.predictions import Comparison, Predicted
from pipeline.evaluation.evidence.scores import (
    DESIGN_EFFECT,
    PLOT_CORRELATION,
    beta_binomial,
    correlation_of,
    coverage,
    log_score,
    rank_correlation,
)
from pipeline.evaluation.evidence.stands import elevation_effects, stands, treatment_effect
from pipeline.evaluation.evidence.summary import summarise


def comparison(place="A", trees=100, alive=(80,), survival=0.8, width=0.1, treatment="", source="source"):
    """A planting with a census in years 1, 2, … and a model that gives `survival` a year, +- `width`."""
    censuses = tuple(
        Census(year, float(year), count, count / trees, count / trees, is_bound=False)
        for year, count in enumerate(alive, start=1)
    )
    years = survival ** np.arange(1, 6)
    draws = np.clip(np.linspace(years - width, years + width, 41), 0.01, 0.99)
    interval = np.quantile(draws, (0.1, 0.9), axis=0)
    planting = Planting(source, place, "PSME", "manual", treatment, trees, censuses)
    return Comparison(planting, Predicted(years, draws, interval, "grid"))


def test_the_beta_binomial_equals_that_of_scipy():
    size = 1 / 0.1 - 1
    expected = betabinom.logpmf(70, 100, 0.8 * size, 0.2 * size)
    assert beta_binomial(70, 100, np.array([0.8]), 0.1)[0] == pytest.approx(expected)
    assert beta_binomial(70, 100, np.array([0.8]), 0.0)[0] == pytest.approx(binom.logpmf(70, 100, 0.8))


def test_a_large_count_has_the_design_effect_of_plots_of_8_trees():
    assert pytest.approx(1 + 7 * PLOT_CORRELATION) == DESIGN_EFFECT
    assert 1 + 999 * correlation_of(1000) == pytest.approx(DESIGN_EFFECT)
    assert correlation_of(3) == pytest.approx(PLOT_CORRELATION)
    assert correlation_of(1) == 0


def test_the_log_score_is_best_for_a_forecast_near_the_counts_and_sums_over_conditional_censuses():
    near, far = (log_score(comparison(survival=survival)) for survival in (0.8, 0.5))
    assert near > far + 5
    both = log_score(comparison(alive=(80, 64), width=1e-6))
    first = log_score(comparison(alive=(80,), width=1e-6))
    second = beta_binomial(64, 80, np.array([0.8]), correlation_of(80))[0]
    assert both == pytest.approx(first + second, abs=1e-3)


def test_coverage_counts_values_inside_below_and_above_and_skips_plantings_of_few_trees():
    rows = [comparison(alive=(count,)) for count in (80, 40, 99)] + [comparison(trees=5, alive=(0,))]
    assert coverage(rows) == (1, 1, 1)


def test_ranks_need_four_stands_with_differences():
    assert np.isnan(rank_correlation([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]))
    assert rank_correlation([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]) == pytest.approx(-1)
    assert np.isnan(rank_correlation([0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.5, 0.5]))


def test_a_stand_joins_its_treatments_by_their_trees():
    (stand,) = stands(
        [comparison(trees=100, alive=(90,), treatment="a"), comparison(trees=300, alive=(30,), treatment="b")]
    )
    assert stand.trees == 400
    assert stand.observed == pytest.approx(120 / 400)


def test_the_effect_of_elevation_is_the_slope_of_the_logit_a_kilometre():
    rows = [
        comparison(place=place, trees=1000, alive=(alive,)) for place, alive in (("A", 500), ("B", 731), ("C", 881))
    ]
    elevations = {("source", place): metres for place, metres in (("A", 0), ("B", 500), ("C", 1000))}
    ((species, count, observed, predicted),) = elevation_effects(stands(rows), elevations, "source", 1)
    # logits 0, 1 and 2
    assert (species, count) == ("PSME", 3)
    assert observed == pytest.approx(2.0, abs=0.01)
    assert predicted == pytest.approx(0.0, abs=1e-9)


def test_a_treatment_effect_is_the_mean_difference_of_the_logit_of_dying():
    rows = [comparison(trees=1000, alive=(alive,), treatment=name) for name, alive in (("clear", 731), ("grass", 500))]
    count, observed, predicted = treatment_effect(rows, "source", 1, lambda name: ("", int(name == "grass")))
    assert count == 1
    assert observed == pytest.approx(1.0, abs=0.01)
    assert predicted == pytest.approx(0.0, abs=1e-9)


def test_a_source_fits_if_its_values_lie_inside_and_is_not_judged_by_two_values():
    right = [comparison(source="right", place=str(i)) for i in range(4)]
    wrong = [comparison(source="wrong", place=str(i), alive=(10,)) for i in range(4)]
    few = [comparison(source="few", place=str(i)) for i in range(2)]
    result = summarise([*right, *wrong, *few])
    names = [[source.source for source in of] for of in (result.fitting(), result.missing(), result.unjudged())]
    assert names == [["right"], ["wrong"], ["few"]]
    assert result.sources[0].gain > 0


def test_places_of_a_source_that_were_seen_in_different_years_have_rows_of_their_own():
    once = comparison(place="seen once", alive=(80,))
    late = comparison(place="seen late", trees=300, alive=(300, 30))
    late = replace(late, planting=replace(late.planting, censuses=late.planting.censuses[1:]))
    (source,) = summarise([once, late]).sources
    rows = [(of.year, of.places, of.trees, of.inside, of.below, of.observed) for of in source.years]
    assert rows == [(1, 1, 100, 1, 0, 0.8), (2, 1, 300, 0, 1, 0.1)]
    assert (source.inside, source.below, source.above) == (1, 1, 0)
