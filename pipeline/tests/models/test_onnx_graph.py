import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES
from pipeline.models.hazard import HazardModel
from pipeline.models.onnx_graph import write_onnx
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.species import species_codes

ROWS = 4000


@pytest.fixture(scope="module")
def features():
    generator = np.random.default_rng(3)
    return generator.uniform(1, 100, (ROWS, len(FEATURES))).astype(np.float32)


@pytest.fixture(scope="module")
def model(features):
    """Curves far wilder than any fit, so that survival runs from 0 to 1 within a step of the quadrature."""
    generator = np.random.default_rng(4)
    knots = Knots.spanning(features, np.array([feature.logarithmic for feature in FEATURES]))
    shape = (len(species_codes()), len(FEATURES), KNOTS, len(HORIZONS))
    curves = np.cumsum(generator.normal(0, 0.4, shape), axis=2)
    curves -= curves.mean(axis=2, keepdims=True)
    return HazardModel(knots, generator.normal(-2, 1, (shape[0], shape[3])), curves)


@pytest.fixture(scope="module")
def graph(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "model.onnx"
    write_onnx(model, path)
    return GraphModel(path)


@pytest.fixture(scope="module")
def species():
    return np.random.default_rng(5).integers(0, len(species_codes()), ROWS)


def test_the_graph_computes_what_the_model_does(model, graph, features, species):
    survival, baseline, contributions = graph.run(features, species)
    assert survival == pytest.approx(model.survival(features, species), abs=1e-5)
    assert baseline == pytest.approx(model.baseline(species), abs=1e-5)
    assert contributions == pytest.approx(model.contributions(features, species), abs=1e-5)


def test_contributions_add_up_to_survival_less_baseline_even_for_wild_curves(graph, features, species):
    survival, baseline, contributions = graph.run(features, species)
    assert np.abs(baseline + contributions.sum(axis=2) - survival).max() < 1e-4


def test_survival_never_rises_with_the_horizon(graph, features, species):
    survival = graph.run(features, species)[0]
    assert (np.diff(survival, axis=1) <= 0).all()


def test_a_row_does_not_depend_on_its_batch(graph, features, species):
    together = graph.run(features[:500], species[:500])
    for row in (0, 1, 499):
        alone = graph.run(features[row : row + 1], species[row : row + 1])
        for batch, single in zip(together, alone, strict=True):
            assert single[0] == pytest.approx(batch[row], abs=1e-6)


def test_an_empty_batch_gives_empty_outputs(graph, features, species):
    survival, baseline, contributions = graph.run(features[:0], species[:0])
    assert survival.shape == baseline.shape == (0, len(HORIZONS))
    assert contributions.shape == (0, len(HORIZONS), len(FEATURES))


def test_a_feature_without_effect_contributes_nothing(model, features, species, tmp_path):
    curves = model.curves.copy()
    curves[:, 3] = 0
    write_onnx(HazardModel(model.knots, model.intercepts, curves), tmp_path / "flat.onnx")
    assert not GraphModel(tmp_path / "flat.onnx").contributions(features, species)[:, :, 3].any()


def test_a_second_export_has_the_same_bytes(model, tmp_path):
    for name in ("first", "second"):
        write_onnx(model, tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
