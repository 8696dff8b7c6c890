"""The command, as a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from command_process import COMMAND, environment_of, in_terminal, run
from rich.console import Console
from service_process import ROOT, ServiceProcess
from sites import PLANTED, without_time

from nurselog._commands.ending import show
from nurselog._commands.terminal import species_table
from nurselog._files.summary import Summary
from nurselog.errors import NurselogError


def test_species_are_a_table(service: ServiceProcess) -> None:
    result = run(service, "species")
    assert re.search("PSME.*Douglas-fir.*Pseudotsuga menziesii.*conifer", result.stdout)
    assert result.returncode == 0


def test_the_key_of_every_feature_is_shown_whole(service: ServiceProcess) -> None:
    output = run(service, "model").stdout
    for feature in service.ask("/v1/model")["features"]:
        assert feature["feature"] in output


def test_usage_shows_the_tier(service: ServiceProcess) -> None:
    assert "spore" in run(service, "usage", NURSELOG_API_KEY=service.issue("spore")).stdout
    assert "unlimited" in run(service, "usage").stdout


def test_a_site_shows_the_survival_of_one_method(service: ServiceProcess) -> None:
    output = run(service, "site", "44.12", "-122.03", "PSME", "manual", "--horizon", "5").stdout
    [prediction] = service.ask("/v1/predict", {**PLANTED, "horizons": [5]})["predictions"]
    assert f"{100 * prediction['survival_probability']:.1f}%" in output
    assert all(factor["factor"] in output for factor in prediction["risk_factors"])


def test_a_site_without_a_method_shows_the_difference_of_both(service: ServiceProcess) -> None:
    output = run(service, "site", "44.12", "-122.03", "PSME").stdout
    for difference in service.ask("/v1/predict/compare", PLANTED)["method_differential"]:
        assert f"{100 * difference['manual_advantage']:+.1f}" in output
    assert "spots with a living seedling" in " ".join(output.split())


def test_a_ranking_shows_species_and_methods_best_first(service: ServiceProcess) -> None:
    output = run(service, "rank", "44.12", "-122.03", "--all", "--horizon", "5").stdout
    body = {"latitude": 44.12, "longitude": -122.03, "native_only": False, "horizons": [5]}
    ranking = service.ask("/v1/predict/rank", body)["ranking"]
    rows = re.findall(r"(\d+) \W+(\w{4}) \W.*?(manual|drone_seeded).*?([\d.]+)%", output)
    assert rows == [
        (
            str(option["rank"]),
            option["species_code"],
            option["planting_method"],
            f"{100 * option['predictions'][0]['survival_probability']:.1f}",
        )
        for option in ranking
    ]


def test_json_of_a_ranking_is_the_answer_of_the_service(service: ServiceProcess) -> None:
    options = ["--species", "PSME", "--species", "TSHE", "--method", "manual", "--warming-c", "2"]
    answer = json.loads(run(service, "rank", "44.12", "-122.03", *options, "--json").stdout)
    choice = {"species_codes": ["PSME", "TSHE"], "planting_methods": ["manual"], "scenario": {"warming_c": 2}}
    body = {"latitude": 44.12, "longitude": -122.03, **choice}
    assert without_time(answer) == without_time(service.ask("/v1/predict/rank", body))


@pytest.mark.parametrize("name", ["species", "model"])
def test_json_is_the_answer_of_the_service(service: ServiceProcess, name: str) -> None:
    assert json.loads(run(service, name, "--json").stdout) == service.ask(f"/v1/{name}")


def test_json_of_a_site_is_the_answer_of_the_service(service: ServiceProcess) -> None:
    answer = json.loads(run(service, "site", "44.12", "-122.03", "PSME", "manual", "--json").stdout)
    assert without_time(answer) == without_time(service.ask("/v1/predict", PLANTED))


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "message"),
    [
        (["site", "44.12", "-122.03", "PSMF"], {}, 1, "Did you mean PSME"),
        (["usage"], {"NURSELOG_API_KEY": "nurse_live_" + 32 * "0"}, 1, "invalid_api_key"),
        (["usage"], {"NURSELOG_API_KEY": ""}, 2, "NURSELOG_API_KEY"),
        (["usage"], {"NURSELOG_URL": ""}, 2, "NURSELOG_URL"),
        (["usage", "--jsno"], {}, 2, "--jsno"),
        (["site", "44.12", "-122.03", "PSME", "--condition", "vpd_max"], {}, 2, "FEATURE=VALUE"),
        (["usage"], {"NURSELOG_URL": "http://127.0.0.1:9"}, 3, "http://127.0.0.1:9"),
    ],
)
def test_failures_have_a_message_and_an_exit_code(
    service: ServiceProcess, arguments: list[str], environment: dict[str, str], code: int, message: str
) -> None:
    result = run(service, *arguments, **environment)
    assert result.returncode == code
    assert message in result.stderr
    assert result.stdout == ""
    assert "nurse_live_" not in result.stderr


def test_control_characters_of_a_server_do_not_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "\x1b[2J\x9b2J\r\ud800\tall\n"
    assert str(NurselogError(hostile, code="full\x07")) == "\ufffd[2J\ufffd2J\ufffd\ufffd\tall\n (full\ufffd)"
    failed = Summary(failed=Counter({hostile: 1}), first={hostile: (1, hostile)}).table()
    known = ("species_code", "common_name", "scientific_name", "group")
    answer: Any = {"count": 1, "species": [dict.fromkeys(known, hostile)]}
    written = StringIO()
    Console(file=written).print(failed, species_table(answer))
    monkeypatch.setenv("NURSELOG_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("NURSELOG_API_KEY", "key")
    show(lambda _: answer, species_table, as_json=True)
    assert not re.search("[\x1b\x9b\r\ud800]", written.getvalue() + capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [(["usage"], "The answer"), (["usage", "--json"], "The answer"), (["usage", "--help"], "Output")],
)
def test_an_answer_that_cannot_be_written_is_one_line(service: ServiceProcess, arguments: list[str], what: str) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [COMMAND, *arguments], env=environment_of(service), stdout=full, stderr=subprocess.PIPE, encoding="utf-8"
        )
    assert result.returncode == 1
    [message] = result.stderr.splitlines()
    assert message.startswith(f"nurselog: {what} cannot be written: ")


@pytest.mark.parametrize("command", [["predict"], ["plan", "--prefix", "plan_"]])
def test_a_file_is_written_also_where_standard_error_cannot_be(
    service: ServiceProcess, tmp_path: Path, command: list[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for number, stderr in enumerate((os.open("/dev/full", os.O_WRONLY), writing)):
        output = tmp_path / f"{number}.csv"
        arguments = [COMMAND, *command, str(ROOT / "data/samples/stands.gpkg"), "-o", str(output)]
        result = subprocess.run(arguments, env=environment_of(service), stderr=stderr)
        os.close(stderr)
        assert (result.returncode, output.exists()) == (0, True)


def test_a_terminal_gets_colour_unless_no_color_is_set(service: ServiceProcess) -> None:
    colour = re.compile(rb"\x1b\[[0-9;]*3[0-7]m")
    assert colour.search(in_terminal(service, "--help"))
    assert not colour.search(in_terminal(service, "--help", NO_COLOR="1"))
    assert b"\x1b" not in run(service, "--help").stdout.encode()
