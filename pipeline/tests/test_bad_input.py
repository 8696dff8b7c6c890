"""Commands that get unusable input print one line that names it, and no stack."""

import json
import shutil

import onnx.parser
import pandas as pd
import pytest

from pipeline.__main__ import main
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.recalibration import SCORES
from pipeline.models_command import MODELS
from pipeline.outcomes.periods import HORIZONS
from pipeline.sources.manifest import sha256_of


def refused(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 1
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    return printed


@pytest.fixture(scope="module")
def point():
    grid = read_grid(GRID)
    return grid.latitude[1000], grid.longitude[1000]


@pytest.fixture
def table(point, tmp_path):
    def write(**columns):
        rows = {
            "latitude": point[0],
            "longitude": point[1],
            "species_code": "PSME",
            "planting_method": "manual",
            "planted_year": 2015,
            "years_observed": [1, 3, 5] * 10,
            "alive": [0, 1] * 15,
        }
        path = tmp_path / "trees.csv"
        pd.DataFrame(rows | columns, index=range(30)).to_csv(path, index=False)
        return path

    return write


@pytest.fixture
def models(tmp_path):
    """A function that copies the shipped models with a changed manifest."""

    def copy(change):
        path = shutil.copytree(MODELS, tmp_path / "models")
        manifest = json.loads((path / "manifest.json").read_text())
        change(manifest)
        (path / "manifest.json").write_text(json.dumps(manifest))
        return path

    return copy


def evaluation(tmp_path, table, models=MODELS):
    return ["evaluate", "--outcomes", table, "--models", models, "--output", tmp_path / "out", "--replicates", 10]


def test_a_models_directory_that_does_not_exist_is_named(capsys, tmp_path, table):
    message = refused(capsys, *evaluation(tmp_path, table(), tmp_path / "none"))
    assert message == f"pipeline: {tmp_path}/none/manifest.json: cannot be read: No such file or directory\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda manifest: manifest.pop("methods"), "methods must have manual or drone_seeded, not None"),
        (lambda manifest: manifest.update(methods={}), "methods must have manual or drone_seeded, not {}"),
        (
            lambda manifest: manifest.update(methods={"plane": {}}),
            "methods must have manual or drone_seeded, not {'pl",
        ),
        (lambda manifest: manifest["methods"]["manual"].pop("sha256"), "methods.manual must have file and sha256"),
        (lambda manifest: manifest["methods"].pop("manual"), "has no model for planting_method manual"),
        (lambda manifest: manifest.update(format="x"), "format must be nurselog-model/3, not 'x'"),
        (lambda manifest: manifest.update(horizons=[1, 2]), "horizons must be [1, 3, 5], not [1, 2]"),
        (lambda manifest: manifest.update(features=[{}]), "features must be a list of objects with a name"),
        (lambda manifest: manifest["features"][0].update(name="depth"), "feature depth is not a column of the grid"),
        (lambda manifest: manifest["species"].remove("PSME"), "has no species PSME, which the table has"),
        (lambda manifest: manifest.update(outcomes="guessed"), "simulated, calibrated or observed, not 'guessed'"),
        (lambda manifest: manifest.update(provenance=[]), "must have a list of scores and an object provenance"),
        (lambda manifest: manifest.update(version=3), "version must be a text, not 3"),
        (lambda manifest: manifest["methods"]["manual"].update(file="no.onnx"), "no.onnx: does not exist"),
        (lambda manifest: manifest["methods"]["manual"].update(sha256="0"), "manual.onnx: does not have the SHA-256"),
        (lambda manifest: manifest["features"].pop(), "manual.onnx: does not run as a graph of the model contract"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused_with_the_value(capsys, tmp_path, table, models, change, message):
    printed = refused(capsys, *evaluation(tmp_path, table(), models(change)))
    assert message in printed
    assert printed.count("\n") == 1


def test_models_without_provenance_are_evaluated_and_compared(tmp_path, table, models):
    own = models(lambda manifest: manifest.pop("provenance"))
    assert main([str(option) for option in evaluation(tmp_path, table(), own)]) == 0
    assert main(["evidence", "--models", str(own)]) == 0


@pytest.mark.parametrize("content", ["{", "[1]", "\x00"])
def test_a_manifest_that_is_not_a_json_object_is_refused(capsys, tmp_path, table, content):
    (tmp_path / "manifest.json").write_text(content)
    assert f"{tmp_path}/manifest.json: " in refused(capsys, *evaluation(tmp_path, table(), tmp_path))


OWN_GRAPH = """<ir_version: 8, opset_import: ["": 17]>
own (float[rows, 14] features, int64[rows] species)
    => (float[rows, 3] survival, float[rows, 3] baseline, float[rows, 14] contributions)
    <float[1, 3] years = {0.9, 0.8, 0.7}> {
  axis = Constant <value = int64[1] {1}> ()
  zero = Constant <value = float {0}> ()
  sum = ReduceSum(features, axis)
  nothing = Mul(sum, zero)
  survival = Add(nothing, years)
  baseline = Identity(survival)
  contributions = Identity(features)
}"""


@pytest.mark.parametrize("command", ["evaluate", "evidence"])
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rows", "1", "does not run as a graph of the model contract: [ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got"),
        ("features", "X", "Required inputs (['X']) are missing"),
        ("0.8", "0.95", "survival must be from 0 to 1 and never rise, not 0.9, 0.95, 0.7 for species "),
        ("0.8", "nan", "survival must be from 0 to 1 and never rise, not 0.9, nan, 0.7 for species "),
        ("[1, 3] years = {0.9, ", "[1, 2] years = {", "survival must have 3 horizons, not shape "),
    ],
)
def test_a_graph_that_breaks_the_contract_is_refused(capsys, tmp_path, table, models, command, old, new, message):
    def replace(manifest):
        graph = tmp_path / "models" / "manual.onnx"
        onnx.save(onnx.parser.parse_model(OWN_GRAPH.replace(old, new)), graph)
        manifest["methods"]["manual"]["sha256"] = sha256_of(graph)

    of_models = ["--models", models(replace), "--output", tmp_path / "out"]
    of_table = ["--outcomes", table()] if command == "evaluate" else []
    printed = refused(capsys, command, *of_models, *of_table)
    assert "manual.onnx: " in printed
    assert message in printed
    assert printed.count("\n") == 1


def test_a_graph_with_weights_in_another_file_is_refused(capsys, tmp_path, table, models):
    def split(manifest):
        graph = tmp_path / "models" / "manual.onnx"
        onnx.save(onnx.load(graph), graph, save_as_external_data=True, location="manual.data")
        manifest["methods"]["manual"]["sha256"] = sha256_of(graph)

    printed = refused(capsys, *evaluation(tmp_path, table(), models(split)))
    assert printed.endswith("it keeps weights in another file, of which the manifest has no SHA-256; save it as one\n")


def test_trees_outside_the_grid_are_named_by_row(capsys, tmp_path, table):
    message = refused(capsys, *evaluation(tmp_path, table(latitude=10.0)))
    assert "30 errors\nrow 1: no grid point within 0.8 km of 10.0, " in message


def test_an_output_that_is_a_file_is_named(capsys, tmp_path, table):
    (tmp_path / "out").write_text("")
    assert f"{tmp_path}/out" in refused(capsys, *evaluation(tmp_path, table()))


def test_a_recalibration_of_other_models_is_refused(capsys, tmp_path):
    periods = [{"horizon_years": horizon, "intercept": 0.0, "slope": 1.0} for horizon in HORIZONS]
    content = {
        "format": "nurselog-recalibration/1",
        "models": {"version": "pnw_v9_9_other", "sha256": {"manual": "0"}},
        "methods": {"manual": periods},
        "outcomes": {"file": "trees.csv", "sha256": "0"},
        "scores": [
            {"planting_method": "manual", "horizon_years": horizon} | dict.fromkeys(SCORES) for horizon in HORIZONS
        ],
    }
    (tmp_path / "recalibration.json").write_text(json.dumps(content))
    options = ["--recalibration", tmp_path / "recalibration.json", "--model-version", "2_0"]
    assert "was fitted to other models (pnw_v9_9_other)" in refused(
        capsys, "recalibrate", *options, "--output", tmp_path / "out"
    )


def test_an_evaluation_of_one_method_without_deaths_and_blocks_says_what_it_cannot_estimate(capsys, tmp_path, table):
    assert main([str(option) for option in evaluation(tmp_path, table(alive=1))]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert {entry["planting_method"] for entry in report["scores"]} == {"manual"}
    assert "No tree of the table is drone_seeded: that model is not evaluated." in report["notes"]
    for entry in report["scores"]:
        assert entry["observed"] == {"value": 1.0}
        assert entry["not_estimable"]["auc"] == "no tree is known to have died by then"
    periods = report["recalibration"]["methods"]["manual"]
    assert [(entry["intercept"], entry["slope"]) for entry in periods] == [(0, 1)] * 3
    assert all(entry["unchanged_because"] for entry in periods)
    text = (tmp_path / "out" / "report.md").read_text()
    assert "not estimable" in text
    assert "nan" not in text
    options = ["--recalibration", tmp_path / "out" / "recalibration.json", "--model-version", "2_0"]
    message = refused(capsys, "recalibrate", *options, "--output", tmp_path / "recalibrated")
    assert "recalibration.json: changes no model: every intercept is 0 and every slope 1" in message
    assert not (tmp_path / "recalibrated").exists()


def test_years_before_the_only_visit_are_not_scored_or_recalibrated(tmp_path, table):
    def observed(**columns):
        assert main([str(option) for option in evaluation(tmp_path, table(alive=[0, 1] * 15, **columns))]) == 0
        report = json.loads((tmp_path / "out" / "report.json").read_text())
        reasons = [entry["unchanged_because"] or "" for entry in report["recalibration"]["methods"]["manual"]]
        shown = [entry.get("observed", {}).get("value") for entry in report["scores"] if entry["group"] == "all"]
        return shown, ["may be of another period" in reason for reason in reasons], " ".join(report["notes"])

    shown, unclear, notes = observed(years_observed=5)
    assert (shown, unclear) == ([None, None, 0.5], [True] * 3)
    assert "years_alive" in notes
    assert observed(years_observed=10)[:2] == ([None] * 3, [True] * 3)
    shown, unclear, notes = observed(years_observed=5, years_alive=[3, 5] * 15)
    assert (shown, unclear) == ([1.0, 1.0, 0.5], [False] * 3)
    assert "years_alive" not in notes


def test_training_on_deaths_between_visits_of_different_periods_is_refused(capsys, tmp_path, table):
    options = ["--model-version", "3_0", "--output", tmp_path / "trained"]
    printed = refused(capsys, "models", "--outcomes", table(years_observed=3), *options)
    assert "of more than 5% of the deaths of manual in year 1 no visit says whether" in printed
    assert "state it in the column years_alive; if not, leave out all trees of the planting, living ones too" in printed


@pytest.mark.parametrize("alive", [0, [0] * 29 + [1]])
def test_a_table_of_dead_trees_is_evaluated(tmp_path, table, alive):
    assert main([str(option) for option in evaluation(tmp_path, table(years_observed=1, alive=alive))]) == 0


@pytest.mark.parametrize("replicates", ["-1", "many", "1.5"])
def test_an_invalid_number_of_replicates_is_refused(capsys, replicates):
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", "--outcomes", "trees.csv", "--replicates", replicates])
    assert f"argument --replicates: '{replicates}' is not a whole number, 0 or more" in capsys.readouterr().err
