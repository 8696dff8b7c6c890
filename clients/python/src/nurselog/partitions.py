"""Tables larger than a machine: the partitions of a Dask data frame, predicted by its workers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import uuid4

import dask.dataframe as dd
import pandas as pd
from distributed import Semaphore

from nurselog._client import Client
from nurselog._table.calls import without_rows


def predict_dask(frame: dd.DataFrame, *, calls_in_flight: int = 4, **options: Any) -> dd.DataFrame:  # noqa: ANN401
    """Predicts survival for each row of a Dask data frame, by `map_partitions` on the workers of its cluster.

    The environment of the workers must have NURSELOG_API_KEY and NURSELOG_URL, which may be a load balancer in front of
    several replicas: neither becomes part of the task graph. A partition that fails is tried again if the result is
    computed with `retries`, such as by `result.to_parquet(folder, compute_kwargs={"retries": 3})`. This writes a file
    for each partition, so that every row is there once.

    Args:
        frame: Partitions of some 10,000 to 1,000,000 rows are a good size.
        calls_in_flight: The most requests that all workers together have in flight at a time.
        options: Those of `Client.predict_tables` except `concurrency` and `categories`: texts are plain strings.

    Raises:
        InvalidRequestError: As of `predict_tables`, before anything is computed.
        TypeError: There is no such option.
        ValueError: There is no distributed client.
    """
    options = {**options, "categories": False, "concurrency": 1}
    meta = without_rows(frame._meta, **options)
    semaphore = Semaphore(max_leases=calls_in_flight, name=f"nurselog-{uuid4()}")
    return frame.map_partitions(predict_partition, semaphore, options, meta=meta)


def predict_partition(partition: pd.DataFrame, semaphore: Semaphore, options: dict[str, Any]) -> pd.DataFrame:
    """Predicts one partition on a worker while it holds a lease of the semaphore."""
    with semaphore:
        return next(_client().predict_tables([partition], **options))


@lru_cache(maxsize=1)
def _client() -> Client:
    """The client of this process, whose threads share it.

    It retries for some 8 s: a lease that is held for more than 30 s may be lost on a busy cluster, and Dask's own
    `retries` repeat a partition for longer.
    """
    return Client(retries=4)
