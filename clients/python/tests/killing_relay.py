"""A relay in front of a service of its own, which it kills in the middle of a response and starts again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable
from contextlib import suppress

from service_process import ServiceProcess

_LAST_CHUNK = b"\r\n0\r\n\r\n"


class KillingRelay:
    """Forwards connections at `url`, and kills the service after a number of response bytes.

    Args:
        service: A service that belongs to the test alone.
        kill_after: For each kill, the bytes since the last one.
        restart: Whether the service is started again after a kill.
        down_s: Seconds until then.
    """

    def __init__(
        self, service: ServiceProcess, kill_after: Iterable[int], *, restart: bool = True, down_s: float = 0
    ) -> None:
        self._service, self._kill_after, self._restart, self._down_s = service, list(kill_after), restart, down_s
        self._passed = 0
        self._lock = threading.Lock()
        self.kills = 0
        # Responses that were cut off after some of their bytes.
        self.broken = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> KillingRelay:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                caller, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(caller,), daemon=True).start()

    def _serve(self, caller: socket.socket) -> None:
        with caller, suppress(OSError), socket.create_connection(("127.0.0.1", self._service.port)) as upstream:
            threading.Thread(target=_pass_on, args=(caller, upstream), daemon=True).start()
            end = b""
            with suppress(OSError):
                while data := upstream.recv(65536):
                    caller.sendall(data)
                    end = (end + data)[-len(_LAST_CHUNK) :]
                    self._count(len(data))
            if end not in (b"", _LAST_CHUNK):
                self.broken += 1
            caller.shutdown(socket.SHUT_RDWR)

    def _count(self, size: int) -> None:
        with self._lock:
            self._passed += size
            if self.kills == len(self._kill_after) or self._passed < self._kill_after[self.kills]:
                return
            self._passed = 0
            self.kills += 1
            self._service.kill()
            if self._restart:
                time.sleep(self._down_s)
                self._service.start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
