"""Calls that are tried again: for how long, and by which process."""

from __future__ import annotations

import http.server
import io
import os
import socket
import sys
import threading
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import lossless
from lossless._artifacts.calls import ArtifactCalls
from lossless._ground.settings import Settings
from lossless._reading.series import Chunk
from lossless._service import client as _client
from lossless._service import http as _http
from lossless._service.client import Client, retried


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Tries(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        for patch in (
            mock.patch.object(_client, "time", self.clock),
            mock.patch.object(_client, "delay", lambda *_: 1),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def failing(self, seconds: float, times: int) -> Callable[[], int]:
        tries = 0

        def attempt() -> int:
            nonlocal tries
            tries += 1
            self.clock.now += seconds
            if tries <= times:
                raise lossless.ConnectionFailed("broken")
            return tries

        return attempt

    def test_how_long_an_attempt_went_well_does_not_count(self) -> None:
        self.assertEqual(2, retried(self.failing(300, 1), 60))
        self.assertEqual(10, retried(self.failing(5, 9), 60))
        with self.assertRaises(lossless.ConnectionFailed):
            retried(self.failing(5, 12), 60)
        with self.assertRaises(lossless.ConnectionFailed):
            retried(self.failing(0, 1), 0)

    def test_whoever_comes_further_is_tried_on(self) -> None:
        place = 0

        def further() -> int:
            nonlocal place
            place += 1
            return place

        self.assertEqual(6, retried(self.failing(300, 5), 60, progress=further))
        with self.assertRaises(lossless.ConnectionFailed):
            retried(self.failing(300, 5), 60, progress=lambda: 7)
        with self.assertRaises(lossless.ConnectionFailed):
            retried(self.failing(1, 5), 60, gives_up=lambda: True)

    def test_a_long_series_that_breaks_is_read_again(self) -> None:
        reader = lossless.Reader("http://127.0.0.1:9", "key")
        self.addCleanup(reader.close)
        streams = 0

        def chunks(*_: Any) -> Iterator[Chunk]:
            nonlocal streams
            streams += 1
            for step in range(4):
                self.clock.now += 40
                if streams == 1 and step == 3:
                    raise lossless.IncompleteStream("broken")
                yield Chunk("loss", {}, [step], [0], [0.5])

        with mock.patch.object(reader, "_chunks", chunks), mock.patch.object(reader, "_id", lambda slug: slug):
            self.assertEqual(4, len(reader.series("a", "loss")))
        self.assertEqual(2, streams)


class Transfers(unittest.TestCase):
    def test_what_is_under_way_is_worth_more_patience(self) -> None:
        """A service that restarts for minutes must not fail a save of hours."""
        asked: dict[str, Any] = {}
        client: Any = mock.Mock(retry_seconds=60.0)

        def call(_method: str, path: str, *_: Any, retry_seconds: float | None = None, **__: Any) -> Any:
            asked[path.split("?")[0].rsplit("/", 1)[1]] = retry_seconds
            return mock.Mock(json=dict, server_time_ms=0)

        client.call = call
        calls = ArtifactCalls(client)
        calls.read_signed("a", "1", {})
        self.assertEqual(None, asked["read"])
        calls.read_signed("a", "1", {}, True)
        calls.resign("a", "u", 1)
        calls.commit("a", "u", {})
        self.assertEqual({"read": 300.0, "resign": 300.0, "commit": 900.0}, asked)
        client.retry_seconds = 0.0
        calls.resign("a", "u", 1)
        self.assertEqual(0.0, asked["resign"])


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        # The reply tells by which connection it came.
        body = str(self.client_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


class Forks(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_forked_process_has_a_connection_and_a_lock_of_its_own(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        # A connection that is idle for a while is not used again.
        patch = mock.patch.object(_http, "_IDLE_SECONDS", 3_600.0)
        patch.start()
        self.addCleanup(patch.stop)
        settings = Settings(f"http://127.0.0.1:{server.server_port}", "key", None, Path())
        client = Client(settings)
        self.addCleanup(client.close)
        own = client.call("GET", "/").body
        self.assertEqual(own, client.call("GET", "/").body)
        read, write = os.pipe()
        lock, _ = client._own_connection()
        # The lock is held as if another thread were within a call.
        with lock, warnings.catch_warnings():
            # Newer Pythons warn of a fork beside threads, which is what is tried here.
            warnings.simplefilter("ignore")
            for _ in range(3):
                child = os.fork()
                if child == 0:
                    try:
                        os.write(write, client.call("GET", "/").body + b"\n")
                    finally:
                        os._exit(0)
                os.waitpid(child, 0)
        os.close(write)
        with os.fdopen(read, "rb") as file:
            others = file.read().split()
        self.assertEqual(3, len(set(others)))
        self.assertNotIn(own, others)
        self.assertEqual(own, client.call("GET", "/").body)


class Closed:
    """A port without a listener, which no other process gets."""

    def __enter__(self) -> str:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_: Any) -> None:
        self._socket.close()


class Patience(unittest.TestCase):
    """Returns how long `Reader` waits, by a clock that only its pauses move, and its error."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.told = io.StringIO()
        for patch in (mock.patch.object(_client, "time", self.clock), mock.patch.object(sys, "stderr", self.told)):
            patch.start()
            self.addCleanup(patch.stop)

    def fails(self, call: Callable[[], Any]) -> float:
        start = self.clock.now
        with self.assertRaises(lossless.ConnectionFailed):
            call()
        return self.clock.now - start

    def test_nobody_who_ever_answered(self) -> None:
        with Closed() as url, lossless.Reader(url, "ak_" + "1" * 44) as reader:
            for call in (reader.experiments, lambda: reader.experiment("e"), lambda: reader.series("e", "x")):
                self.assertLessEqual(self.fails(call), 2)
        self.assertEqual("", self.told.getvalue())

    def test_as_long_as_was_asked_for_and_once(self) -> None:
        with Closed() as url, lossless.Reader(url, "ak_" + "1" * 44, retry_seconds=60) as reader:
            for number, call in enumerate(
                (reader.experiments, lambda: reader.experiment("e"), lambda: reader.series("e", "x"))
            ):
                took = self.fails(call)
                self.assertLessEqual(took, 60)
                self.assertGreater(took, 45)
                lines = self.told.getvalue().splitlines()
                self.assertEqual(number + 1, len(lines), lines)
                self.assertRegex(
                    lines[-1], r"^lossless: cannot reach the service at .*; retrying for 5\d more seconds$"
                )


if __name__ == "__main__":
    unittest.main()
