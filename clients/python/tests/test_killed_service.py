"""A service that is killed in the middle of the answer to a table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from caller import Caller
from command_process import run_here
from frames import table
from killing_relay import KillingRelay
from pandas.testing import assert_frame_equal
from service_process import ServiceProcess

from nurselog import AsyncClient, Client, NurselogError

ROWS = 60_000


@pytest.fixture
def own_service(service: ServiceProcess) -> Iterator[ServiceProcess]:
    """A service that may be killed; the other one is there because it has compiled both."""
    assert service.url
    with ServiceProcess() as running:
        yield running


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_every_row_is_there_once_after_the_service_was_killed_twice(
    own_service: ServiceProcess, client: type[Client] | type[AsyncClient]
) -> None:
    call = Caller(client, own_service)
    expected = call("predict_table", table(ROWS))
    with KillingRelay(own_service, [300_000, 1_000_000]) as relay:
        answered = call("predict_table", table(ROWS), url=relay.url, retries=2_000, delay_s=0.1)
        assert (relay.kills, relay.broken >= 1) == (2, True)
    assert_frame_equal(answered, expected)


async def _predict(client: AsyncClient, rows: int) -> pd.DataFrame:
    async with client:
        return await client.predict_table(table(rows))


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_every_row_is_there_once_after_a_restart_that_takes_ten_seconds(
    own_service: ServiceProcess, client: type[Client] | type[AsyncClient]
) -> None:
    expected = Caller(client, own_service)("predict_table", table(ROWS))
    with KillingRelay(own_service, [1_000_000], down_s=10) as relay:
        calling = client(relay.url, own_service.key)
        if isinstance(calling, AsyncClient):
            answered = asyncio.run(_predict(calling, ROWS))
        else:
            with calling:
                answered = calling.predict_table(table(ROWS))
        assert relay.kills == 1
    assert_frame_equal(answered, expected)


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_the_error_has_the_answered_rows_if_the_service_does_not_come_back(
    own_service: ServiceProcess, client: type[Client] | type[AsyncClient]
) -> None:
    call = Caller(client, own_service)
    expected = call("predict_table", table(ROWS), categories=False)
    with KillingRelay(own_service, [2_500_000], restart=False) as relay, pytest.raises(NurselogError) as raised:
        call("predict_table", table(ROWS), url=relay.url, retries=2, concurrency=1, categories=False)
    answered = raised.value.answered
    assert 0 < len(answered) < ROWS
    assert_frame_equal(answered, expected[: len(answered)])


def test_a_file_is_resumed_after_the_service_was_killed_without_losing_or_doubling_rows(
    own_service: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(ROWS).reset_index(drop=True).drop(columns="seen").to_csv(tmp_path / "sites.csv", index=False)
    arguments = ["predict", str(tmp_path / "sites.csv"), "--concurrency", "1", "-o"]
    output, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    assert run_here(own_service, *arguments, str(whole)).exit_code == 0
    monkeypatch.setattr("nurselog._commands.predict_files.Client", partial(Client, retries=0))
    with KillingRelay(own_service, [2_500_000], restart=False) as relay:
        result = run_here(own_service, *arguments, str(output), NURSELOG_URL=relay.url)
        assert (result.exit_code, relay.kills) == (3, 1)
    kept = re.search(r"([\d,]+) answered rows are kept: --resume continues", result.stderr)
    assert kept is not None
    assert 0 < int(kept[1].replace(",", "")) < ROWS
    assert not output.exists()
    own_service.start()
    assert run_here(own_service, *arguments, str(output), "--resume").exit_code == 0
    assert output.read_bytes() == whole.read_bytes()
    assert pd.read_csv(output, usecols=["plot"])["plot"].tolist() == table(ROWS)["plot"].tolist()
