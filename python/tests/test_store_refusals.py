"""Errors of a transfer name who refused it: a store with its code, or a proxy."""

from __future__ import annotations

import http.server
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import lossless
from lossless._artifacts.stores import StoreConnections

PAGE = b"<html><head><title>413 Request Entity Too Large</title></head></html>"
CODE = b"<Error><Code>EntityTooLarge</Code></Error>"


class Refusing(http.server.BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = CODE if self.path == "/store" else PAGE
        self.send_response(413)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Refusals(unittest.TestCase):
    def setUp(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"http://127.0.0.1:{server.server_address[1]}"
        self.connections = StoreConnections()
        self.addCleanup(self.connections.close)

    def refusal(self, path: str) -> str:
        with self.assertRaises(lossless.StoreFailed) as failed:
            with self.connections.exchange("PUT", self.address + path, {}, lambda: [b"part"], 4):
                pass
        self.assertEqual(413, failed.exception.status)
        return str(failed.exception)

    def test_a_proxy_that_refuses_the_size_of_parts_is_named(self) -> None:
        self.assertRegex(self.refusal("/proxy"), "a proxy before the store .*client_max_body_size 0")

    def test_a_store_is_taken_at_its_word(self) -> None:
        self.assertRegex(self.refusal("/store"), r"HTTP 413 \(EntityTooLarge\)$")


if __name__ == "__main__":
    unittest.main()
