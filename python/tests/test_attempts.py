"""How a process ended is told with its evidence, whichever way it ends, and nothing is guessed."""

from __future__ import annotations

import json
import os
import platform
import signal
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from scripts import Scripts

from lossless._ground.errors import RequestRefused
from lossless._sending.attempt_reports import AttemptReports
from lossless._sending.script_end import Ending, oom_kills, told_ending
from lossless._spool.head import RunInfo
from lossless._spool.sent_state import State

# Older kernels tell the exit status of a process to its parent alone.
KERNEL_TELLS = platform.system() == "Linux" and tuple(map(int, platform.release().split(".")[:2])) >= (6, 15)
HOUR = 3_600


class Attempts(Scripts):
    def attempts(self, slug: str) -> list[dict[str, Any]]:
        try:
            return list(self.service.attempts(slug)["attempts"])
        except KeyError:
            # It is not opened yet.
            return []

    def ended(self, slug: str) -> dict[str, Any]:
        """The newest attempt, once it has ended."""
        self.until(lambda: self.attempts(slug) and "endedAtMs" in self.attempts(slug)[-1], f"the end of {slug} is told")
        return self.attempts(slug)[-1]

    def test_each_way_of_ending_is_told_as_it_was(self) -> None:
        ways: dict[str, tuple[str, tuple[Any, ...]]] = {
            "finish": ("run.finish()", ("finished", None, None, None)),
            "nothing": ("pass", ("finished", None, None, None)),
            "exit": ("sys.exit(3)", ("exited", 3, None, None)),
            "exception": ("raise ValueError('bad\\nthing')", ("exited", None, None, "ValueError: bad")),
            "told": ("run.finish(error='out of luck')", ("exited", None, None, "out of luck")),
            "terminated": ("os.kill(os.getpid(), signal.SIGTERM)", ("killed", None, 15, None)),
        }
        if KERNEL_TELLS:
            ways["at-once"] = ("os._exit(5)", ("exited", 5, None, None))
            ways["killed"] = ("os.kill(os.getpid(), signal.SIGKILL)", ("killed", None, 9, None))
            ways["memory"] = ("ctypes.string_at(0)", ("killed", None, 11, None))
        begin = "import ctypes, lossless, os, signal, sys\nrun = lossless.init(slug=sys.argv[1])\nrun.log({'x': 1.0})\n"
        for slug, (text, expected) in ways.items():
            self.file(begin + text, slug)
        for slug, (_, expected) in ways.items():
            attempt = self.ended(slug)
            (process,) = attempt["processes"]
            told = tuple(attempt.get(name) for name in ("state", "exitCode", "signal", "error"))
            self.assertEqual((slug, *expected), (slug, *told))
            self.assertEqual(platform.node(), process["host"])
            self.assertTrue(process["end"]["evidence"], slug)
            self.assertEqual(0, attempt["toStep"])
        # The status stays what it was without all this.
        self.assertEqual("done", self.record("finish")["status"])
        self.assertEqual("exit code 3", self.record("exit")["error"])
        self.until(lambda: self.record("terminated")["status"] == "error", "its sender ends it")
        self.assertEqual([], self.spools())

    def test_another_sender_is_no_other_attempt(self) -> None:
        script = self.started(
            """
            import lossless, time
            run = lossless.init(slug="respawned")
            run.log({"x": 1.0})
            input()
            for _ in range(200):
                run.log({"x": 1.0})
                time.sleep(0.05)
            run.finish()
            """
        )
        self.until(lambda: self.attempts("respawned"), "its begin is told")
        self.assertEqual("running", self.attempts("respawned")[0]["state"])
        self.kill_senders()
        script.go_on()
        self.assertEqual(0, script.ended())
        (attempt,) = self.attempts("respawned")
        self.assertEqual(["finished"], [process["state"] for process in attempt["processes"]])

    def test_script_and_sender_killed(self) -> None:
        """The rest is found by `lossless sync`, which knows only that the process is gone."""
        script = self.started(
            """
            import lossless
            run = lossless.init(slug="both")
            run.log({"x": 1.0})
            input()
            """
        )
        self.until(lambda: self.attempts("both"), "its begin is told")
        self.assertEqual(1, self.kill_senders())
        script.kill()
        self.assertEqual("running", self.attempts("both")[0]["state"])
        (spool,) = self.spools()
        self.as_of(spool, hours_ago=1, bootId="another boot")
        self.sync_until_sent()
        (attempt,) = self.attempts("both")
        self.assertEqual("gone", attempt["state"])
        evidence = " ".join(attempt["processes"][0]["end"]["evidence"])
        self.assertIn("`lossless sync` found the recording without its process", evidence)
        self.assertIn("boot id", evidence)

    def test_a_recording_without_network_is_told_as_it_was(self) -> None:
        self.script(
            """
            import lossless
            run = lossless.init(slug="offline", mode="offline")
            run.log({"x": 1.0}, step=7)
            run.finish()
            """
        )
        (spool,) = self.spools()
        self.as_of(spool, hours_ago=1)
        self.sync_until_sent()
        (attempt,) = self.attempts("offline")
        self.assertEqual(("finished", 7), (attempt["state"], attempt["toStep"]))
        for name, hours in (("beganAtMs", 2), ("beatAtMs", 1), ("endedAtMs", 1)):
            self.assertAlmostEqual(hours, (time.time() - attempt[name] / 1000) / HOUR, delta=0.1, msg=name)

    def as_of(self, spool: Path, hours_ago: float, **about: str) -> None:
        """Makes a spool one that was written last some hours ago, and began an hour before."""
        head = json.loads((spool / "run.json").read_text())
        head["created_at_ms"] = int((time.time() - (hours_ago + 1) * HOUR) * 1000)
        head["attempt"]["process"].update(about)
        (spool / "run.json").write_text(json.dumps(head))
        for path in spool.iterdir():
            os.utime(path, (time.time() - hours_ago * HOUR,) * 2)

    def test_a_requeued_job_is_preempted_and_goes_on(self) -> None:
        text = """
            import lossless, os, signal, sys
            run = lossless.init(id="requeued", resume="allow")
            run.log({"x": 1.0})
            if sys.argv[1] == "0": os.kill(os.getpid(), signal.SIGTERM)
            """
        self.file(text, "0", SLURM_JOB_ID="4711")
        self.ended("requeued")
        self.good_file(text, "1", SLURM_JOB_ID="4711", SLURM_RESTART_COUNT="1")
        first, second = self.attempts("requeued")
        self.assertEqual(("preempted", {"attempt": 2, "by": "slurm"}), (first["state"], first["next"]))
        self.assertEqual(("finished", 1), (second["state"], second["fromStep"]))
        self.assertIn({"name": "SLURM_JOB_ID", "value": "4711"}, first["processes"][0]["variables"])

    def test_ranks_are_processes_of_one_attempt(self) -> None:
        text = """
            import lossless
            run = lossless.init(id="ranks")
            run.log({"x": 1.0})
            """
        for restart in ("0", "1"):
            for rank in ("0", "1"):
                launch = {"TORCHELASTIC_RUN_ID": "a-job", "TORCHELASTIC_RESTART_COUNT": restart}
                self.good_file(text, RANK=rank, WORLD_SIZE="2", LOCAL_RANK=rank, LOCAL_WORLD_SIZE="1", **launch)
        attempts = self.attempts("ranks")
        self.assertEqual([[0, 1]] * 2, [[process["rank"] for process in each["processes"]] for each in attempts])
        self.assertEqual({"attempt": 2, "by": "torchrun"}, attempts[0]["next"])

    def test_forked_workers_are_none(self) -> None:
        self.good_file(
            """
            import lossless, os
            run = lossless.init(slug="forks")
            run.log({"x": 1.0})
            if os.fork() == 0:
                run.log({"y": 1.0})
                run.finish()
                os._exit(0)
            os.wait()
            """
        )
        (attempt,) = self.attempts("forks")
        self.assertEqual(("finished", 1), (attempt["state"], len(attempt["processes"])))

    def test_spawned_children_are_none(self) -> None:
        """Neither are other programs. One that opens the run is a process of its attempt."""
        text = """
            import lossless, multiprocessing, os, subprocess, sys
            def work(number):
                print("worker", number)
                os._exit(number)
            if __name__ == "__main__":
                run = lossless.init(slug="spawns")
                run.log({"x": 1.0})
                process = multiprocessing.get_context("spawn").Process(target=work, args=(3,))
                process.start(); process.join()
                assert process.exitcode == 3
                assert subprocess.run([sys.executable, "-c", "raise SystemExit(4)"]).returncode == 4
                again = "import lossless; lossless.init(slug='spawns').finish(quiet=True)"
                if len(sys.argv) > 1:
                    subprocess.run([sys.executable, "-c", again], check=True)
                run.finish(quiet=True)
            """
        self.good_file(text)
        (attempt,) = self.attempts("spawns")
        self.assertEqual(("finished", 1), (attempt["state"], len(attempt["processes"])))
        self.assertNotIn("exitCode", attempt)
        self.good_file(text, "twice")
        states = [(each["state"], len(each["processes"])) for each in self.attempts("spawns")]
        self.assertEqual([("finished", 1), ("finished", 2)], states)


class Words(unittest.TestCase):
    def test_what_the_recording_says_of_its_end(self) -> None:
        for error, expected in (
            (None, ("finished", None, None)),
            ("exit code 3", ("exited", 3, None)),
            ("exit code -1", ("exited", -1, None)),
            ("exit code of nobody", ("exited", None, "exit code of nobody")),
            ("KeyError: 'a'\nmore", ("exited", None, "KeyError: 'a'")),
        ):
            ending = told_ending(error)
            self.assertEqual(expected, (ending.how, ending.exit_code, ending.error))

    def test_processes_ended_for_want_of_memory_are_counted(self) -> None:
        for groups, file, text in (
            ("0::/job/step\n", "sys/fs/cgroup/job/step/memory.events", "low 0\noom 4\noom_kill 3\n"),
            ("5:cpu:/x\n4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.oom_control", "under_oom 0\noom_kill 3\n"),
        ):
            with tempfile.TemporaryDirectory() as directory:
                root = Path(directory)
                self.assertIsNone(oom_kills(root))
                for path, content in (("proc/self/cgroup", groups), (file, text)):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(content)
                self.assertEqual(3, oom_kills(root))


class _Session:
    """A service that answers each report with the next of these."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.bodies: list[dict[str, Any]] = []

    def post(self, body: bytes, _: object) -> bytes:
        self.bodies.append(json.loads(body))
        status = self.answers.pop(0)
        if status != 200:
            raise RequestRefused("no", status, "")
        return b'{"nextBeatMs": 30000}'


class _Script:
    def __init__(self) -> None:
        self.gone_ms = 0

    def ago_ms(self) -> int:
        return self.gone_ms

    def ending(self) -> Ending | None:
        return None


class Reports(unittest.TestCase):
    def reports(self, *answers: int) -> tuple[_Session, AttemptReports]:
        session = _Session(*answers)
        attempt = {"id": "a", "process": {"id": "p"}}
        info = RunInfo("http://x", "s", None, "p", True, int(time.time() * 1000), attempt=attempt)
        state = State(experiment_id="e")

        def retry(*_: object) -> None:
            pass

        reports = AttemptReports(info, state, session, _Script(), retry, lambda: None)  # type: ignore[arg-type]
        return session, reports

    def test_a_beat_is_due_when_the_service_says(self) -> None:
        session, reports = self.reports(200)
        for _ in range(1_000):
            reports.beat_when_due()
        self.assertEqual(1, len(session.bodies))

    def test_a_service_that_knows_no_attempts_is_asked_once(self) -> None:
        session, reports = self.reports(404)
        reports.beat()
        reports.beat()
        reports.end(told_ending(None))
        self.assertEqual(1, len(session.bodies))

    def test_the_end_is_told_until_it_is_taken(self) -> None:
        session, reports = self.reports(503, 200)
        reports.end(Ending("killed", signal=int(signal.SIGKILL), evidence=("seen",)))
        told = {"agoMs": 0, "how": "killed", "signal": 9, "evidence": ["seen"]}
        self.assertEqual([told, told], [body["end"] for body in session.bodies])
        reports.beat()
        self.assertEqual(2, len(session.bodies))


if __name__ == "__main__":
    unittest.main()
