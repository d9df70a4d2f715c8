"""Requests to stores by signed addresses: kept-alive connections, retries, renewed addresses."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .._ground.errors import LosslessError, StoreFailed
from .._ground.signal_handlers import is_of_signal_handler
from .._service.connection import connection_to
from .._service.retry import LONGEST_DELAY, delay
from .prepared_files import CHUNK_BYTES

# Seconds without progress after which a request fails and is retried.
_IDLE_SECONDS = 60.0
# Seconds after which an unused connection may have been closed by the store.
_KEPT_SECONDS = 4.0
_EARLY_ANSWER_SECONDS = 1.0
_ERROR_BYTES_MAX = 4_096

Value = TypeVar("Value")
Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(LosslessError):
    """Another thread of the same transfer has failed; its error is the cause."""


class StoreConnections:
    """Kept-alive connections for any number of threads; each request has one of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[str, list[tuple[http.client.HTTPConnection, float]]] = {}
        self._busy: set[http.client.HTTPConnection] = set()
        self._is_stopped = False

    @contextlib.contextmanager
    def exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Callable[[], Iterable[bytes]] | None = None,
        length: int = 0,
    ) -> Iterator[http.client.HTTPResponse]:
        """
        Sends one request once. Yields a reply of status 2xx, whose body may be read within the
        context. Any other status, and a broken connection, raise StoreFailed, with and without the
        status.
        """
        parts = urllib.parse.urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        connection, response = self._answered(parts, origin, method, url, headers, body, length)
        is_whole = False
        try:
            if not 200 <= response.status < 300:
                raise _refusal(parts.hostname, method, response)
            try:
                yield response
            except (OSError, http.client.HTTPException) as error:
                if is_of_signal_handler(error):
                    raise
                raise _unreachable(parts.hostname, error) from None
            is_whole = response.isclosed() and not response.will_close
        finally:
            self._give_back(origin, connection, is_whole)

    def close(self) -> None:
        """Aborts running requests."""
        with self._lock:
            self._is_stopped = True
            for connection in self._busy:
                if connection.sock is not None:
                    with contextlib.suppress(OSError):
                        connection.sock.shutdown(socket.SHUT_RDWR)
            for kept in self._idle.values():
                for connection, _ in kept:
                    connection.close()
            self._idle.clear()

    def _answered(
        self,
        parts: urllib.parse.SplitResult,
        origin: str,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Callable[[], Iterable[bytes]] | None,
        length: int,
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        sent = {name: value for name, value in headers.items() if name.lower() != "content-length"}
        if body is not None:
            sent["Content-Length"] = str(length)
        while True:
            connection, is_kept = self._take(parts, origin)
            try:
                content = body() if body is not None and length > 0 else None
                return connection, _response(connection, method, url[len(origin) :] or "/", sent, content)
            except (OSError, http.client.HTTPException) as error:
                self._give_back(origin, connection, is_whole=False)
                if is_of_signal_handler(error):
                    raise
                # The store has closed the kept connection meanwhile, which is no failure.
                if not (is_kept and isinstance(error, ConnectionError)):
                    raise _unreachable(parts.hostname, error) from None
            except BaseException:
                self._give_back(origin, connection, is_whole=False)
                raise

    def _take(self, parts: urllib.parse.SplitResult, origin: str) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._is_stopped:
                raise Stopped("the transfer has stopped")
            kept = self._idle.get(origin, [])
            while kept:
                connection, since = kept.pop()
                if time.monotonic() - since < _KEPT_SECONDS:
                    self._busy.add(connection)
                    return connection, True
                connection.close()
        connection = connection_to(parts, _IDLE_SECONDS, CHUNK_BYTES)
        with self._lock:
            self._busy.add(connection)
        return connection, False

    def _give_back(self, origin: str, connection: http.client.HTTPConnection, is_whole: bool) -> None:
        with self._lock:
            self._busy.discard(connection)
            if is_whole and not self._is_stopped:
                self._idle.setdefault(origin, []).append((connection, time.monotonic()))
                return
        connection.close()


def _response(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    headers: Mapping[str, str],
    body: Iterable[bytes] | None,
) -> http.client.HTTPResponse:
    try:
        connection.request(method, target, body=body, headers=dict(headers))
    except (OSError, http.client.HTTPException):
        # A store that refuses may reply before it has read everything, and close the connection.
        if connection.sock is None:
            raise
        try:
            connection.sock.settimeout(_EARLY_ANSWER_SECONDS)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException):
            response = None
        if response is None or response.status < 300:
            raise
        return response
    return connection.getresponse()


class RenewedAddresses(Generic[Value]):
    """
    Signed addresses shared by all threads of a transfer: when they expire, or a store refuses one,
    a single request renews all of them. `sign` returns addresses and their lifetime in seconds.
    """

    def __init__(self, value: Value, seconds: float, sign: Callable[[], tuple[Value, float]]) -> None:
        self._lock = threading.Lock()
        self._sign = sign
        self._generation = 0
        self._accept(value, seconds)

    def current(self) -> tuple[Value, int]:
        """Returns usable addresses and their generation."""
        with self._lock:
            if time.monotonic() >= self._renew_at:
                self._renew()
            return self._value, self._generation

    def renew(self, generation: int) -> None:
        """Renews the addresses, unless those of `generation` were renewed already."""
        with self._lock:
            if generation == self._generation:
                self._renew()

    def _renew(self) -> None:
        self._accept(*self._sign())
        self._generation += 1

    def _accept(self, value: Value, seconds: float) -> None:
        self._value = value
        # At least a second between renewals, for addresses that always seem expired (a clock that
        # jumps).
        self._renew_at = time.monotonic() + max(1.0, seconds - min(300.0, seconds * 0.1))


# Failures without a status after which addresses are renewed too: a store that refuses early may
# just cut the connection.
_TRIES_PER_RENEWAL = 3


def store_tries(
    addresses: RenewedAddresses[Value],
    stop: threading.Event,
    attempt: Callable[[Value], Result],
    hopeless: Callable[[StoreFailed, int], LosslessError | None],
) -> Result:
    """
    Retries a request to a store until it succeeds. Stores report an expired address in many ways
    (403, 400, 404), so any such reply is followed by fresh addresses, and only believed when it
    repeats. `hopeless` is called after each transient failure, and returns the error to raise when
    retrying is pointless.
    """
    refused_generation: int | None = None
    tries = 1
    while True:
        if stop.is_set():
            raise Stopped("the transfer has stopped")
        value, generation = addresses.current()
        try:
            return attempt(value)
        except StoreFailed as error:
            if stop.is_set():
                raise
            if error.status is not None and error.status < 500 and error.status not in (408, 429):
                if refused_generation not in (None, generation):
                    raise
                refused_generation = generation
                addresses.renew(generation)
                continue
            end = hopeless(error, tries)
            if end is not None:
                raise end from None
            if error.status is None and tries % _TRIES_PER_RENEWAL == 0:
                addresses.renew(generation)
            wait = min(delay(tries, error), LONGEST_DELAY)
        stop.wait(wait)
        tries += 1


def in_parallel(
    limit: int, items: list[Item], work: Callable[[Item], None], stop: threading.Event, interrupt: Callable[[], None]
) -> None:
    """
    Runs `work` for every item in threads, at most `limit` at once. The first error stops the others
    and is raised when they have ended; Ctrl-C likewise.
    """
    rest = iter(items)
    lock = threading.Lock()
    failures: list[BaseException] = []

    def worker() -> None:
        while not stop.is_set():
            with lock:
                item = next(rest, None)
            if item is None:
                return
            try:
                work(item)
            except BaseException as error:
                with lock:
                    failures.append(error)
                stop.set()
                interrupt()

    threads = [threading.Thread(target=worker, daemon=True) for _ in range(min(limit, len(items)))]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError:
        # The interpreter is ending, or the machine has no more threads: this thread does the rest.
        threads = [thread for thread in threads if thread.ident is not None]
        worker()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        stop.set()
        interrupt()
        for thread in threads:
            thread.join(5)
        raise
    if failures:
        raise failures[0]


def _refusal(host: Any, method: str, response: http.client.HTTPResponse) -> StoreFailed:
    """
    Builds the error of a refusal. It names the host only, as the address is a secret for an hour.
    """
    try:
        text = response.read(_ERROR_BYTES_MAX).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        text = ""
    code = re.search(r"<Code>([\w.-]{1,64})</Code>|\"error\":\"(\w+)\"", text)
    told = "" if code is None else f" ({code[1] or code[2]})"
    # "its": a user who saves from a nearly full disk might think of that one.
    disk = ": its disk is full" if response.status == 507 else ""
    # Stores send a code, and accept parts of the size that begin chose; a reply without one is a
    # proxy's.
    proxy = (
        ": a proxy before the store refuses bodies of this size (nginx: "
        "client_max_body_size 0, "
        "Caddy: no request_body max_size)"
        if response.status == 413 and code is None
        else ""
    )
    return StoreFailed(
        f"the store at {host} answered {method} with HTTP {response.status}{told}{disk}{proxy}", response.status
    )


def _unreachable(host: Any, error: Exception) -> StoreFailed:
    return StoreFailed(f"the store at {host} cannot be reached: {str(error) or type(error).__name__}", None)
