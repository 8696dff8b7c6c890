"""Calls that end early leave nothing running."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from command_process import COMMAND, environment_of
from faulty_proxy import FaultyProxy
from frames import table
from rasters import write_dem
from service_process import ServiceProcess
from site_files import PLANTED, write_sites
from sites import sites

from nurselog import AsyncClient


class Server:
    """Answers the first batch; of the next two one gets `status` and `results`, the other the same, or nothing."""

    def __init__(self, status: int, results: list[Any], *, last_is_held: bool = False, retry_after_s: int = 1) -> None:
        self.requests = 0
        lock, self.both_came, self.is_over = threading.Lock(), threading.Event(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    server.requests += 1
                    number = server.requests
                if number == 3:
                    server.both_came.set()
                    if last_is_held:
                        server.is_over.wait()
                        return
                if number == 2:
                    server.both_came.wait()
                self.send_response(200 if number == 1 else status)
                self.send_header("Retry-After", str(retry_after_s))
                self.end_headers()
                self.wfile.write(json.dumps({"results": [{}] if number == 1 else results}).encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()


def test_a_cancelled_call_ends_all_of_its_batches() -> None:
    async def tasks_after(server: Server) -> int:
        async with AsyncClient(server.url, "key") as client:
            client._batch_sites = 1
            call = asyncio.create_task(client.predict_many(sites(3), concurrency=2))
            await asyncio.to_thread(server.both_came.wait)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return len(asyncio.all_tasks())

    with Server(200, [{}], last_is_held=True) as server:
        assert asyncio.run(tasks_after(server)) == 1


def test_parts_in_flight_end_with_the_iterator(service: ServiceProcess) -> None:
    async def tasks_after() -> int:
        async with AsyncClient(service.url, service.key) as client:
            answers = client.predict_tables((table(5000) for _ in range(9)), concurrency=3)
            await anext(answers)
            await anext(answers)
            assert len(asyncio.all_tasks()) > 1
            await answers.aclose()
            return len(asyncio.all_tasks())

    assert asyncio.run(tasks_after()) == 1


_INTERRUPTED = """
import json, signal, sys
from nurselog import Client

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in processes of a background shell
with Client(sys.argv[1], "key") as client:
    client._batch_sites = 1
    client.predict_many(json.loads(sys.argv[2]), concurrency=2)
"""


# Of affine 3, for which rasterio has yet to change.
@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")
@pytest.mark.parametrize(
    ("source", "output", "said", "left"),
    [
        ("sites.csv", "out.csv", "nurselog: 501 answered rows are kept: --resume continues.\n", {"out.csv.partial"}),
        ("dem.tif", "out.tif", "", set()),
    ],
)
def test_a_command_that_is_terminated_keeps_answered_rows_and_removes_its_temporary_files(
    service: ServiceProcess, tmp_path: Path, source: str, output: str, said: str, left: set[str]
) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    write_dem(tmp_path / "dem.tif")
    arguments = ["predict", str(tmp_path / source), "-o", str(tmp_path / output), "--species", "PSME"]
    with FaultyProxy(service.url) as proxy:
        environment = environment_of(service, NURSELOG_URL=proxy.url)
        with subprocess.Popen([COMMAND, *arguments], env=environment, stderr=subprocess.PIPE, text=True) as process:
            proxy.before(2, process.terminate)  # after the request for the first rows, or for the models
            assert process.communicate(timeout=60)[1] == said
    assert process.returncode == 143
    assert {path.name for path in tmp_path.iterdir()} == {"sites.csv", "dem.tif"} | left


def test_a_command_ends_with_its_exit_code_while_standard_input_is_open(
    service: ServiceProcess, tmp_path: Path
) -> None:
    arguments = ["predict", "-", "-o", str(tmp_path / "out.csv"), *PLANTED]
    environment = environment_of(service, NURSELOG_API_KEY="nurse_live_" + 32 * "0")
    with subprocess.Popen([COMMAND, *arguments], env=environment, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        # More than two blocks of 4 MiB, after which the third is awaited.
        process.stdin.write(b"latitude,longitude\n" + 700_000 * b"44.12,-122.03\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 1


def test_an_interrupt_ends_the_waits_before_batches_are_sent_again() -> None:
    with Server(429, [], retry_after_s=59) as server:
        command = [sys.executable, "-c", _INTERRUPTED, server.url, json.dumps(sites(3))]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            server.both_came.wait()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=40)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert server.requests == 3
