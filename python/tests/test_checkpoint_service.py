"""Checkpoints with the real service: scripts with their own torch, which lose nothing silently."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from service import ROOT, WithService

_HEAD = """
import os, sys, warnings
from fake_torch import Shard, Tensor, Torch
sys.modules["torch"] = Torch()
warnings.simplefilter("ignore")
import lossless
from lossless._saving import patience as _patience
_patience.AFTER_END_SECONDS = 0.0
"""


class Gateway(ThreadingHTTPServer):
    """Answers every call of the artifacts interface in one way, in the place of the service."""

    daemon_threads = True

    def __init__(self, url: str, status: int, body: bytes) -> None:
        self.has_refused = has_refused = threading.Event()

        class Refusal(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_checkpoint = self.path.startswith("/api/v1/versions/")
                self.send_response(status if is_checkpoint else 503)
                self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)
                if is_checkpoint:
                    has_refused.set()

            do_GET = do_POST

            def log_message(self, *_: Any) -> None: ...

        super().__init__(("127.0.0.1", int(url.rsplit(":", 1)[1])), Refusal)
        self._serving = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})
        self._serving.start()

    def __exit__(self, *error: Any) -> None:
        self.shutdown()
        self._serving.join()
        self.server_close()


class Checkpoints(WithService):
    def started(self, script: str, **more: str) -> subprocess.Popen[str]:
        temporary = self.service.directory / self._testMethodName
        temporary.mkdir(exist_ok=True)
        environment = self.service.environment(**{"TMPDIR": str(temporary), **more})
        environment = {name: value for name, value in environment.items() if value}
        environment["PYTHONPATH"] = f"{ROOT}/python/src:{ROOT}/python/tests"
        return subprocess.Popen(
            [sys.executable, "-c", _HEAD + textwrap.dedent(script)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self, process: subprocess.Popen[str], answer: str = "") -> tuple[str, str]:
        out, errors = process.communicate(answer, timeout=120)
        self.assertEqual(0, process.returncode, errors)
        return out, errors

    def run_script(self, script: str, **more: str) -> tuple[str, str]:
        return self.ended(self.started(script, **more))

    def versions(self, slug: str) -> list[str]:
        metas = [note["meta"] for note in self.service.annotations(slug)]
        return [meta["version"] for meta in metas if meta["kind"] == "artifact"]

    def test_steps_that_go_back(self) -> None:
        """With the same id and an earlier step every checkpoint is saved, in order."""
        script = """
            with lossless.init("p", id="back") as run:
                for step in map(int, os.environ["STEPS"].split()):
                    saved = run.checkpoint({"w": Tensor([float(step)])}, step=step).wait(60)
                lossless.load_artifact("p/back/checkpoint", sys.argv[0] + os.environ["STEPS"][:3], replace=True)
            assert run.report.is_complete
        """.replace("sys.argv[0]", repr(str(self.service.directory / "loaded")))
        self.run_script(script, STEPS="1000 1500")
        self.run_script(script, STEPS="1000 1200 1600")
        numbers = [1000, 1500, 1501, 1502, 1600]
        self.assertEqual([f"{number:012d}" for number in numbers], self.versions("p/back"))
        loaded = json.loads((self.service.directory / "loaded100" / "checkpoint.pt").read_text())
        self.assertEqual({"w": [1600.0]}, loaded)

    def test_a_service_that_is_away_costs_neither_time_nor_checkpoints(self) -> None:
        process = self.started("""
            import threading
            from lossless._saving import checkpoint as _checkpoint
            _checkpoint._HOLD_SECONDS = 0.1
            begun, sent = threading.Event(), _checkpoint.Checkpoints._sent
            def noted(*words):
                begun.set()
                return sent(*words)
            run = lossless.init("p", id="away")
            run.checkpoint({"w": Tensor([0.0])}, step=0).wait(60)
            _checkpoint.Checkpoints._sent = noted
            print("up", flush=True)
            sys.stdin.readline()
            taken = [run.checkpoint({"w": Tensor([1.0])}, step=1)]
            # Until it is under way, the next one would take its place.
            assert begun.wait(60)
            taken += [run.checkpoint({"w": Tensor([float(step)])}, step=step) for step in range(2, 6)]
            # Files are written beside the loop: the last one is in a file when it has taken the place of this one.
            try:
                taken[3].wait(60)
            except _checkpoint.Skipped:
                print("taken", flush=True)
            sys.stdin.readline()
            taken[-1].wait(60)
            report = run.finish(quiet=True)
            print(report.is_complete, report.unsaved, [one["step"] for one in report.unsaved_checkpoints])
        """)
        assert process.stdout is not None and process.stdin is not None
        self.assertEqual("up\n", process.stdout.readline())
        self.service.kill()
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual("taken\n", process.stdout.readline())
        self.service.start()
        out, _ = self.ended(process, "\n")
        self.assertEqual("False 3 [2, 3, 4]\n", out)
        self.assertEqual([f"{step:012d}" for step in (0, 1, 5)], self.versions("p/away"))

    def test_a_gateway_that_refuses_and_a_key_that_is_replaced_are_waited_for(self) -> None:
        process = self.started("""
            run = lossless.init("p", id="refused")
            run.checkpoint({"w": Tensor([0.0])}, step=0).wait(60)
            for step in (1, 2):
                print("up", flush=True)
                sys.stdin.readline()
                run.checkpoint({"w": Tensor([float(step)])}, step=step).wait(100)
            assert run.finish(quiet=True).is_complete
        """)
        assert process.stdout is not None and process.stdin is not None
        unauthorized = b'{"error": "unauthorized", "message": "unknown key"}'
        for status, body in ((404, b"<h1>not here</h1>"), (401, unauthorized)):
            self.assertEqual("up\n", process.stdout.readline())
            self.service.kill()
            with Gateway(self.service.url, status, body) as gateway:
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertTrue(gateway.has_refused.wait(60))
            self.service.start()
        self.ended(process)
        self.assertEqual([f"{step:012d}" for step in range(3)], self.versions("p/refused"))

    def test_the_end_of_a_script_without_a_service(self) -> None:
        """The script ends; the newest file stays, and the report and the end say so."""
        script = """
            run = lossless.init("p", id="end")
            run.checkpoint({"w": Tensor([1.0])}, step=1)
            report = run.finish(timeout=0.2)
            assert not report.is_complete and report.unsaved == 1, report
        """
        _, errors = self.run_script(script, LOSSLESS_URL="http://127.0.0.1:9")
        self.assertIn("NOT SAVED: 1 checkpoint\n  p/end/checkpoint step 1: it is still being saved", errors)
        (kept,) = (self.service.directory / self._testMethodName).glob("lossless-unsaved-checkpoint-*/checkpoint.pt")
        self.assertEqual('{"w": [1.0]}', kept.read_text())
        self.assertIn(f"lossless.save_artifact({str(kept)!r}, 'p/end/checkpoint')", errors)

    def test_offline_without_a_credential(self) -> None:
        script = """
            run = lossless.init("p", id="offline")
            for step in range(3):
                pending = run.checkpoint({"w": Tensor([1.0])}, step=step)
            try:
                pending.wait()
            except lossless.LosslessError as error:
                print(error)
            report = run.finish(quiet=True)
            print(report.unsaved, report.is_complete)
        """
        out, _ = self.run_script(script, LOSSLESS_API_KEY="", HOME=str(self.service.directory))
        self.assertEqual(["the recording is offline, without a credential", "3 False"], out.splitlines())

    def test_of_several_ranks_the_first_one_saves(self) -> None:
        """The first rank saves, unless each has a part of its own."""
        script = """
            run = lossless.init("p", id=os.environ["NAME"])
            kind = {"Tensor": Tensor, "Shard": Shard}[os.environ["KIND"]]
            rank = float(os.environ["RANK"])
            pending = [run.checkpoint({"w": kind([rank])}, step=step) for step in range(3)]
            pending.append(run.checkpoint({"w": Tensor([rank])}, "own", step=9, every_rank=True))
            for each in pending:
                each.wait(60)
            assert run.finish(quiet=True).is_complete
        """

        def saved(kind: str) -> list[Any]:
            ranks = [
                self.started(script, RANK=str(rank), WORLD_SIZE="2", KIND=kind, NAME=f"ranks-{kind}", WAIT="1")
                for rank in range(2)
            ]
            for process in ranks:
                self.ended(process)
            notes = [note["meta"] for note in self.service.annotations(f"p/ranks-{kind}")]
            return sorted(f"{note['artifact'].split('/')[-1]} {int(note['version'])}" for note in notes)

        own = ["own-rank0 9", "own-rank1 9"]
        self.assertEqual([f"checkpoint {step}" for step in range(3)] + own, saved("Tensor"))
        parts = [f"checkpoint-rank{rank} {step}" for rank in range(2) for step in range(3)]
        self.assertEqual(parts + own, saved("Shard"))


if __name__ == "__main__":
    unittest.main()
