"""The division into batches under any order of answers and failures, without a service."""

from __future__ import annotations

import random
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from nurselog import NurselogError, errors
from nurselog._calls.batches import Batch, BatchPlan
from nurselog._calls.operations import Result


@given(
    count=st.integers(0, 60),
    batch_sites=st.integers(1, 60),
    tier_limit=st.integers(1, 60),
    payload_limit=st.integers(1, 60),
    bad=st.sets(st.integers(0, 59)),
    concurrency=st.integers(1, 8),
    seed=st.integers(),
)
def test_every_site_is_handed_out_until_it_is_settled_and_then_never_again(
    count: int, batch_sites: int, tier_limit: int, payload_limit: int, bad: set[int], concurrency: int, seed: int
) -> None:
    order = random.Random(seed)  # noqa: S311 - not for cryptography
    entries = [{"latitude": float("nan") if position in bad else position} for position in range(count)]
    plan = BatchPlan(entries, {}, batch_sites, concurrency)
    in_flight: list[Batch] = []
    settled: set[int] = set()
    broken: set[int] = set()
    while True:
        while len(in_flight) < concurrency and (waiting := plan.next_batch()) is not None:
            in_flight.append(waiting)
        if not in_flight:
            break
        batch = in_flight.pop(order.randrange(len(in_flight)))
        positions = set(batch.encoded)
        assert not positions & (settled | broken | bad)
        if len(positions) > tier_limit:
            plan.fail(batch, errors.BatchTooLargeError("", details={"tier_limit": tier_limit}, status=422))
        elif len(positions) > payload_limit:
            plan.fail(batch, errors.PayloadTooLargeError("", status=413))
        elif order.random() < 0.1:
            plan.fail(batch, errors.InternalError("", status=500))
            broken |= positions
        else:
            plan.settle(batch, [cast("Result", {"position": position}) for position in batch.encoded])
            settled |= positions
    assert settled | broken | bad >= set(range(count))
    if broken and not settled:
        return
    for position, result in enumerate(plan.results()):
        if position in bad:
            assert isinstance(result, errors.InvalidRequestError)
        elif position in broken:
            assert isinstance(result, errors.InternalError)
        else:
            assert not isinstance(result, NurselogError)
            assert cast("object", result) == {"position": position}


def test_sites_that_were_not_sent_have_the_error_that_ended_the_sending() -> None:
    plan = BatchPlan([{"position": position} for position in range(4)], {}, 1, concurrency=3)
    first, second, third = (cast("Batch", plan.next_batch()) for _ in range(3))
    internal, quota = errors.InternalError("", status=500), errors.RateLimitExceededError("", status=429)
    answer = cast("Result", {"position": 1})
    plan.fail(first, internal)
    plan.settle(second, [answer])
    plan.fail(third, quota)
    assert plan.next_batch() is None
    assert plan.results() == [internal, answer, quota, quota]
