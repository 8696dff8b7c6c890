import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.special import expit

from pipeline.models.basis import KNOTS
from pipeline.models.fit import (
    FREE,
    INTERCEPT_PENALTY,
    LEVEL_PENALTY,
    METHOD_SMOOTHING,
    SpeciesCounts,
    fit_logits,
    fit_period,
)

ROWS = 300
SIZE = 1 + KNOTS


def species_counts(generator):
    position = generator.uniform(0, KNOTS - 1, ROWS)
    interval = np.minimum(position.astype(int), KNOTS - 2)
    basis = np.zeros((ROWS, KNOTS))
    basis[np.arange(ROWS), interval] = 1 - (position - interval)
    basis[np.arange(ROWS), interval + 1] = position - interval
    offset = generator.normal(0, 0.3, ROWS)
    at_risk = generator.integers(1, 9, ROWS).astype(float)
    died = generator.binomial(at_risk.astype(int), expit(offset - 1 + generator.normal() * np.sin(position / 4)))
    return SpeciesCounts(sparse.csr_matrix(basis), at_risk, died.astype(float), offset)


def penalised_deviance(data, shared, own, penalty_shared, penalty_own):
    """Return the objective, written independently from the docstring of the module."""
    total = penalty_shared(shared)
    for counts, curve in zip(data, own, strict=True):
        logit = counts.offset + curve[0] + counts.basis @ curve[1:]
        total += (counts.at_risk * np.logaddexp(0, logit) - counts.died * logit).sum()
        total += penalty_own(curve - shared)
    return total


def roughness(slope, curvature, level, intercept):
    def cost(c):
        bends = slope * np.sum(np.diff(c[1:]) ** 2) + curvature * np.sum(np.diff(c[1:], 2) ** 2)
        return (bends + level * np.sum(c[1:] ** 2) + intercept * c[0] ** 2) / 2

    return cost


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(12)
    return [species_counts(generator) for _ in range(2)]


def test_newton_reaches_an_objective_at_least_as_low_as_a_general_optimizer(data):
    smoothing = METHOD_SMOOTHING
    costs = (
        roughness(smoothing.shared_slope, smoothing.shared_curvature, LEVEL_PENALTY, FREE),
        roughness(smoothing.species_slope, smoothing.species_curvature, LEVEL_PENALTY, INTERCEPT_PENALTY),
    )

    def objective(flat):
        return penalised_deviance(data, flat[:SIZE], flat[SIZE:].reshape(len(data), SIZE), *costs)

    shared, own = fit_period(data, smoothing)
    found = optimize.minimize(objective, np.zeros(SIZE * (1 + len(data))), method="L-BFGS-B", options={"maxfun": 10**6})
    ours = objective(np.concatenate([shared, own.ravel()]))
    # The objective is convex: who is lowest is nearest, and the other is to come close.
    assert ours <= found.fun
    assert found.fun == pytest.approx(ours, abs=0.05)


def test_a_species_with_few_trees_keeps_the_shared_curve(data):
    few = SpeciesCounts(data[0].basis, data[0].at_risk * 1e-6, data[0].died * 1e-6, data[0].offset)
    shared, own = fit_period([few, data[1]], METHOD_SMOOTHING)
    assert own[0] == pytest.approx(shared, abs=1e-3)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_period_in_which_all_trees_live_or_all_die_has_a_fit(data, share):
    certain = [SpeciesCounts(s.basis, s.at_risk, share * s.at_risk, s.offset) for s in data]
    _, own = fit_period(certain, METHOD_SMOOTHING)
    hazard = expit(np.column_stack([s.offset + own[i, 0] + s.basis @ own[i, 1:] for i, s in enumerate(certain)]))
    assert hazard == pytest.approx(share, abs=1e-3)


def test_few_trees_far_from_each_other_in_a_large_offset_have_a_fit(data):
    few = [SpeciesCounts(s.basis[:12], s.at_risk[:12], s.died[:12], 40 * s.offset[:12]) for s in data]
    shared, own = fit_period(few, METHOD_SMOOTHING)
    costs = (
        roughness(METHOD_SMOOTHING.shared_slope, METHOD_SMOOTHING.shared_curvature, LEVEL_PENALTY, FREE),
        roughness(METHOD_SMOOTHING.species_slope, METHOD_SMOOTHING.species_curvature, LEVEL_PENALTY, INTERCEPT_PENALTY),
    )
    best = penalised_deviance(few, shared, own, *costs)
    generator = np.random.default_rng(1)
    for _ in range(50):
        nearby = [values + generator.normal(0, 0.01, values.shape) for values in (shared, own)]
        assert penalised_deviance(few, *nearby, *costs) > best


def test_the_fit_of_logits_is_the_last_step_of_the_fit_of_counts(data):
    own = fit_period(data, METHOD_SMOOTHING)[1]
    designs, responses, weights = [], [], []
    for counts, curve in zip(data, own, strict=True):
        design = np.column_stack([np.ones(ROWS), counts.basis.toarray()])
        hazard = expit(counts.offset + design @ curve)
        weight = counts.at_risk * hazard * (1 - hazard)
        designs.append(design)
        weights.append(weight)
        # The working response of iteratively reweighted least squares.
        responses.append(design @ curve + (counts.died - counts.at_risk * hazard) / weight)
    assert fit_logits(designs, responses, weights, METHOD_SMOOTHING) == pytest.approx(own, abs=1e-5)
