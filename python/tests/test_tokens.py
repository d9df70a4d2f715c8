"""Tokens that end during a recording, and openings that leave others' changes alone."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from typing import Any

from fault_proxy import FaultProxy, answer
from scripts import Scripts
from service import KEY, ROOT, Service

from lossless._ground.errors import RequestRefused
from lossless._service.service import Service as Client
from lossless._service.session import Session

_HALVES = """
    import lossless, sys
    run = lossless.init(id=sys.argv[1], notes="first", config={"lr": 1})
    for step in range(50):
        run.log({"x": float(step)}, step=step)
    print("half"); input()
    for step in range(50, 100):
        run.log({"x": float(step)}, step=step)
    print("whole"); input()
    report = run.finish(quiet=True)
    print(report.is_complete, report.stored, report.refusals)
    """
_ALL = [(step, float(step)) for step in range(100)]


class ShiftedService(Service):
    """The real service, whose clock the test sets forward."""

    def shift(self, milliseconds: int) -> None:
        path = self.directory / "clock.partial"
        path.write_text(str(milliseconds))
        os.replace(path, self.directory / "clock")

    def _started(self, environment: dict[str, str], flags: list[str], log: Any) -> subprocess.Popen[str]:
        self.shift(0)
        clock = {
            "NODE_OPTIONS": f"--import {ROOT / 'test/shifted-clock.ts'}",
            "LOSSLESS_TEST_CLOCK": str(self.directory / "clock"),
        }
        return super()._started({**environment, **clock}, flags, log)


class Tokens(Scripts):
    service: ShiftedService

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = ShiftedService()

    def open(self, slug: str, description: str, meta: dict[str, Any]) -> None:
        self.service.query("experiment.open", slug=slug, description=description, meta=meta)

    def content(self, slug: str) -> tuple[str, dict[str, Any]]:
        record = self.service.query("query.experiment", experimentSlug=slug)
        return record["description"], record["meta"]

    def folder(self, slug: str) -> str | None:
        """Returns the name of its folder; None: the root."""
        folders = self.service.query("foldertree.read")["folders"]
        while folders:
            folder = folders.pop()
            if slug in [one["slug"] for one in folder["experiments"]]:
                return str(folder["name"])
            folders += folder["folders"]
        return None

    def test_an_expired_token_is_replaced(self) -> None:
        """After 25 hours the slug is opened again unchanged, although it was edited meanwhile."""
        script = self.started(_HALVES, "expired")
        self.assertEqual("half", script.line())
        self.until(lambda: self.stored("expired", "x") == _ALL[:50], "the first half arrives")
        self.open("expired", "edited", {"lr": 1, "by": "somebody"})
        self.service.shift(25 * 3_600_000)
        try:
            script.go_on()
            self.assertEqual("whole", script.line())
            self.until(lambda: self.stored("expired", "x") == _ALL, "the second half arrives")
            script.go_on()
            self.assertEqual("True 100 []", script.line())
        finally:
            self.service.shift(0)
        self.assertEqual(("edited", {"lr": 1, "by": "somebody"}), self.content("expired"))

    def test_a_token_is_refreshed_at_half_of_its_life(self) -> None:
        text = """
            import lossless, threading
            run = lossless.init(id="short")
            go_on = threading.Event()
            threading.Thread(target=lambda: (input(), go_on.set()), daemon=True).start()
            step = 0
            while not go_on.wait(0.01):
                run.log({"x": float(step)}, step=step)
                step += 1
            report = run.finish(quiet=True)
            print(step, report.stored, report.is_complete)
            """
        with FaultProxy(self.service.url, lifetime_ms=1_000) as proxy:
            script = self.started(text, LOSSLESS_URL=proxy.url)
            self.until(lambda: proxy.count("experiment.tokenRefresh") > 0, "the token is refreshed")
            script.go_on()
            steps, stored, is_complete = script.line().split()
            self.assertEqual((steps, "True"), (stored, is_complete))
            self.assertEqual(1, proxy.count("experiment.open"))
        self.assertEqual([(step, float(step)) for step in range(int(steps))], self.stored("short", "x"))

    def test_what_init_does_not_give_stays(self) -> None:
        """A second script that records into an experiment takes nothing away from it."""
        given = "import lossless; lossless.init('pp', id='kept', notes='why', config={'lr': 1}, folder='team').finish()"
        self.script(given)
        self.assertEqual(("why", {"lr": 1}), self.content("pp/kept"))
        self.script("import lossless; r = lossless.init('pp', id='kept'); r.log({'eval': 1.0}); r.finish()")
        self.assertEqual(("why", {"lr": 1}), self.content("pp/kept"))
        self.assertEqual("team", self.folder("pp/kept"))
        self.script("import lossless; lossless.init('pp', id='kept', notes='new', folder='other').finish()")
        self.assertEqual(("new", {"lr": 1}), self.content("pp/kept"))
        self.assertEqual("other", self.folder("pp/kept"))
        self.script("import lossless; lossless.init('pp', id='fresh').finish()")
        self.assertEqual("pp", self.folder("pp/fresh"))

    def test_what_the_service_refuses_of_an_opening_is_named(self) -> None:
        """A refused folder or config keeps no point from the service."""
        text = """
            import json, lossless, sys
            from zlib import crc32
            run = lossless.init(id="refused", mode="offline")
            path = run.directory / "events-000001.log"
            opening = {"description": "no \\0 here", "meta": {"lr": 1}, "folder": ["team", " ", "x"]}
            body = json.dumps(["o", opening]).encode()
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"%08x %b\\n" % (crc32(body), body) + b"".join(lines[1:]))
            run.log({"x": 1.0})
            run.finish(quiet=True)
            """
        self.script(text)
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout)
        self.assertIn("1 point stored, 2 refused", result.stdout)
        state = (self.spools()[0] / "state.json").read_text()
        self.assertIn('"write": "description"', state)
        self.assertIn('"write": "folder"', state)
        self.assertEqual(("", {"lr": 1}), self.content("refused"))

    def test_a_later_rank_changes_nothing(self) -> None:
        """Additions of the first rank to the config stay, also after this token has ended."""
        rank = {"RANK": "1", "WORLD_SIZE": "2"}
        self.open("ranks", "of rank 0", {"lr": 1})
        script = self.started(_HALVES, "ranks", **rank)
        self.assertEqual("half", script.line())
        self.until(lambda: len(self.stored("ranks", "x")) == 50, "the first half arrives")
        self.open("ranks", "of rank 0", {"lr": 1, "model_parameters": 7})
        self.service.shift(25 * 3_600_000)
        try:
            script.go_on()
            self.assertEqual("whole", script.line())
            self.until(lambda: len(self.stored("ranks", "x")) == 100, "the second half arrives")
            script.go_on()
            self.assertEqual("True 100 []", script.line())
        finally:
            self.service.shift(0)
        self.assertEqual(("of rank 0", {"lr": 1, "model_parameters": 7}), self.content("ranks"))

    def test_a_rank_that_opens_at_the_same_moment_undoes_nothing(self) -> None:
        """A rank read the record before the first one's change, and sends later."""
        self.open("moment", "old", {"lr": 1})
        script = self.started(_HALVES.replace('{"lr": 1}', '{"lr": 2}'), "moment")
        self.assertEqual("half", script.line())
        self.until(lambda: len(self.stored("moment", "x")) == 50, "the first half arrives")
        self.assertEqual(("first", {"lr": 2}), self.content("moment"))
        self.open("moment", "old", {"lr": 1})
        script.go_on()
        self.assertEqual("whole", script.line())
        script.go_on()
        self.assertEqual("True 100 []", script.line())
        self.assertEqual(("first", {"lr": 2}), self.content("moment"))

    def test_an_edit_between_reading_and_opening_stays(self) -> None:
        """Somebody adds a tag after the client has read the record: the opening adds to that."""
        self.open("between", "before", {"_tags": ["a"]})
        client = Client(self.service.url, lambda: KEY)
        self.addCleanup(client.close)
        session = Session(client, "between", "", {})
        read, edits = session.record, [["a", "b"], ["a", "b", "c"]]

        def and_edited() -> Any:
            record = read()
            if edits:
                self.open("between", "before", {"_tags": edits.pop(0)})
            return record

        session.record = and_edited  # type: ignore[method-assign]
        session.open({"description": "ours"})
        self.assertEqual(("ours", {"_tags": ["a", "b", "c"]}), self.content("between"))

    def test_an_older_service_gets_openings_that_it_knows(self) -> None:
        refusal = json.dumps({"error": {"message": "[0].data.seenUpdatedAtMs is not a known field."}})
        with FaultProxy(self.service.url) as proxy:
            client = Client(proxy.url, lambda: KEY)
            self.addCleanup(client.close)
            session = Session(client, "older", "", {})
            session.open()
            record, session.record = session.record(), lambda: record  # type: ignore[method-assign]
            proxy.answers.append(answer(400, refusal, "application/json"))
            session.open({"description": "ours"})
        self.assertEqual(("ours", {}), self.content("older"))

    def test_a_lost_reply_to_an_opening_overwrites_nobody(self) -> None:
        """The opening arrived, its reply did not, and somebody has written since: theirs stays."""

        self.open("lost", "before", {})
        with FaultProxy(self.service.url) as proxy:
            client = Client(proxy.url, lambda: KEY)
            self.addCleanup(client.close)
            session = Session(client, "lost", "", {})
            record, session.record = session.record(), lambda: record  # type: ignore[method-assign]
            proxy.answers.append(answer(502))
            with self.assertRaises(RequestRefused):
                session.open({"description": "ours"})
            del session.record
            self.open("lost", "theirs", {"a": 1})
            session.open({"description": "ours"})
        self.assertEqual(("theirs", {"a": 1}), self.content("lost"))


if __name__ == "__main__":
    unittest.main()
