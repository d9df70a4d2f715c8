"""A TCP proxy that breaks, delays and cuts what passes, at moments that a seed decides."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import struct
import threading
import time
import urllib.parse

_EXPIRES = re.compile(rb'"expiresAtMs":\d{13}')


class FaultProxy:
    """
    Stands between a client and the service at `url`. Every connection is given a number of bytes of
    requests and of replies; it breaks behind them. `fault_bytes` is about how many it gets; 0: no
    faults. `lifetime_ms`: what the service says of the life of its tokens is made shorter.
    `answers` are given, once each, to requests instead of the service's; None lets a piece of a
    request pass.
    """

    def __init__(self, url: str, seed: int = 0, fault_bytes: int = 0, lifetime_ms: int | None = None) -> None:
        self._to = urllib.parse.urlsplit(url)
        self._choose = random.Random(seed)
        self._lock = threading.Lock()
        self.fault_bytes = fault_bytes
        self.lifetime_ms = lifetime_ms
        self.answers: list[bytes | None] = []
        self.faults = 0
        # The connection breaks once behind the first request that has this in it, before it has
        # reached the service or before the reply.
        self.lose_reply_to = ""
        self.is_lost_on_the_way = False
        # Bytes of all requests, for counting what was asked.
        self._seen = bytearray()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        # The service answers under its own name only.
        self._host = (f"Host: {urllib.parse.urlsplit(self.url).netloc}".encode(), f"Host: {self._to.netloc}".encode())
        self._connections: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def count(self, text: str) -> int:
        """How often the text occurs in requests that arrived here."""
        with self._lock:
            return self._seen.count(text.encode("ascii"))

    def close(self) -> None:
        # Closed alone, it would go on listening for the thread that waits in accept().
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        with self._lock:
            left = list(self._connections)
        for connection in left:
            _end(connection, is_reset=False)

    def __enter__(self) -> FaultProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with self._lock:
            self._connections.add(client)
            faulty = self.fault_bytes > 0
            # Every third connection does not outlive a small request.
            bytes_about = self.fault_bytes * self._choose.choice((0.004, 1, 1))
            budgets = [int(self._choose.expovariate(1 / bytes_about)) if faulty else -1 for _ in range(2)]
            is_reset = self._choose.random() < 0.5
            delays = [self._choose.random() * 0.02 for _ in range(20)] if faulty else []
        try:
            service = socket.create_connection((self._to.hostname or "", self._to.port or 80))
        except OSError:
            return _end(client, is_reset=True)
        with self._lock:
            self._connections.add(service)
        up = threading.Thread(
            target=self._pump, args=(client, service, budgets[0], is_reset, delays, True), daemon=True
        )
        up.start()
        self._pump(service, client, budgets[1], is_reset, delays, False)
        up.join()
        with self._lock:
            self._connections -= {client, service}
        client.close()
        service.close()

    def _pump(
        self,
        source: socket.socket,
        target: socket.socket,
        budget: int,
        is_reset: bool,
        delays: list[float],
        is_request: bool,
    ) -> None:
        try:
            while data := source.recv(65_536):
                if delays:
                    time.sleep(delays[len(data) % len(delays)])
                if is_request:
                    with self._lock:
                        self._seen += data
                        answer = self.answers.pop(0) if self.answers else None
                    if answer is not None:
                        source.sendall(answer)
                        break
                    data = data.replace(*self._host)
                    if self.lose_reply_to and self.lose_reply_to.encode("ascii") in data:
                        self.lose_reply_to = ""
                        self.faults += 1
                        _end(source, is_reset=False)
                        if self.is_lost_on_the_way:
                            _end(target, is_reset=False)
                        else:
                            # The thread with the reply finds the client gone, and ends it.
                            target.sendall(data)
                        return
                elif self.lifetime_ms is not None:
                    expires = b'"expiresAtMs":%d' % (int(time.time() * 1000) + self.lifetime_ms)
                    data = _EXPIRES.sub(expires, data)
                if 0 <= budget <= len(data):
                    with self._lock:
                        self.faults += 1
                    target.sendall(data[:budget])
                    _end(source, is_reset)
                    _end(target, is_reset)
                    return
                budget -= len(data) if budget >= 0 else 0
                target.sendall(data)
        except OSError:
            pass
        _end(source, is_reset=False)
        _end(target, is_reset=False)


def answer(status: int, text: str = "<html>not here</html>", media_type: str = "text/html") -> bytes:
    """The answer of a gateway that knows nothing of the service; or another one."""
    head = (
        f"HTTP/1.1 {status} Gateway\r\nContent-Type: {media_type}\r\nContent-Length: {len(text)}\r\nConnection: close"
    )
    return f"{head}\r\n\r\n{text}".encode("ascii")


def _end(connection: socket.socket, is_reset: bool) -> None:
    try:
        if is_reset:
            # Closing it sends a reset: what is in flight is lost.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
