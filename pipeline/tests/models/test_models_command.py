"""The options of `python -m pipeline models`; what it builds is tested in `test_models_observed`."""

import pytest

from pipeline.__main__ import main
from pipeline.models_command import MAPS, MODELS, maps_of
from pipeline.sources.manifest import PROJECT

COMPLETE = ["--model-version", "1_2", "--output", "somewhere"]


@pytest.mark.parametrize("command", [["models"], ["all", "--sources", "somewhere"]])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (COMPLETE[2:], "the following arguments are required: --model-version"),
        (COMPLETE[:2], "the following arguments are required: --output"),
        *(
            (["--model-version", version, *COMPLETE[2:]], f"'{version}' is not MAJOR_MINOR, such as 1_2")
            for version in ("1.2", "1", "v1_2", "1_2_3", "pnw_v1_2_larch", "")
        ),
    ],
)
def test_a_missing_or_malformed_option_ends_with_one_line_that_says_what_is_right(command, options, problem, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*command, *options])
    error = capsys.readouterr().err
    assert error.startswith("pipeline: ")
    assert problem in error
    assert error.count("\n") == 1


def test_an_output_that_is_a_file_is_refused_in_one_line_before_anything_is_computed(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    assert main(["models", "--model-version", "1_2", "--output", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == f"pipeline: --output: {tmp_path}/file cannot be made: File exists\n"


def test_the_plots_go_to_the_documentation_only_with_the_shipped_models(tmp_path, monkeypatch):
    monkeypatch.chdir(PROJECT)
    assert maps_of(MODELS.relative_to(PROJECT)) == MAPS
    assert maps_of(tmp_path / "models") == tmp_path / "models" / "maps"
