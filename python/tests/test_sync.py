"""`lossless sync`: beside a recording that goes on, after its end, with the wrong credential."""

from __future__ import annotations

import io
import json
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from fault_proxy import FaultProxy, answer
from scripts import Scripts
from service import KEY, Service
from without_locks import without_locks

from lossless._ground.errors import SettingsError
from lossless._ground.lock import SENDER, WRITER, Busy, Lock, is_recorded
from lossless._ground.settings import Settings
from lossless._sending import columns, patience
from lossless._sending.sync import sync
from lossless._service.login import LoginCredential
from lossless._service.service import Service as Calls

_BETA = "ak_" + "b" * 20 + "2" * 24
_TWICE = """
    import lossless, sys
    run = lossless.init(id=sys.argv[1], mode=sys.argv[2])
    for step in range(100):
        run.log({"x": float(step)}, step=step)
    print(run.directory); input()
    for step in range(100, 200):
        run.log({"x": float(step)}, step=step)
    report = run.finish(quiet=True, timeout=200)
    print(report.lost, report.refused)
    """
_ALL = [(step, float(step)) for step in range(200)]


class _Clock:
    """A clock for the sender that a slow machine does not move."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    time = monotonic

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Sync(Scripts):
    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service({"beta": _BETA})

    def test_beside_a_recording_that_goes_on(self) -> None:
        """The present part is sent; nothing is ended, removed or lost."""
        for mode in ("offline", "online"):
            with self.subTest(mode):
                slug = f"beside/{mode}"
                script = self.started(_TWICE, slug, mode)
                directory = Path(script.line())
                if mode == "online":
                    self.until(lambda slug=slug: self.stored(slug, "x") == _ALL[:100], "the first half arrives")
                    self.assertEqual(1, self.kill_senders())
                result = self.sync()
                self.assertEqual(1, result.returncode)
                self.assertIn("100 points stored; it is still being recorded", result.stdout)
                self.assertEqual(_ALL[:100], self.stored(slug, "x"))
                self.assertEqual("running", self.service.query("query.experiment", experimentSlug=slug)["status"])
                self.assertTrue(directory.is_dir())
                script.go_on()
                self.assertEqual("0 0", script.line())
                self.assertEqual(0, script.ended())
                if mode == "offline":
                    self.sync_until_sent()
                self.assertEqual(_ALL, self.stored(slug, "x"))
                self.assertEqual("done", self.service.query("query.experiment", experimentSlug=slug)["status"])
                self.assertEqual([], self.spools())

    def test_after_the_writer_was_killed(self) -> None:
        script = self.started(_TWICE, "killed", "offline")
        script.line()
        script.kill()
        self.sync_until_sent()
        self.assertEqual(_ALL[:100], self.stored("killed", "x"))
        self.assertEqual("error", self.service.query("query.experiment", experimentSlug="killed")["status"])

    def test_a_worker_that_outlives_its_parent_holds_nothing(self) -> None:
        """Forked children that never log hold neither lock nor pipe: sync takes it for over."""
        text = """
            import os, sys, time, lossless
            run = lossless.init(id="workers", mode="offline")
            run.log({"x": 1.0})
            if os.fork() == 0:
                time.sleep(600)
            print(os.getpid()); input()
            """
        script = self.started(text)
        parent = script.line()
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        script.kill()
        try:
            self.sync_until_sent()
        finally:
            for child in children:
                os.kill(int(child), 9)
        self.assertEqual([(0, 1.0)], self.stored("workers", "x"))

    def test_a_line_longer_than_a_chunk(self) -> None:
        """One call with 40,000 metrics is 1.5 MB: it is sent, and what comes after it too."""
        self.script(
            """
            import lossless
            run = lossless.init(id="long", mode="offline")
            run.log({f"metric/{number:06d}/of/a/long/name": number / 7 for number in range(40_000)}, step=3)
            run.log({"after": 1.0}, step=4)
            run.finish(quiet=True)
            """
        )
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout)
        self.assertIn("40001 points stored", result.stdout)
        self.assertEqual([(4, 1.0)], self.stored("long", "after"))
        self.assertEqual("done", self.service.query("query.experiment", experimentSlug="long")["status"])
        self.assertEqual([], self.spools())

    def test_a_torn_line_is_counted_once(self) -> None:
        """A line without its end keeps nothing from the service; it is told as one, once."""
        script = self.started(_TWICE, "torn", "offline")
        directory = Path(script.line())
        script.kill()
        with open(directory / "events-000001.log", "ab") as file:
            file.write(b"0123abcd " + b"[" * 2_000_000)
        self.assertIn("100 points stored, 1 damaged line left out", self.sync().stdout)
        self.assertEqual("nothing waits to be sent\n", self.sync().stdout)
        self.assertEqual("error", self.service.query("query.experiment", experimentSlug="torn")["status"])

    def test_a_key_of_another_organization_gets_nothing(self) -> None:
        """A spool that is half sent does not go on elsewhere, under whatever key."""
        script = self.started(_TWICE, "half", "offline")
        directory = Path(script.line())
        self.assertEqual(1, self.sync().returncode)
        script.kill()
        result = self.sync("--api-key", _BETA)
        self.assertEqual(1, result.returncode)
        self.assertIn("another organization", result.stdout)
        self.assertTrue(directory.is_dir())
        self.sync_until_sent()
        self.assertEqual(_ALL[:100], self.stored("half", "x"))

    def test_a_key_is_not_shown_to_another_service(self) -> None:
        script = self.started(_TWICE, "elsewhere", "offline")
        script.line()
        script.kill()
        result = self.sync(LOSSLESS_URL="http://127.0.0.1:9")
        self.assertEqual(1, result.returncode)
        told = f"recorded for {self.service.url}, and the credential is for http://127.0.0.1:9"
        self.assertIn(told, result.stdout)
        login = self.service.directory / "config/lossless/login.json"
        login.parent.mkdir(parents=True)
        content = {"url": "http://127.0.0.1:9", "accessToken": "token", "organization": {"id": "o"}}
        login.write_text(json.dumps(content))
        home = str(login.parent.parent)
        self.assertIn(told, self.sync(XDG_CONFIG_HOME=home, LOSSLESS_URL="", LOSSLESS_API_KEY="").stdout)
        with unittest.mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": home}):
            self.assertRaisesRegex(SettingsError, "signed in to http://127.0.0.1:9", LoginCredential(self.service.url))
        self.sync_until_sent()

    def test_patience_begins_with_the_last_answer(self) -> None:
        """A long backlog is not given up for one failure after a while."""
        self.script(
            """
            import lossless
            run = lossless.init(id="patience", mode="offline")
            for step in range(20_000):
                run.log({"x": float(step)}, step=step)
            run.finish(quiet=True)
            """
        )
        clock, out, requests = _Clock(), io.StringIO(), 0
        send = Calls.of_experiment

        def slow(*words: Any) -> bytes:
            """Each request outlasts patience; there are some for each 1,000 points."""
            nonlocal requests
            requests += 1
            clock.now += 100.0
            if requests == 15:
                proxy.answers.append(answer(503))
            return send(*words)

        with (
            FaultProxy(self.service.url) as proxy,
            unittest.mock.patch.dict(os.environ, self.environment()),
            unittest.mock.patch.object(patience, "time", clock),
            unittest.mock.patch.object(Calls, "of_experiment", slow),
            unittest.mock.patch.object(columns, "_POINTS_MIN", 10**9),
        ):
            [spool] = self.spools()
            settings = Settings(self.service.url, KEY, None, spool.parent)
            self.assertEqual(0, sync([spool], settings, out, patience=60.0, url=proxy.url), out.getvalue())
            self.assertEqual([], proxy.answers)
        self.assertIn("20000 points stored", out.getvalue())
        self.assertGreater(requests, 20)

    def test_one_that_another_process_sends_is_not_complete(self) -> None:

        script = self.started(_TWICE, "busy", "offline")
        directory = Path(script.line())
        script.kill()
        lock = Lock(directory, SENDER)
        result = self.sync()
        self.assertEqual(1, result.returncode)
        self.assertIn("is being sent by another process", result.stdout)
        lock.release()
        self.sync_until_sent()

    def test_a_credential_that_no_header_may_have_is_named(self) -> None:
        script = self.started(_TWICE, "header", "offline")
        script.line()
        script.kill()
        result = self.sync("--api-key", "ak_with\nline")
        self.assertEqual(1, result.returncode)
        self.assertNotIn("ak_with", result.stdout + result.stderr)


class Locks(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name) / f"recording-{os.getpid()}"
        self.directory.mkdir()

    def test_held_and_given_back(self) -> None:

        lock = Lock(self.directory, WRITER)
        Lock(self.directory, SENDER).release()
        self.assertTrue(is_recorded(self.directory))
        self.assertRaises(Busy, Lock, self.directory, WRITER)
        lock.release()
        self.assertFalse(is_recorded(self.directory))

    def test_a_file_system_without_locks(self) -> None:
        """The temporary directory's lock is taken; where there are none, sending is not refused."""

        with without_locks(self.directory):
            lock = Lock(self.directory, SENDER)
            self.assertRaises(Busy, Lock, self.directory, SENDER)
            lock.release()
            Lock(self.directory, SENDER).release()
        with without_locks(Path("/")):
            Lock(self.directory, SENDER).release()
            Lock(self.directory, SENDER).release()


if __name__ == "__main__":
    unittest.main()
