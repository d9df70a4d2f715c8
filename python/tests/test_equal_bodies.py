"""The Python and the TypeScript client send equal bodies for equal calls."""

from __future__ import annotations

import gzip
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any

from service import KEY, ROOT, node

_AT = 1_750_000_000_000
_POINTS = [
    *[["loss", 1 / (step + 1), step, _AT + step, {}] for step in range(1_200)],
    ["whole", 7, 0, _AT, {}],
    ["whole", -0.0, 1, _AT, {}],
    ["tiny", 5e-324, 2**53 - 2, _AT, {}],
    ["huge", 1.7976931348623157e308, 0, 0, {}],
    ["exact", 2**53, 0, _AT, {}],
    ['printable ~!"#\\/', 0.1, 0, _AT, {"rank": "0", "split": "épreuve 🙂"}],
]
_ANNOTATIONS = [["a note", {}], ["épreuve 🙂 \u2028 \t", {"nested": {"list": [1, 2.5, None, True, "x"]}, "a": 1e21}]]
_NONFINITE = [
    ["loss", "NaN", 5, _AT, {}],
    ["loss", "Infinity", 6, _AT + 1, {"split": "train", "rank": "1"}],
    *[["other", "-Infinity", step, _AT + step, {"split": str(step % 2)}] for step in range(10_010)],
]
_META = {"lr": 1e-3, "model": {"layers": [1, 2], "name": "é"}, "none": None}

_PYTHON = """
import json, sys
import lossless
calls = json.load(sys.stdin)
run = lossless.init(id=calls["slug"], notes=calls["description"], config=calls["meta"])
for name, value, step, at, meta in calls["points"]:
    run.log({name: value}, step=step, timestamp_ms=at, meta=meta)
for text, meta in calls["annotations"]:
    run.annotate(text, meta)
for name, value, step, at, meta in calls["nonfinite"]:
    run.log({name: float(value.replace("inity", ""))}, step=step, timestamp_ms=at, meta=meta)
report = run.finish(error=calls["error"], quiet=True)
assert report.is_complete and report.refused == 0, report
"""


class Recorder(http.server.BaseHTTPRequestHandler):
    """Says yes to everything, and keeps what was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        events = json.loads(body)
        if "/attempts/" in self.path:
            return self.answer({"nextBeatMs": 30_000})
        if "/console/" in self.path:
            return self.answer({"next": events["first"] + len(events["lines"])})
        # The reads that a client makes before its writes are not compared.
        if not any("query" in event["event"] for event in events):
            self.server.requests.append((self.path, events))  # type: ignore[attr-defined]
        replies = [self.reply(event) for event in (events if isinstance(events, list) else [events])]
        self.answer(replies)

    def answer(self, reply: Any) -> None:
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def reply(self, event: Any) -> Any:
        name = event["event"].removeprefix("svc.v2.")
        now_ms = int(time.time() * 1000)
        replies = {
            "experiment.open": ("experiment.opened", {"experimentToken": "token", "expiresAtMs": now_ms + 86_400_000}),
            "experiment.start": ("experiment.started", {"status": "running", "statusAtMs": now_ms}),
            "experiment.metric": ("metricRecorded", {"metricName": "", "deduplicated": False}),
            "experiment.annotate": (
                "experiment.annotated",
                {"annotationId": event["messageId"], "createdAtMs": now_ms},
            ),
            "experiment.done": ("experiment.completed", {"status": "done", "statusAtMs": now_ms}),
            "experiment.error": ("experiment.failed", {"status": "error", "statusAtMs": now_ms}),
            "experiment.tokenRevoke": ("experiment.tokenRevoked", {}),
            "query.experiment": (
                "error",
                {"code": "experiment_not_found", "message": "", "status": 404, "retryable": False, "details": {}},
            ),
        }
        answer, data = replies[name]
        return {
            "messageId": f"reply-{event['messageId']}",
            "correlationId": event["messageId"],
            "event": f"svc.v2.{answer}",
            "data": {"experimentId": "experiment-1", **data},
        }

    def log_message(self, *_: Any) -> None: ...


class EqualBodies(unittest.TestCase):
    def setUp(self) -> None:
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
        self.server.requests = []  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def sent(self, words: list[str], calls: Any) -> list[tuple[str, Any]]:
        with tempfile.TemporaryDirectory() as spool:
            environment = {
                **{name: value for name, value in os.environ.items() if not name.startswith("LOSSLESS_")},
                "LOSSLESS_URL": f"http://127.0.0.1:{self.server.server_port}",
                "LOSSLESS_API_KEY": KEY,
                "LOSSLESS_SPOOL": spool,
                "LOSSLESS_SYSTEM": "off",
                "LOSSLESS_SOURCE": "off",
                "LOSSLESS_ENVIRONMENT": "off",
                "PYTHONPATH": str(ROOT / "python/src"),
            }
            result = subprocess.run(
                words, input=json.dumps(calls), env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120
            )
        self.assertEqual(0, result.returncode, result.stderr)
        requests = list(self.server.requests)  # type: ignore[attr-defined]
        self.server.requests.clear()  # type: ignore[attr-defined]
        return requests

    def test_equal_calls_send_equal_events(self) -> None:
        for error in (None, "it failed: é"):
            with self.subTest(error=error):
                calls = {
                    "slug": "équal/run",
                    "description": "notes\nof é",
                    "meta": _META,
                    "points": _POINTS,
                    "annotations": _ANNOTATIONS,
                    "nonfinite": _NONFINITE,
                    "error": error,
                }
                python = self.sent([sys.executable, "-W", "error", "-c", _PYTHON], calls)
                typescript = self.sent([node(), "test/python/record-calls.ts"], calls)
                expected, actual = _by_kind(typescript), _by_kind(python)
                self.assertEqual(sorted(expected), sorted(actual))
                for kind, texts in expected.items():
                    self.assertEqual(len(texts), len(actual[kind]), kind)
                    for one, other in zip(texts, actual[kind]):
                        self.assertEqual(one, other)
                self.assertEqual(_ends(typescript), _ends(python))


def _by_kind(requests: list[tuple[str, Any]]) -> dict[tuple[str, str], list[Any]]:
    """
    Where each kind of event was sent, and its contents in order, to the byte: numbers as JSON has
    them. How events are grouped, and random ids of those that are no points, is each client's own.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for path, events in requests:
        for event in events:
            id = event["messageId"]
            is_point = event["event"] == "svc.v2.experiment.metric"
            content = {**event, "messageId": f"#{id.rpartition('-')[2]}" if is_point else "#"}
            # The Python client reads the experiment before it opens it, and says what it saw.
            content["data"] = {key: each for key, each in event["data"].items() if key != "seenUpdatedAtMs"}
            text = json.dumps(_plain(content), sort_keys=True)
            found.setdefault((path, event["event"]), []).append(text)
    return found


def _ends(requests: list[tuple[str, Any]]) -> list[list[str]]:
    """The first requests and the last ones, which have an order."""
    names = [[event["event"] for event in events] for _, events in requests]
    return names[:2] + names[-2:]


def _plain(value: Any) -> Any:
    """Tells by 64 bits: 7 and 7.0 are equal. JavaScript sends -0 as 0, which comes back as 0."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return (float(value) + 0.0).hex() if isinstance(value, (int, float)) and not isinstance(value, bool) else value


if __name__ == "__main__":
    unittest.main()
