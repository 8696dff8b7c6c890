"""Files that the command cannot write whole."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from command_process import COMMAND, environment_of
from service_process import ROOT, ServiceProcess

SURFACE = ["surface", "PSME", "--bbox", "-122.4,44.0,-122.0,44.3", "-o"]
PLAN = ["plan", "units.shp.zip", "--species", "PSME", "-o"]


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (SURFACE, "out.tif"),
        (SURFACE, "out.csv"),
        (SURFACE, "out.arrow"),
        ([*SURFACE[:-1], "--decimal", ",", "-o"], "out.csv"),
        (PLAN, "out.csv"),
        (["predict", "units.shp.zip", "--species", "PSME", "--method", "manual", "-o"], "out.csv"),
        (PLAN, "out.parquet"),
    ],
)
def test_a_file_that_cannot_be_written_whole_leaves_the_existing_one(
    service: ServiceProcess, tmp_path: Path, arguments: list[str], output: str
) -> None:
    shutil.copy(ROOT / "clients/python/examples/units.shp.zip", tmp_path)
    (tmp_path / output).write_text("before")
    # A disk that is full after 512 bytes.
    command = ["sh", "-c", 'ulimit -f 1 && exec "$0" "$@"', COMMAND, *arguments, output]
    environment = environment_of(service, PYTHONDONTWRITEBYTECODE="1")  # files that would be cut, too
    result = subprocess.run(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, encoding="utf-8")
    assert (result.returncode, f"nurselog: {output} cannot be written: " in result.stderr) == (1, True), result.stderr
    assert (tmp_path / output).read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([output, "units.shp.zip"])
