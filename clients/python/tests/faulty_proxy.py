"""A proxy in front of the service that fails on request, as networks and balancers do."""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, get_args

import httpx

from nurselog import errors

Fault = Literal["cut before", "cut after", "overloaded", "bad gateway", "too slow"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

FINAL: dict[Fault, type[errors.NurselogError]] = {
    "cut before": errors.ConnectionFailedError,
    "cut after": errors.ConnectionFailedError,
    "overloaded": errors.OverloadedError,
    "bad gateway": errors.UnexpectedResponseError,
    "too slow": errors.InvalidRequestError,
}
"""The error of each fault once the retries are used up."""

OVERLOADED = b'{"error":{"code":"overloaded","message":"The work queue is full."}}'
TOO_SLOW = b'{"error":{"code":"invalid_request","message":"The request did not arrive in time: send it faster."}}'


class FaultyProxy:
    """Gives each request the next of `faults`, and forwards it once there are none; None forwards it, too."""

    def __init__(self, upstream: str) -> None:
        self._faults: deque[Fault | None] = deque()
        self._actions: dict[int, Callable[[], object]] = {}
        self._lock = threading.Lock()
        self._upstream = httpx.Client(base_url=upstream, timeout=60)
        self.requests = 0
        self._in_flight = 0
        self.most_in_flight = 0
        # Bodies of all requests.
        self.received: list[bytes] = []
        # Bodies of the requests whose whole response was passed on.
        self.answered: list[bytes] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body, which are written one after the other

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def do_GET(self) -> None:
                proxy._handle(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FaultyProxy:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._upstream.close()

    def before(self, number: int, action: Callable[[], object]) -> None:
        """Sets what happens before the answer to the request of a number, from 1."""
        self._actions[number] = action

    def fail_next(self, faults: Iterable[Fault | None]) -> None:
        """Sets the faults of the next requests and forgets the earlier ones."""
        with self._lock:
            self._faults = deque(faults)
            self.answered.clear()
            self.received.clear()
            self.requests = self.most_in_flight = 0

    def answered_sites(self) -> list[Any]:
        """The sites of all batches whose whole response was passed on."""
        return [site for body in self.answered for site in json.loads(body)["requests"]]

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        with self._lock:
            self.requests += 1
            self.received.append(body)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            fault = self._faults.popleft() if self._faults else None
            action = self._actions.pop(self.requests, None)
        try:
            if action is not None:
                action()
            self._answer(request, body, fault)
        finally:
            with self._lock:
                self._in_flight -= 1

    def _answer(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault | None) -> None:
        if fault == "cut before":
            _cut(request)
        elif fault == "overloaded":
            _respond(request, 503, OVERLOADED, {"Retry-After": "0"})
        elif fault == "bad gateway":
            _respond(request, 502, b"<h1>Bad Gateway</h1>", {"Retry-After": "0"})
        elif fault == "too slow":
            _respond(request, 408, TOO_SLOW, {})
        else:
            names = ("X-API-Key", "Content-Type", "Accept")
            headers = {name: request.headers[name] for name in names if request.headers[name]}
            response = self._upstream.request(request.command, request.path, content=body, headers=headers)
            content = response.content[: len(response.content) // 2] if fault == "cut after" else response.content
            if fault is None and response.status_code == 200:
                with self._lock:
                    self.answered.append(body)
            kind = {"Content-Type": response.headers["Content-Type"]}
            _respond(request, response.status_code, content, kind, length=len(response.content))
            if fault == "cut after":
                _cut(request)


def _respond(
    request: BaseHTTPRequestHandler, status: int, content: bytes, headers: dict[str, str], length: int | None = None
) -> None:
    request.send_response(status)
    for name, value in {**headers, "Content-Length": str(length or len(content))}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(content)


def _cut(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True
    request.wfile.flush()
    request.connection.shutdown(socket.SHUT_RDWR)
