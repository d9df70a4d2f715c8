"""A clock that is days off: points keep its times, and whoever records is told."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.request
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from service import WithService

from lossless._spool.report import clock_told

_DAYS = 3 * 86_400
_SCRIPT = """
import lossless
with lossless.init("clock", name="off", system=False) as run:
    run.log({"x": 1}, step=1)
print(run.finish().clock_ahead_seconds)
"""


class Ahead(BaseHTTPRequestHandler):
    """The service, by a clock that is three days ahead."""

    service_url = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type")}
        with urllib.request.urlopen(urllib.request.Request(self.service_url + self.path, body, headers)) as reply:
            content = reply.read()
        # Without a date and a server of its own.
        self.send_response_only(200)
        self.send_header("Date", formatdate(time.time() + _DAYS, usegmt=True))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...


class Clocks(WithService):
    def record(self, url: str) -> str:
        result = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env=self.service.environment(LOSSLESS_URL=url),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stderr

    def test_a_clock_that_is_far_off_is_told(self) -> None:
        self.assertNotIn("clock is", self.record(self.service.url))
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Ahead,), {"service_url": self.service.url}))
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            told = self.record(f"http://127.0.0.1:{server.server_address[1]}")
        finally:
            server.shutdown()
            server.server_close()
        self.assertEqual(1, len(re.findall("clock is", told)), told)
        self.assertRegex(told, r"this machine's clock is (3 days, 0:00:0|2 days, 23:59:5)\d behind the service's")

    def test_a_little_is_nothing(self) -> None:
        self.assertIsNone(clock_told(-299))
        self.assertIn("0:05:00 ahead of", str(clock_told(300)))


if __name__ == "__main__":
    unittest.main()
