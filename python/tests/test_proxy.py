"""Through the environment's proxies, as they come: tunnels to the port of https alone."""

from __future__ import annotations

import base64
import http.client
import http.server
import os
import threading
import unittest
import unittest.mock
import urllib.parse

from scripts import Scripts

from lossless._ground.errors import SettingsError
from lossless._service.connection import connection_to


class Proxy(http.server.ThreadingHTTPServer):
    """Forwards what is asked for by a whole address to one service; makes no tunnel."""

    daemon_threads = True

    def __init__(self, to: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.to = urllib.parse.urlsplit(to).netloc
        self.seen: list[tuple[str, str, str | None]] = []
        self.address = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_GET(self) -> None:
        self.server.seen.append((self.command, self.path, self.headers.get("Proxy-Authorization")))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = urllib.parse.urlsplit(self.path)
        connection = http.client.HTTPConnection(self.server.to)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        connection.request(self.command, asked._replace(scheme="", netloc="").geturl(), body, headers)
        reply = connection.getresponse()
        content = reply.read()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.headers["Content-Type"])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_POST = do_PUT = do_GET

    def do_CONNECT(self) -> None:
        self.server.seen.append((self.command, self.path, self.headers.get("Proxy-Authorization")))
        self.send_error(403, "tunnels go to the port of https alone")

    def log_message(self, *_: object) -> None:
        pass


class ThroughAProxy(Scripts):
    def test_a_recording_and_its_reading(self) -> None:
        with Proxy(self.service.url) as proxy:
            self.script(
                """
                import lossless
                run = lossless.init(id="proxied")
                for step in range(2_000):
                    run.log({"x": float(step)}, step=step)
                assert run.finish(timeout=120).is_complete
                assert len(lossless.Reader().series("proxied", "x").value) == 2_000
                """,
                LOSSLESS_URL="http://lossless.example:7070",
                http_proxy=f"http://some%20body:s%40fe@{proxy.address}",
            )
            words = f"Basic {base64.b64encode(b'some body:s@fe').decode()}"
            self.assertEqual({words}, {each[2] for each in proxy.seen})
            self.assertTrue(all(path.startswith("http://lossless.example:7070/") for _, path, _ in proxy.seen))
        self.assertEqual([(step, float(step)) for step in range(2_000)], self.stored("proxied", "x"))

    def test_what_goes_past_it(self) -> None:
        """This machine itself, and what no_proxy names."""
        with Proxy(self.service.url) as proxy:
            self.script(
                """
                import lossless
                run = lossless.init(id="direct")
                run.log({"x": 1.0})
                assert run.finish(timeout=120).is_complete
                """,
                http_proxy=proxy.address,
            )
            self.assertEqual([], proxy.seen)


class Connections(unittest.TestCase):
    def to(self, url: str, **variables: str) -> http.client.HTTPConnection:
        with unittest.mock.patch.dict(os.environ, variables, clear=True):
            return connection_to(urllib.parse.urlsplit(url), 5.0)

    def test_a_tunnel_for_https(self) -> None:
        with Proxy("http://127.0.0.1:1") as proxy:
            connection = self.to("https://lossless.example", https_proxy=f"http://a:b@{proxy.address}")
            self.assertRaisesRegex(OSError, "403", connection.request, "GET", "/")
            words = f"Basic {base64.b64encode(b'a:b').decode()}"
            self.assertEqual([("CONNECT", "lossless.example:443", words)], proxy.seen)

    def test_no_proxy(self) -> None:
        for url, none in (
            ("http://lossless.example:7070", "other, lossless.example"),
            ("http://lossless.example:7070", ".example"),
            ("http://lossless.example:7070", "lossless.example:7070"),
            ("http://lossless.example", "*"),
            ("http://10.1.2.3", "10.0.0.0/8"),
            ("http://[fd00::1]:80", "fd00::/8"),
            ("http://127.0.0.1", ""),
        ):
            with self.subTest(url=url, none=none):
                host = urllib.parse.urlsplit(url).hostname
                self.assertEqual(host, self.to(url, http_proxy="http://proxy:3128", NO_PROXY=none).host)
        for url, none in (("http://lossless.example:7070", "ample"), ("http://10.1.2.3", "11.0.0.0/8, x/y")):
            found = self.to(url, http_proxy="proxy", NO_PROXY=none)
            self.assertEqual(("proxy", 80), (found.host, found.port))

    def test_what_is_no_proxy_for_http(self) -> None:
        with self.assertRaises(SettingsError) as raised:
            self.to("http://lossless.example", http_proxy="socks5://me:secret@proxy:1080")
        self.assertNotIn("secret", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
