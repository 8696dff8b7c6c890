from dataclasses import replace

import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.models import hazard
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES, INPUT_NAMES, with_practice
from pipeline.models.hazard import HazardModel
from pipeline.models.onnx_graph import write_onnx
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.species import species_codes


@pytest.fixture(scope="module", params=[False, True], ids=["planted", "sown"])
def model(features, practice_slopes, request):
    """Curves far wilder than any fit, so that survival runs from 0 to 1 within a step of the quadrature."""
    generator = np.random.default_rng(4)
    knots = Knots.spanning(features, np.array([feature.logarithmic for feature in FEATURES]))
    shape = (len(species_codes()), len(FEATURES), KNOTS, len(HORIZONS))
    curves = np.cumsum(generator.normal(0, 0.4, shape), axis=2)
    curves -= curves.mean(axis=2, keepdims=True)
    return HazardModel(knots, generator.normal(-2, 1, (shape[0], shape[3])), curves, practice_slopes, request.param)


@pytest.fixture(scope="module")
def graph(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "model.onnx"
    write_onnx(model, path)
    return GraphModel(path)


def test_the_graph_computes_what_the_model_does(model, graph, features, practised, species):
    for inputs in (features, practised):
        survival, baseline, contributions = graph.run(inputs, species)
        assert survival == pytest.approx(model.survival(inputs, species), abs=1e-5)
        assert baseline == pytest.approx(model.baseline(species), abs=1e-5)
        assert contributions == pytest.approx(model.contributions(inputs, species), abs=1e-5)


def test_a_practice_at_its_default_contributes_exactly_nothing(graph, features, practised, species):
    for column in range(len(FEATURES), len(INPUT_NAMES)):
        inputs = practised.copy()
        inputs[:, column] = with_practice(features)[:, column]
        assert not graph.contributions(inputs, species)[:, :, column].any()


def test_planting_does_not_depend_on_the_seeds_of_a_spot(model, graph, practised, species):
    other = practised.copy()
    other[:, -1] = 3
    same = np.array_equal(graph.run(practised, species)[0], graph.run(other, species)[0])
    assert same != model.sown


def test_spots_with_half_the_seeds_die_with_the_square_root_of_the_probability(model, graph, features, species):
    half = with_practice(features)
    half[:, -1] /= 2
    whole, halved = (1 - graph.survival(inputs, species) for inputs in (features, half))
    assert halved == pytest.approx(np.sqrt(whole) if model.sown else whole, abs=1e-5)


@pytest.mark.parametrize("steepness", [1, 5])
def test_contributions_as_reported_add_up_to_survival_however_steep_the_curves(
    model, features, practised, species, tmp_path, steepness
):
    path = tmp_path / "steep.onnx"
    write_onnx(replace(model, curves=model.curves * steepness), path)
    extremes = np.where(np.random.default_rng(6).random(features.shape) < 0.5, 0, 1000)
    for values in (features, practised, extremes):
        survival, baseline, contributions = GraphModel(path).run(values, species)
        reported = baseline.round(6) + contributions.round(6).sum(axis=2, dtype=np.float64)
        # Half a unit of the last decimal for each of the numbers, and the single precision of the graph.
        assert np.abs(reported - survival).max() < (len(INPUT_NAMES) + 1) * 0.5e-6 + 1e-6


def test_few_nodes_give_the_contributions_of_many(model, features, species, monkeypatch):
    # Half as steep as `model`: logits of about the spread that fitted curves have at extreme conditions.
    half = replace(model, curves=model.curves / 2)
    few = half.contributions(features, species)
    monkeypatch.setattr(hazard, "QUADRATURE_NODES", 100)
    many = half.contributions(features, species)
    assert np.abs(few - many).max() < 0.005
    assert (np.abs(few).argmax(axis=2) == np.abs(many).argmax(axis=2)).mean() > 0.999
    assert (few * many >= -1e-9).all()


def test_survival_never_rises_with_the_horizon(graph, features, practised, species):
    for inputs in (features, practised):
        assert (np.diff(graph.survival(inputs, species), axis=1) <= 0).all()


def test_a_row_does_not_depend_on_its_batch(graph, features, species):
    together = graph.run(features[:500], species[:500])
    for row in (0, 1, 499):
        alone = graph.run(features[row : row + 1], species[row : row + 1])
        for batch, single in zip(together, alone, strict=True):
            assert single[0] == pytest.approx(batch[row], abs=1e-6)


def test_an_empty_batch_gives_empty_outputs(graph, features, species):
    survival, baseline, contributions = graph.run(features[:0], species[:0])
    assert survival.shape == baseline.shape == (0, len(HORIZONS))
    assert contributions.shape == (0, len(HORIZONS), len(INPUT_NAMES))


def test_a_feature_without_effect_contributes_nothing(model, features, species, tmp_path):
    curves = model.curves.copy()
    curves[:, 3] = 0
    write_onnx(replace(model, curves=curves), tmp_path / "flat.onnx")
    assert not GraphModel(tmp_path / "flat.onnx").contributions(features, species)[:, :, 3].any()


def test_a_second_export_has_the_same_bytes(model, tmp_path):
    for name in ("first", "second"):
        write_onnx(model, tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
