"""Serves the peer on a free port by processes of uvicorn, as many as the argument says.

Each listens for itself (SO_REUSEPORT), so that the kernel spreads connections over them. Of the one socket that
``uvicorn --workers`` shares, a process that wakes up takes every connection waiting: often one had them all.
"""

import multiprocessing
import signal
import socket
import sys

import uvicorn


def listener(port):
    """A socket of this machine's own address on the port; 0 stands for any free one."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen()
    return sock


def serve(sock):
    """Serves on a socket until SIGTERM."""
    config = uvicorn.Config("server:app", loop="uvloop", http="httptools", access_log=False)
    uvicorn.Server(config).run(sockets=[sock])


def main(workers):
    """Starts the processes, and ends them on SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    first = listener(0)
    _, port = first.getsockname()
    sockets = [first, *(listener(port) for _ in range(workers - 1))]
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=serve, args=(sock,), daemon=True) for sock in sockets]
    for process in processes:
        process.start()
    print(f"Listening on port {port}", file=sys.stderr, flush=True)
    for process in processes:
        process.join()


if __name__ == "__main__":
    main(int(sys.argv[1]))
