"""Predicts a folder of Parquet files on a Dask cluster.

Usage: python dask_parquet.py SITES_FOLDER ANSWERS_FOLDER [SCHEDULER_ADDRESS]

Without the address of a cluster, one of two workers is started on this machine. The environment variables NURSELOG_URL
and NURSELOG_API_KEY of the workers name the service and your key.
"""

import sys

import dask.dataframe as dd
from distributed import Client, LocalCluster

from nurselog.partitions import predict_dask


def main(source: str, target: str, scheduler: str | None = None) -> None:
    """Writes a file of answers for each partition of the source."""
    with Client(scheduler or LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None)):
        answers = predict_dask(dd.read_parquet(source), calls_in_flight=4)
        answers.to_parquet(target, write_index=False, compute_kwargs={"retries": 3})
        print(f"{len(dd.read_parquet(target))} rows are in {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
