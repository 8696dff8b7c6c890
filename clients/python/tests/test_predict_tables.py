"""Tables in parts: an iterator of frames in, one of answered frames out."""

from __future__ import annotations

import asyncio
from typing import Any

import pandas as pd
import pytest
from frames import table
from pandas.testing import assert_frame_equal
from service_process import ServiceProcess

from nurselog import AsyncClient, Client, errors

NOBODY = "http://127.0.0.1:9"


def test_parts_of_an_iterator_are_answered_in_their_order(service: ServiceProcess) -> None:
    taken: list[int] = []

    def parts() -> Any:
        for number in range(12):
            taken.append(number)
            yield table(600).iloc[number * 50 : number * 50 + 50]

    with Client(service.url, service.key) as client:
        answers = client.predict_tables(parts(), concurrency=2)
        first = next(answers)
        assert len(taken) <= 4
        assert_frame_equal(pd.concat([first, *answers])[table(1).columns], table(600))


def test_parts_of_an_iterator_are_answered_in_their_order_by_the_asynchronous_client(service: ServiceProcess) -> None:
    async def plots() -> list[str]:
        async with AsyncClient(service.url, service.key) as client:
            parts = (table(600).iloc[start : start + 50] for start in range(0, 600, 50))
            return [plot async for answer in client.predict_tables(parts) for plot in answer["plot"]]

    assert asyncio.run(plots()) == table(600)["plot"].tolist()


def test_parts_without_a_number_are_error_rows(service: ServiceProcess) -> None:
    parts = [table(3).assign(latitude=["44.12", "44.13", ""]), table(2).assign(latitude=["44,12", "unknown"])]
    for order in (parts, [parts[1].iloc[1:], parts[0]]):
        with Client(service.url, service.key) as client:
            answered = pd.concat(client.predict_tables(order))
        is_number = pd.concat(order)["latitude"].str.startswith("44.")
        assert answered["survival_5"].notna().tolist() == is_number.tolist()


def test_parts_that_begin_with_decimal_commas_are_refused_before_anything_is_sent() -> None:
    parts = [table(2).assign(latitude=["unknown", " 44,12 "]), table(2)]
    with (
        Client(NOBODY, "key") as client,
        pytest.raises(errors.InvalidRequestError, match="with a decimal point, not '44,12'"),
    ):
        next(client.predict_tables(parts))
