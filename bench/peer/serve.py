"""Serves the peer on a free port with as many processes of uvicorn as the argument says.

Each has its own listening socket (SO_REUSEPORT), so that the kernel distributes connections among them. With the
socket that ``uvicorn --workers`` shares, the first process to wake up accepts all waiting connections.
"""

import multiprocessing
import signal
import socket
import sys

import uvicorn


def listener(port):
    """A socket that listens on the loopback address and the port; 0 takes a free one."""
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
