"""A partitioned data set on a cluster of two workers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest
from command_process import environment_of
from distributed import Client as DaskClient
from distributed import LocalCluster
from faulty_proxy import FaultyProxy
from frames import frame, table
from service_process import ROOT, ServiceProcess

from nurselog import Client, errors
from nurselog.partitions import predict_dask

PARTITIONS = 6
ROWS = 600


@pytest.fixture(scope="module")
def cluster(service: ServiceProcess, proxy: FaultyProxy) -> Iterator[DaskClient]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NURSELOG_URL", proxy.url)
        environment.setenv("NURSELOG_API_KEY", service.key)
        with (
            LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as local,
            DaskClient(local) as client,
        ):
            yield client


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    folder = tmp_path / "sites"
    folder.mkdir()
    for number in range(PARTITIONS):
        part = table(ROWS).iloc[number * 100 : number * 100 + 100]
        part.to_parquet(folder / f"part.{number}.parquet", index=False)
    return folder


def test_partitions_are_answered_once_each_with_few_calls_in_flight_whatever_fails(
    cluster: DaskClient, proxy: FaultyProxy, sites: Path, tmp_path: Path, service: ServiceProcess
) -> None:
    # More failures than one partition's calls are repeated for.
    proxy.fail_next(["overloaded"] * 16)
    answers = predict_dask(dd.read_parquet(sites), calls_in_flight=2)
    answers.to_parquet(tmp_path / "answers", write_index=False, compute_kwargs={"retries": 5})
    written = pd.read_parquet(tmp_path / "answers")
    assert sorted(written["plot"]) == sorted(table(ROWS)["plot"])
    assert proxy.most_in_flight <= 2
    with Client(service.url, service.key) as client:
        expected = client.predict_table(table(ROWS), categories=False).set_index("plot")
    assert written.set_index("plot")["survival_5"].to_dict() == expected["survival_5"].to_dict()


def test_wrong_columns_and_options_are_refused_before_anything_is_computed(cluster: DaskClient, sites: Path) -> None:
    with pytest.raises(errors.InvalidRequestError, match="'lat' for latitude"):
        predict_dask(dd.read_parquet(sites), latitude="lat")
    with pytest.raises(TypeError, match="progress"):
        predict_dask(dd.read_parquet(sites), progress=print)


def test_the_example_runs(cluster: DaskClient, service: ServiceProcess, sites: Path, tmp_path: Path) -> None:
    example = ROOT / "clients/python/examples/dask_parquet.py"
    arguments = [sites, tmp_path / "answers", cluster.scheduler.address]
    subprocess.run([sys.executable, example, *arguments], env=environment_of(service), check=True)
    assert sorted(pd.read_parquet(tmp_path / "answers")["plot"]) == sorted(table(ROWS)["plot"])


def test_an_iterator_of_record_batches_is_answered_as_spark_expects(service: ServiceProcess) -> None:
    batches = frame("pyarrow table", 300).to_batches(max_chunksize=100)
    with Client(service.url, service.key) as client:
        answers = list(client.predict_tables(iter(batches), categories=False))
    assert [type(answer) for answer in answers] == [pa.RecordBatch] * 3
    assert len({answer.schema for answer in answers}) == 1
    assert pa.Table.from_batches(answers).select(batches[0].schema.names).equals(pa.Table.from_batches(batches))
