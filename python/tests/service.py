"""The real service, started for a test from the checkout that this file is in."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossless._ground.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
# Tests import the package after this module.
sys.path.insert(0, str(ROOT / "python/src"))
KEY = "ak_" + "p" * 20 + "1" * 24
_READY = re.compile(r"^Lossless is ready at (http://\S+)$")


def node() -> str:
    """The node that the tests of this checkout run with."""
    own = ROOT / "node_modules" / ".bin" / "node"
    return os.environ.get("LOSSLESS_TEST_NODE") or (str(own) if own.exists() else "node")


class Service:
    """A service that may be stopped, killed and started again on the same data and port."""

    def __init__(self, others: dict[str, str] | None = None) -> None:
        """`others`: the keys of more organizations than the one of KEY, by name."""
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-python-"))
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        # Held while the service is away, so that nobody else is given its port.
        self._place: socket.socket | None = None
        self.url = ""
        self.key = KEY
        keys = {"acme": KEY, **(others or {})}
        provision = {
            "organizations": [
                {"name": name, "apiKeys": [{"name": "test", "secret": secret}]} for name, secret in keys.items()
            ]
        }
        (self.directory / "provision.json").write_text(json.dumps(provision))
        self.start()

    def start(self) -> None:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LOSSLESS_")},
            "NODE_COMPILE_CACHE": str(ROOT / "node_modules/.cache/lossless-test"),
            "NODE_COMPILE_CACHE_PORTABLE": "1",
            # Where it is set, the service does not begin anew (server/src/settings/allocator.ts).
            "MALLOC_TRIM_THRESHOLD_": "131072",
        }
        flags = ["--data", str(self.directory / "data"), "--provision", str(self.directory / "provision.json")]
        with open(self.directory / "service.log", "a") as log:
            self._process = self._started(environment, flags, log)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            ready = _READY.match(line)
            if ready is not None:
                self.url = ready[1]
                self._port = int(self.url.rsplit(":", 1)[1])
                self._leave_place()
                return
        text = (self.directory / "service.log").read_text()[-2_000:]
        raise RuntimeError(f"the service ended before it was ready: {text}")

    def _started(self, environment: dict[str, str], flags: list[str], log: Any) -> subprocess.Popen[str]:
        program = os.environ.get("LOSSLESS_TEST_PROGRAM", "server/src/main.ts")
        return subprocess.Popen(
            [node(), program, *flags, "--port", str(self._port), "--drain-ms", "0"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
        )

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def close(self) -> None:
        self.kill()
        self._leave_place()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def environment(self, spool: str = "spool", **more: str) -> dict[str, str]:
        """The environment of a training script."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LOSSLESS_", "WANDB_"))},
            "LOSSLESS_URL": self.url,
            "LOSSLESS_API_KEY": self.key,
            "LOSSLESS_SYSTEM": "off",
            "LOSSLESS_SOURCE": "off",
            "LOSSLESS_ENVIRONMENT": "off",
            "LOSSLESS_SPOOL": str(self.directory / spool),
            "XDG_STATE_HOME": str(self.directory / "state"),
            # The developer may be signed in to another service.
            "XDG_CONFIG_HOME": str(self.directory / "nobody-signed-in"),
            "PYTHONPATH": str(ROOT / "python/src"),
            **more,
        }

    def settings(self) -> Settings:
        """The settings of a client of it."""
        from lossless._ground.settings import settings_of

        return settings_of(self.url, self.key)

    # ---- what the service has, read without the client

    def query(self, event: str, **data: Any) -> Any:
        body = {"messageId": "test", "event": f"svc.v2.{event}", "data": data}
        return json.loads(self._post("/api/v2/events", body))["data"]

    def points(self, slug: str) -> dict[str, list[tuple[int, float, dict[str, str]]]]:
        """Returns step, value and meta of every point, by name, in the order of steps."""
        data = {"experimentId": self.query("query.experiment", experimentSlug=slug)["experimentId"]}
        body = {
            "messageId": "test",
            "event": "svc.v2.query.experimentseries",
            "data": {**data, "filter": [], "xAxis": "step"},
        }
        found: dict[str, list[tuple[int, float, dict[str, str]]]] = {}
        for line in self._post("/api/v2/query/series", body).splitlines():
            record = json.loads(line)
            if record["event"] == "svc.v2.query.series.data":
                columns = record["data"]["data"]
                rows = [
                    (step, value, record["data"]["metadata"]) for step, value in zip(columns["step"], columns["value"])
                ]
                found.setdefault(record["data"]["seriesName"], []).extend(rows)
        for rows in found.values():
            # Partitions come one after the other.
            rows.sort(key=lambda row: (row[0], sorted(row[2].items())))
        return found

    def annotations(self, slug: str) -> list[dict[str, Any]]:
        """Returns the annotations, oldest first."""
        return list(reversed(self.query("query.annotations", experimentSlug=slug)["annotations"]))

    def console(self, slug: str, **more: Any) -> Any:
        """The console of a run, from its first line."""
        experiment = self.query("query.experiment", experimentSlug=slug)["experimentId"]
        body = {"experimentId": experiment, "first": 0, "limit": 10_000, **more}
        return json.loads(self._post("/api/console/v1/read", body))

    def versions(self, artifact: str) -> list[dict[str, Any]]:
        """The versions of an artifact, oldest first."""
        query = urllib.parse.urlencode({"artifact": artifact})
        request = urllib.request.Request(
            f"{self.url}/api/v1/versions/list?{query}", headers={"Authorization": f"Bearer {self.key}"}
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.loads(reply.read())["versions"]

    def lineage(self, slug: str) -> Any:
        """What a run used and made."""
        experiment = self.query("query.experiment", experimentSlug=slug)["experimentId"]
        request = urllib.request.Request(
            f"{self.url}/api/v1/lineage/run?experimentId={experiment}", headers={"Authorization": f"Bearer {self.key}"}
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.loads(reply.read())

    def attempts(self, slug: str) -> Any:
        """The attempts of a run, and how they ended."""
        experiment = self.query("query.experiment", experimentSlug=slug)["experimentId"]
        return json.loads(self._post("/api/attempts/v1/read", {"experimentId": experiment}))

    def _post(self, path: str, body: Any) -> bytes:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read()

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None
            self._hold_place()

    def _hold_place(self) -> None:
        """Binds the port without listening: no other process gets it, and none connects."""
        # Elsewhere the service could not be bound beside it.
        if sys.platform == "linux":
            self._place = socket.socket()
            self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                self._place.bind(("127.0.0.1", self._port))

    def _leave_place(self) -> None:
        if self._place is not None:
            self._place.close()
            self._place = None


class Organization(Service):
    """An organization of its own for a test class, on a service that many share."""

    def __init__(self, shared: Service, key: str) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-python-"))
        self.key = key
        self._shared = shared

    @property
    def url(self) -> str:  # type: ignore[override]
        return self._shared.url

    def start(self) -> None:
        self._shared.start()

    def start_if_ended(self) -> None:
        """Starts it if an earlier test failed while it was down."""
        if self._shared._process is None:
            self._shared.start()

    def kill(self) -> None:
        self._shared.kill()

    def stop(self) -> None:
        self._shared.stop()

    def close(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)


@functools.cache
def _organizations() -> Iterator[Organization]:
    """Starts the service; it ends with this process."""
    keys = {f"team-{number}": f"ak_{secrets.token_hex(22)}" for number in range(100)}
    shared = Service(keys)
    atexit.register(shared.close)
    return (Organization(shared, key) for key in keys.values())


class WithService(unittest.TestCase):
    """Tests that share an organization of a service."""

    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        organization = next(_organizations())
        organization.start_if_ended()
        cls.service = organization

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.close()
