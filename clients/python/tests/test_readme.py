"""The examples of the documentation, as printed."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_process import environment_of
from service_process import ROOT, ServiceProcess

README = ROOT / "clients/python/README.md"


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    ("document", "language", "command"),
    [
        (README, "python", [sys.executable, "-c"]),
        (ROOT / "README.md", "python", [sys.executable, "-c"]),
        (README, "sh", ["sh", "-e", "-c"]),
        (ROOT / "README.md", "sh", ["sh", "-e", "-c"]),
    ],
)
def test_examples_work_as_printed(
    service: ServiceProcess, tmp_path: Path, document: Path, language: str, command: list[str]
) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    examples = blocks(document, language)
    if language == "sh":
        # Without the installation, which these tests have behind them.
        commands = [block.removeprefix("pip install ./clients/python\n") for block in examples]
        examples = [block for block in commands if block.startswith("nurselog ")]
    assert examples
    subprocess.run([*command, "\n".join(examples)], env=environment_of(service), cwd=tmp_path, check=True)


def test_the_spreadsheet_of_the_readme_comes_back_with_every_row(service: ServiceProcess, tmp_path: Path) -> None:
    [predict] = re.findall(r"^nurselog predict .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    output = tmp_path / "out.csv"
    command = predict.replace("out.csv", str(output))
    subprocess.run(["sh", "-e", "-c", command], cwd=ROOT, env=environment_of(service), check=True)
    with (ROOT / "data/samples/sites.csv").open(encoding="utf-8", newline="") as file:
        sites = list(csv.DictReader(file))
    with output.open(encoding="utf-8-sig", newline="") as file:
        answers = list(csv.DictReader(file))
    assert len(sites) == 2000
    assert [row["site"] for row in answers] == [row["site"] for row in sites]
    assert all(bool(row["survival_5"]) != bool(row["error_code"]) for row in answers)


def test_the_readme_has_a_first_example_of_at_most_five_lines() -> None:
    lines = [line for line in blocks(README, "python")[0].splitlines() if line]
    assert len(lines) <= 5
