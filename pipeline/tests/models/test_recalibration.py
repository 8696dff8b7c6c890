import json
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from pipeline.evaluation.graph import GraphModel
from pipeline.models.artefacts import OUTCOMES, ModelsError
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES
from pipeline.models.hazard import HazardModel
from pipeline.models.onnx_graph import write_onnx
from pipeline.models.recalibration import Lines, read_recalibration, recalibrated_graph
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.species import species_codes
from pipeline.recalibrate_command import CAUTION

LINES = Lines(np.array([0.4, -0.2, 1.1]), np.array([0.6, 1.4, 0.9]))


@pytest.fixture(scope="module")
def model(features, practice_slopes):
    generator = np.random.default_rng(4)
    knots = Knots.spanning(features, np.array([feature.logarithmic for feature in FEATURES]))
    shape = (len(species_codes()), len(FEATURES), KNOTS, len(HORIZONS))
    curves = np.cumsum(generator.normal(0, 0.1, shape), axis=2)
    return HazardModel(knots, generator.normal(-2, 1, (shape[0], shape[3])), curves, practice_slopes, False)


@pytest.fixture(scope="module")
def directory(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs")
    write_onnx(model, path / "base.onnx")
    for name, lines in (("recalibrated", LINES), ("same", Lines(np.zeros(3), np.ones(3)))):
        onnx.save(recalibrated_graph(path / "base.onnx", lines), path / f"{name}.onnx")
    return path


def test_the_recalibrated_graph_moves_each_hazard_along_its_line(model, directory, features, practised, species):
    steeper = {name: LINES.slope * getattr(model, name) for name in ("curves", "practice")}
    moved = replace(model, intercepts=LINES.intercept + LINES.slope * model.intercepts, **steeper)
    for inputs in (features, practised):
        survival, baseline, contributions = GraphModel(directory / "recalibrated.onnx").run(inputs, species)
        assert survival == pytest.approx(moved.survival(inputs, species), abs=1e-5)
        assert baseline == pytest.approx(moved.baseline(species), abs=1e-5)
        assert contributions == pytest.approx(moved.contributions(inputs, species), abs=1e-5)
        assert survival == pytest.approx(LINES.survival(model.survival(inputs, species)), abs=1e-5)


def test_the_recalibrated_graph_keeps_the_contract_of_the_service(directory, features, species):
    survival, baseline, contributions = GraphModel(directory / "recalibrated.onnx").run(features, species)
    assert np.abs(baseline + contributions.sum(axis=2) - survival).max() < 1e-4
    assert (np.diff(survival, axis=1) <= 0).all()


def test_lines_of_intercept_0_and_slope_1_change_no_prediction(directory, features, species):
    base, same = (GraphModel(directory / f"{name}.onnx").run(features, species) for name in ("base", "same"))
    for before, after in zip(base, same, strict=True):
        assert np.array_equal(before, after)


def test_there_is_a_caution_for_outcomes_of_every_kind():
    assert set(CAUTION) == set(OUTCOMES)


def test_a_graph_of_another_kind_is_refused(tmp_path):
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])
    other = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N"])
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "other", [value], [other])
    onnx.save(helper.make_model(graph), tmp_path / "other.onnx")
    with pytest.raises(ModelsError, match="is not a graph that this pipeline wrote"):
        recalibrated_graph(tmp_path / "other.onnx", LINES)


GOOD = {
    "format": "nurselog-recalibration/1",
    "methods": {"manual": [{"horizon_years": horizon, "intercept": 0.1, "slope": 0.8} for horizon in HORIZONS]},
}


SCORE = {"planting_method": "manual", "horizon_years": 1, "auc": None, "brier": 0.1, "calibration_slope": 1}


def with_scores(scores):
    return GOOD | {"models": {}, "outcomes": {"file": "trees.csv", "sha256": "0"}, "scores": scores}


def with_period(**changes):
    periods = [dict(entry) for entry in GOOD["methods"]["manual"]]
    periods[1] |= changes
    return GOOD | {"methods": {"manual": periods}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "format must be nurselog-recalibration/1, not None"),
        (GOOD | {"format": "x/2"}, "format must be nurselog-recalibration/1, not 'x/2'"),
        (GOOD | {"methods": {}}, "methods must have manual or drone_seeded, not {}"),
        (GOOD | {"methods": {"drone": []}}, "methods must have manual or drone_seeded"),
        (GOOD | {"methods": {"manual": None}}, "manual must have horizon_years, intercept and slope a period"),
        (GOOD | {"methods": {"manual": []}}, r"horizon_years of manual must be \[1, 3, 5\], not \[\]"),
        (with_period(slope="steep"), "slope of manual must be a number from 0.001 to 1000, not 'steep'"),
        (with_period(slope=0), "slope of manual must be a number from 0.001 to 1000, not 0"),
        (with_period(slope=True), "slope of manual must be a number from 0.001 to 1000, not True"),
        (with_period(intercept=1e39), r"intercept of manual must be a number from -1000 to 1000, not 1e\+39"),
        (GOOD, "must have models, outcomes and scores, as evaluate writes them"),
        (with_period(intercept=1e999), "intercept of manual must be a number from -1000 to 1000, not inf"),
        (with_scores([]), "scores must have an entry for each horizon of manual"),
        (with_scores(["a"] * 3), "scores must have an entry for each horizon of manual"),
        (with_scores([SCORE, SCORE, SCORE | {"planting_method": []}]), "scores must have an entry for each horizon"),
        (
            with_scores([SCORE | {"horizon_years": years, "brier": "x"} for years in HORIZONS]),
            "brier .* or null, not 'x'",
        ),
        (with_scores([SCORE | {"horizon_years": years} for years in HORIZONS]), "expected_calibration_error in scores"),
    ],
)
def test_a_bad_recalibration_file_is_refused_in_one_line_that_names_the_value(tmp_path, content, message):
    (tmp_path / "recalibration.json").write_text(json.dumps(content))
    with pytest.raises(ModelsError, match=message) as raised:
        read_recalibration(tmp_path / "recalibration.json")
    assert "\n" not in str(raised.value)
