"""`lossless import wandb --service`: beside a double of W&B's GraphQL, as its package speaks it."""

from __future__ import annotations

import base64
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service import ROOT, WithService

from lossless._importing.kept_files import KeptFiles
from lossless._importing.source import Line, Number
from lossless._importing.wandb_service.graphql import GraphQl, WandbRefused
from lossless._importing.wandb_service.run import WandbServiceRun

_PNG = (ROOT / "python/tests/foreign/neptune/export/files").rglob("step_0")
_KEY = "w" * 40
_START = 1_750_000_000


def _history() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    # The steps have a gap of more than two pages.
    for step in [*range(0, 1500), *range(4000, 4100)]:
        rows.append({"_step": step, "_timestamp": _START + step + 0.25, "_runtime": step, "loss": 1 / (step + 1)})
    rows[3]["odd"] = "NaN"
    rows[4]["note"] = "warm"
    rows[5]["pic"] = {"_type": "image-file", "path": "media/images/pic_5.png", "width": 2, "height": 2}
    rows[6]["hist"] = {"_type": "histogram", "values": [3, 4], "bins": [0, 1, 2]}
    return rows


class Double(http.server.BaseHTTPRequestHandler):
    """One project with two runs. Two requests meet W&B's limit of the rate."""

    files = {
        "config.yaml": b"lr: 1\n",
        "output.log": b"hello\nworld\n",
        "media/images/pic_5.png": next(iter(_PNG)).read_bytes(),
        "../../leads/out": b"no",
    }
    requests = 0

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        name = self.path.removeprefix("/files/")
        content = b"weights" if name == "model.bin" else self.files.get(name)
        self.reply(404 if content is None else 200, content or b"")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Double.requests += 1
        if Double.requests in (1, 12):
            return self.reply(429, b"slower, please")
        if self.headers["Authorization"] != "Basic " + base64.b64encode(f"api:{_KEY}".encode()).decode():
            return self.reply(401, b"{}")
        return self.reply(200, json.dumps({"data": self.answer(body["query"], body["variables"])}).encode())

    def answer(self, query: str, asked: dict[str, Any]) -> dict[str, Any]:
        if (asked["entity"], asked["project"]) != ("team", "demo"):
            return {"project": None}
        if "runs(" in query:
            return {"project": {"runs": self.page([{"name": "r1"}, {"name": "r2"}], asked)}}
        if "artifactCollection(" in query:
            files = [{"name": "sub/model.bin", "directUrl": self.url("model.bin"), "sizeBytes": 7}]
            return {"project": {"artifactCollection": {"artifactMembership": {"files": self.page(files, asked)}}}}
        return {"project": {"run": self.run(query, asked)}}

    def run(self, query: str, asked: dict[str, Any]) -> dict[str, Any]:
        is_first = asked.get("name", asked.get("run")) == "r1"
        if "history(" in query:
            rows = _history() if is_first else []
            some = [row for row in rows if asked["minStep"] <= row["_step"] < asked["maxStep"]]
            return {"history": [json.dumps(row) for row in some][: asked["pageSize"]]}
        if "events(" in query:
            row = {"_wandb": True, "_timestamp": _START + 10.0, "_runtime": 10.0, "system.cpu": 12.5}
            return {"events": [json.dumps(row)] if is_first else []}
        if "files(" in query:
            files = [{"name": name, "directUrl": self.url(name)} for name in self.files] if is_first else []
            return {"files": self.page(files, asked)}
        if "outputArtifacts(" in query:
            artifact = {
                "versionIndex": 2,
                "metadata": '{"acc": 1}',
                "artifactType": {"name": "model"},
                "artifactSequence": {"name": "net"},
                "aliases": [{"alias": "best"}],
            }
            return {"outputArtifacts": self.page([artifact] if is_first else [], asked)}
        return {
            "name": asked["name"],
            "displayName": "calm-river-1",
            "state": "finished" if is_first else "crashed",
            "config": json.dumps({"lr": {"value": 0.1, "desc": None}, "_wandb": {"value": {}}}),
            "group": "g",
            "jobType": "train",
            "createdAt": "2025-06-15T15:06:40",
            "heartbeatAt": "2025-06-15T16:06:40",
            "notes": "some notes",
            "tags": ["a"],
            "summaryMetrics": json.dumps({"loss": 1 / 4100, "_step": 4099, "best": 0.5}),
            "historyLineCount": len(_history()) if is_first else 0,
            "historyKeys": {"lastStep": 4099} if is_first else None,
            "user": {"username": "ada"},
        }

    def page(self, nodes: list[dict[str, Any]], asked: dict[str, Any]) -> dict[str, Any]:
        first = int(asked.get("cursor") or 0)
        end = first + 2
        edges = [{"node": node, "cursor": str(place)} for place, node in enumerate(nodes)]
        return {"edges": edges[first:end], "pageInfo": {"endCursor": str(end), "hasNextPage": end < len(nodes)}}

    def url(self, name: str) -> str:
        return f"http://{self.headers['Host']}/files/{name}"

    def reply(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class ImportingFromWandb(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.double = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Double)
        threading.Thread(target=self.double.serve_forever, daemon=True).start()
        self.addCleanup(self.double.server_close)
        self.addCleanup(self.double.shutdown)

    def report(self, *words: Any, code: int = 0, key: str = _KEY) -> dict[str, Any]:
        path = self.directory / "report.json"
        command = [sys.executable, "-m", "lossless", "import", "wandb", "--service", *map(str, words)]
        environment = {
            **self.service.environment(),
            "WANDB_API_KEY": key,
            "WANDB_BASE_URL": f"http://127.0.0.1:{self.double.server_address[1]}",
        }
        result = subprocess.run(
            [*command, "--report", str(path)], env=environment, capture_output=True, text=True, timeout=240
        )
        self.output = result.stdout + result.stderr
        self.assertEqual(code, result.returncode, self.output)
        return json.loads(path.read_text()) if path.exists() else {}

    def test_a_project_comes_whole_and_once(self) -> None:
        dry = self.report("team/demo", "--dry-run")
        self.assertEqual(1600, dry["runs"][0]["source"]["loss"]["count"])
        report = self.report("team/demo")
        self.assertEqual(["demo/r1", "demo/r2"], [run["slug"] for run in report["runs"]])
        points = {
            name: [(step, value) for step, value, _ in rows] for name, rows in self.service.points("demo/r1").items()
        }
        self.assertEqual([(row["_step"], row["loss"]) for row in _history()], points["loss"])
        self.assertEqual([(10, 12.5)], points["system/cpu"])
        notes = self.service.annotations("demo/r1")
        kinds = sorted(note["meta"]["kind"] for note in notes)
        self.assertEqual(["media", "media", "nonfinite", "summary", "text"], kinds)
        self.assertEqual(["hello", "world"], [line["text"] for line in self.service.console("demo/r1")["lines"]])
        record = self.service.query("query.experiment", experimentSlug="demo/r1")
        meta = record["meta"]
        self.assertEqual(["some notes", "done"], [record["description"], record["status"]])
        own = [meta[key] for key in ("lr", "_name", "_tags", "_group", "_job_type")]
        self.assertEqual([0.1, "calm-river-1", ["a"], "g", "train"], own)
        self.assertEqual([("team", "ada")], [(meta["import"]["entity"], meta["import"]["user"])])
        files = [(each["artifact"], each["files"]) for each in report["runs"][0]["files"]]
        self.assertEqual([("demo/r1/files", 3), ("demo/net", 1)], files)
        left_out = [each["what"] for each in report["runs"][0]["notCarried"]]
        self.assertEqual(["file ../../leads/out"], left_out)
        self.assertEqual("error", self.service.query("query.experiment", experimentSlug="demo/r2")["status"])
        again = self.report("team/demo/r1")
        self.assertEqual([0], [run["newPoints"] for run in again["runs"]])
        self.assertEqual(len(notes), len(self.service.annotations("demo/r1")))

    def test_what_is_refused_is_told(self) -> None:
        self.report("team/demo", key="wrong" * 8, code=1)
        self.assertIn("W&B's service refuses the key", self.output)
        self.report("team/other", code=1)
        self.assertIn("W&B's service has no project team/other", self.output)
        self.report("team/demo/r1/x/y", code=1)
        self.assertIn("is neither ENTITY/PROJECT nor ENTITY/PROJECT/RUN", self.output)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """`/leads` redirects to the last server; all others keep the key that they were sent."""

    last = ""
    keys: list[str | None] = []

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.keys.append(self.headers["Authorization"])
        is_leading = self.path == "/leads"
        self.send_response(302 if is_leading else 200)
        self.send_header("Content-Length", "0")
        if is_leading:
            self.send_header("Location", f"{self.last}/file")
        self.end_headers()


class Half:
    """W&B's service with two artifacts, of which one cannot be read."""

    def pages(self, query: str, *_: Any, **asked: Any) -> Iterator[dict[str, Any]]:
        if "outputArtifacts(" in query:
            for name in ("bad", "good"):
                yield {"versionIndex": 0, "artifactType": {"name": "model"}, "artifactSequence": {"name": name}}
        else:
            yield {"name": "file", "directUrl": asked["collection"]}

    def save(self, url: str, path: Path) -> None:
        if url == "bad":
            raise WandbRefused("it is gone")


class Growing:
    """W&B's service with a run that goes on: each query finds a row and a line more."""

    asked = 0

    def ask(self, query: str, **_: Any) -> dict[str, Any]:
        self.asked += 1
        rows = [json.dumps({"_step": step, "_timestamp": step, "loss": 1}) for step in range(self.asked)]
        told: dict[str, Any] = {
            "state": "running",
            "historyLineCount": len(rows),
            "summaryMetrics": f'{{"n":{self.asked}}}',
        }
        return {"project": {"run": {**told, "history": rows, "events": rows}}}

    def pages(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        return [{"name": "output.log", "directUrl": ""}]

    def save(self, _: str, path: Path) -> None:
        path.write_text("whole\ncut")


class ReadingFromWandb(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def server(self) -> str:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def test_no_other_host_sees_the_key(self) -> None:
        url, Elsewhere.last = self.server(), self.server()
        Elsewhere.keys.clear()
        graphql = GraphQl(url, _KEY, ())
        for address in ("/leads", f"{Elsewhere.last}/file"):
            graphql.save(address, self.directory / "file")
        own = "Basic " + base64.b64encode(f"api:{_KEY}".encode()).decode()
        self.assertEqual([own, None, None], Elsewhere.keys)
        (self.directory / "secret").write_text("x")
        with self.assertRaises(WandbRefused):
            graphql.save((self.directory / "secret").as_uri(), self.directory / "file")
        with self.assertRaises(WandbRefused):
            GraphQl("file:///etc", _KEY)

    def test_an_artifact_that_cannot_be_read_ends_no_other(self) -> None:
        service: Any = Half()
        run = WandbServiceRun(service, "team", "demo", "r1", KeptFiles(), False)
        self.assertEqual(["good"], [each.name for each in run.artifacts()])
        self.assertEqual(["the artifact bad:v0 of W&B's run team/demo/r1 cannot be read: it is gone"], run.problems)

    def test_a_run_that_goes_on_is_the_same_at_each_reading(self) -> None:
        service: Any = Growing()
        run = WandbServiceRun(service, "team", "demo", "r1", KeptFiles(), False)
        items = list(run.items())
        self.assertEqual(items, list(run.items()))
        self.assertEqual([["loss", 0]], [[each.name, each.step] for each in items if isinstance(each, Number)][:1])
        self.assertEqual(["whole"], [each.text for each in items if isinstance(each, Line)])


if __name__ == "__main__":
    unittest.main()
