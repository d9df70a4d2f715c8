"""Waiting until a condition holds for a run, through the real service."""

from __future__ import annotations

import contextlib
import io
import json
import threading
import unittest
import urllib.request
from typing import Any
from unittest import mock

from service import WithService
from test_reader import Points

import lossless
from lossless._ground.errors import ConnectionFailed
from lossless._reading import waiting


class Told(io.StringIO):
    """Standard error; `has_told` once something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.has_told = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        self.has_told.set()
        return written


class Waiting(WithService):
    def setUp(self) -> None:
        self.reader = lossless.Reader(self.service.url, self.service.key)
        self.addCleanup(self.reader.close)

    def test_a_condition_that_comes_true_after_an_outage(self) -> None:
        points = Points(self.service, "waiting/away")
        points.write("val/loss", [(1, 1_000, 4.5)])
        self.assertEqual({"metric.val/loss": 4.5}, self.reader.wait("waiting/away", "val/loss > 4").values)
        found: list[object] = []
        is_waiting = threading.Event()

        class Watched(lossless.Reader):
            def _id(self, slug: str) -> str:
                is_waiting.set()
                return points.id

        reader = Watched(self.service.url, self.service.key, retry_seconds=600)
        self.addCleanup(reader.close)
        with contextlib.redirect_stderr(Told()) as told:
            thread = threading.Thread(target=lambda: found.append(reader.wait("waiting/away", "val/loss < 3")))
            thread.start()
            is_waiting.wait()
            self.service.stop()
            told.has_told.wait()
            self.service.start()
            points.write("val/loss", [(2, 2_000, 2.5)])
            thread.join()
        (waited,) = found
        self.assertTrue(waited)
        self.assertEqual({"metric.val/loss": 2.5}, waited.values)  # type: ignore[attr-defined]

    def test_the_end_of_the_run_and_the_end_of_the_time(self) -> None:
        points = Points(self.service, "waiting/ended")
        points.write("losses", [(1, 1_000, 1.0)])
        late = self.reader.wait("waiting/ended", "acc > 1", timeout=0)
        self.assertEqual(("timeout", False), (late.outcome, bool(late)))
        done = {"messageId": "done", "event": "svc.v2.experiment.done", "data": {"experimentId": points.id}}
        address = f"{self.service.url}/api/v2/experiments/{points.id}/events"
        headers = {"Authorization": f"Bearer {points._token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(address, json.dumps(done).encode(), headers), timeout=30):
            pass
        ended = self.reader.wait("waiting/ended", "losses < 1 or loses < 1")
        self.assertEqual(("ended", "done", False), (ended.outcome, ended.status, bool(ended)))
        self.assertEqual([{"field": "metric.loses", "near": ["metric.losses"]}], ended.missing)
        self.assertTrue(self.reader.wait("waiting/ended"))

    def test_what_is_no_condition_is_refused(self) -> None:
        Points(self.service, "waiting/refused")
        with self.assertRaisesRegex(lossless.RequestRefused, "expected a value, found the end"):
            self.reader.wait("waiting/refused", "loss <")
        with self.assertRaises(lossless.SettingsError):
            self.reader.wait("waiting/refused", timeout=-1)


class TheTimeLeft(unittest.TestCase):
    def test_an_outage_takes_from_it(self) -> None:
        now = 100.0
        waits: list[int] = []

        class Away:
            """Away for fifteen seconds, then it answers."""

            def call(self, _method: str, _path: str, body: dict[str, Any], timeout: float) -> mock.Mock:
                nonlocal now
                waits.append(body["waitMs"])
                now += 15.0
                if len(waits) == 1:
                    raise ConnectionFailed("away")
                return mock.Mock(json=lambda: {"outcome": "waiting"})

        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds

        clock = mock.Mock(monotonic=lambda: now, sleep=sleep)
        said = contextlib.redirect_stderr(io.StringIO())
        with mock.patch.object(waiting, "time", clock), mock.patch.object(waiting, "delay", lambda *_: 1.0), said:
            reply = waiting._asked(Away(), {"experimentId": "e", "until": "done"}, 120.0)  # type: ignore[arg-type]
        self.assertEqual({"outcome": "waiting"}, reply)
        self.assertEqual([20_000, 4_000], waits)


if __name__ == "__main__":
    unittest.main()
