"""Compares `predict_table` with batches of JSON, from a file of sites to a pandas frame of all columns of the answer.

Usage: python tables.py SITES

NURSELOG_URL and NURSELOG_API_KEY name the service. Prints seconds as JSON, and progress to standard error. `wire`
is the time of sending bodies that are ready and receiving the answers, without reading them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
import orjson
import pandas as pd
import pyarrow as pa

from nurselog import Client
from nurselog._table.exchange import PIECE_ROWS, table_request
from nurselog._table.frames import adapt
from nurselog._table.sites import SiteColumns, sites_of

GRID = Path(__file__).parents[3] / "data" / "grid.arrow"
SEED = 1
JSON_CONNECTIONS = 8
BATCH_SITES = 500
TABLES_IN_FLIGHT = 4  # the client's default
SPECIES = ["PSME", "TSHE", "THPL", "PIPO", "ABGR", "ALRU"]


def main(count: int) -> None:
    """Measures each way once, after a short one that opens connections and warms the service up."""
    with TemporaryDirectory() as folder:
        file, short = Path(folder) / "sites.parquet", Path(folder) / "short.parquet"
        random_sites(count).to_parquet(file)
        random_sites(5_000).to_parquet(short)
        seconds = {}
        for name, prepare in WAYS.items():
            prepare(short)()
            seconds[name] = measured(name, prepare(file), count)
    print(json.dumps({"sites": count, "seconds": seconds}))


def random_sites(count: int) -> pd.DataFrame:
    """Points of the grid, moved by up to 300 m, so that no two are the same."""
    random = np.random.default_rng(SEED)
    grid = pa.ipc.open_file(GRID).read_all()
    lattice = json.loads(grid.schema.metadata[b"lattice"])
    points = random.integers(0, grid.num_rows, count)
    rows, columns = (grid.column(name).to_numpy()[points] for name in ("row", "column"))
    steps = lattice["steps_per_degree"]
    return pd.DataFrame(
        {
            "latitude": lattice["south"] + (rows + 0.5) / steps + random.uniform(-0.0027, 0.0027, count),
            "longitude": lattice["west"] + (columns + 0.5) / steps + random.uniform(-0.0035, 0.0035, count),
            "species_code": random.choice(SPECIES, count),
            "planting_method": random.choice(["manual", "drone_seeded"], count),
        }
    )


def measured(name: str, run: Callable[[], int], count: int) -> float:
    """Seconds that a run takes."""
    start = time.perf_counter()
    rows = run()
    seconds = time.perf_counter() - start
    if rows != count:
        raise RuntimeError(f"{name}: {rows} rows of {count}")
    print(f"{name}: {seconds:.1f} s", file=sys.stderr)
    return round(seconds, 2)


def table_to_frame(file: Path) -> Callable[[], int]:
    """One call of the client."""

    def run() -> int:
        with Client() as client:
            return len(client.predict_table(pd.read_parquet(file)))

    return run


def json_to_frame(file: Path) -> Callable[[], int]:
    """Batches with the fastest library for JSON, and a column for each field of the answer."""

    def run() -> int:
        sites = pd.read_parquet(file)

        def ask(start: int) -> list[dict[str, Any]]:
            records = sites.iloc[start : start + BATCH_SITES].to_dict("records")
            answer = post(http, "/v1/predict/batch", orjson.dumps({"requests": records}))
            return [row_of(result) for result in orjson.loads(answer)["results"]]

        with connections() as http, ThreadPoolExecutor(JSON_CONNECTIONS) as pool:
            rows = [row for part in pool.map(ask, range(0, len(sites), BATCH_SITES)) for row in part]
        return len(pd.concat([sites, pd.DataFrame(rows)], axis=1))

    return run


def row_of(result: dict[str, Any]) -> dict[str, Any]:
    """The columns of a table's row."""
    if "error" in result:
        return {"error_code": result["error"]["code"], "error_message": result["error"]["message"]}
    site = result["site"]
    row = {name: site[name] for name in ("matched_latitude", "matched_longitude", "match_distance_km", "region")}
    for prediction in result["predictions"]:
        horizon = prediction["horizon_years"]
        row[f"survival_{horizon}"] = prediction["survival_probability"]
        for number, factor in enumerate(prediction["risk_factors"], start=1):
            sign = 1 if factor["impact"] == "positive" else -1
            row[f"factor_{horizon}_{number}"] = factor["factor"]
            row[f"contribution_{horizon}_{number}"] = sign * factor["magnitude"]
    return row


def table_wire(file: Path) -> Callable[[], int]:
    """Tables that are written already."""
    sites = sites_of(adapt(pd.read_parquet(file)), SiteColumns())
    starts = range(0, sites.num_rows, PIECE_ROWS)
    requests = [table_request(sites.slice(start, PIECE_ROWS), "/v1/predict/table") for start in starts]

    def run() -> int:
        with connections() as http, ThreadPoolExecutor(TABLES_IN_FLIGHT) as pool:
            list(pool.map(lambda request: post(http, request.path, request.body, request.headers), requests))
        return int(sites.num_rows)

    return run


def json_wire(file: Path) -> Callable[[], int]:
    """Batches that are written already."""
    records = pd.read_parquet(file).to_dict("records")
    starts = range(0, len(records), BATCH_SITES)
    bodies = [orjson.dumps({"requests": records[start : start + BATCH_SITES]}) for start in starts]

    def run() -> int:
        with connections() as http, ThreadPoolExecutor(JSON_CONNECTIONS) as pool:
            list(pool.map(lambda body: post(http, "/v1/predict/batch", body), bodies))
        return len(records)

    return run


def connections() -> httpx.Client:
    """Connections as another program would open them."""
    headers = {"X-API-Key": os.environ["NURSELOG_API_KEY"], "Content-Type": "application/json"}
    return httpx.Client(base_url=os.environ["NURSELOG_URL"], headers=headers, timeout=60)


def post(http: httpx.Client, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """The body of the answer."""
    return http.post(path, content=body, headers=headers).raise_for_status().content


WAYS = {
    "table to frame": table_to_frame,
    "JSON to frame": json_to_frame,
    "table, wire": table_wire,
    "JSON, wire": json_wire,
}

if __name__ == "__main__":
    main(int(sys.argv[1]))
