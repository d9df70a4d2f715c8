"""An older recording that is sent later changes nothing of a newer one, and no config is lost."""

from __future__ import annotations

import json
import os
import time
import unittest
from pathlib import Path
from typing import Any

from fault_proxy import FaultProxy
from scripts import Scripts

_TRAIN = """
    import lossless, sys
    lr, mode, end = sys.argv[1:]
    run = lossless.init(id="same", config={"lr": float(lr)}, mode=mode)
    run.log({"x": float(lr)}, step=int(float(lr)))
    if end == "wait":
        print(run.directory); input()
    if end == "done":
        run.finish(quiet=True)
    import os; os._exit(0)
    """


class _Trainings(Scripts):
    def environment(self, **variables: str) -> dict[str, str]:
        """The developer's own starts are not known here."""
        state = str(self.service.directory / f"{self._testMethodName}-state")
        return super().environment(**{"XDG_STATE_HOME": state, **variables})

    def setUp(self) -> None:
        self.slug = self._testMethodName
        self.train = _TRAIN.replace('"same"', json.dumps(self.slug))

    def in_order(self) -> list[Path]:
        return sorted(
            self.spools(), key=lambda spool: int(json.loads((spool / "run.json").read_text())["created_at_ms"])
        )

    def said(self) -> tuple[str, Any, list[Any]]:
        record = self.record(self.slug)
        metas = [one["meta"] for one in self.service.annotations(self.slug)]
        notes = [meta["config"] for meta in metas if meta["kind"] == "config"]
        return record["status"], record["meta"], notes


class NewerRecordings(_Trainings):
    def test_an_old_one_is_sent_after_a_newer_one(self) -> None:
        self.script(self.train, "1", "offline", "killed")
        self.script(self.train, "2", "online", "done")
        before = self.record(self.slug)["doneAtMs"]
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout)
        self.assertIn("a newer recording", result.stdout)
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())
        self.assertEqual(before, self.record(self.slug)["doneAtMs"])
        self.assertEqual([(1, 1.0), (2, 2.0)], self.stored(self.slug, "x"))
        self.assertEqual([], self.spools())

    def test_the_newer_one_ran_on_another_machine(self) -> None:
        """This machine only knows when the newer one was started."""
        self.script(self.train, "1", "offline", "killed")
        [old] = self.spools()
        for path in old.glob("events-*"):
            os.utime(path, (time.time() - 60, time.time() - 60))
        info = json.loads((old / "run.json").read_text())
        (old / "run.json").write_text(json.dumps({**info, "created_at_ms": info["created_at_ms"] - 60_000}))
        self.script(self.train, "2", "online", "done", XDG_STATE_HOME=str(self.service.directory / "elsewhere"))
        self.sync_until_sent()
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())

    def test_in_their_order_the_last_one_stays(self) -> None:
        """The first one's start is sent when the second is over too: it is not newer for that."""
        self.script(self.train, "1", "offline", "killed")
        self.script(self.train, "2", "offline", "done")
        first, second = self.in_order()
        self.assertEqual(0, self.sync(str(first)).returncode)
        self.assertEqual("error", self.said()[0])
        self.assertEqual(0, self.sync(str(second)).returncode)
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())

    def test_against_their_order_too(self) -> None:
        self.script(self.train, "1", "offline", "killed")
        self.script(self.train, "2", "offline", "done")
        for spool in reversed(self.in_order()):
            self.assertEqual(0, self.sync(str(spool)).returncode)
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())

    def test_a_killed_one_was_begun_again_meanwhile(self) -> None:
        """The opening has reached the service, the points and the end have not."""
        first = self.started(self.train, "1", "online", "wait")
        first.line()
        self.until(lambda: self.stored(self.slug, "x"), "it arrives")
        self.kill_senders()
        first.kill()
        second = self.started(self.train, "2", "online", "wait")
        second.line()
        self.until(lambda: len(self.stored(self.slug, "x")) == 2, "the second one arrives")
        self.sync()
        self.assertEqual(("running", {"lr": 2}, [{"lr": 1}]), self.said())


class EarlierConfig(_Trainings):
    """Configs that later recordings of the same name replace."""

    def test_the_reply_to_the_opening_is_lost(self) -> None:
        self.script(self.train, "1", "online", "done")
        self.script(self.train, "2", "offline", "done")
        with FaultProxy(self.service.url) as proxy:
            proxy.lose_reply_to = "experiment.open"
            result = self.sync("--url", proxy.url)
            self.assertEqual(0, result.returncode, result.stdout)
            self.assertEqual((1, 2), (proxy.faults, proxy.count("svc.v2.experiment.open")))
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())

    def test_the_sender_dies_behind_the_opening(self) -> None:
        self.script(self.train, "1", "online", "done")
        self.script(self.train, "2", "offline", "done")
        [spool] = self.spools()
        with FaultProxy(self.service.url) as proxy:
            proxy.lose_reply_to = "experiment.annotate"
            # The note is lost on its way, and that was the last attempt.
            proxy.is_lost_on_the_way = True
            self.assertEqual(1, self.sync("--url", proxy.url, "--patience", "0").returncode)
        self.assertEqual({"lr": 2}, self.record(self.slug)["meta"])
        self.assertIsNotNone(json.loads((spool / "state.json").read_text())["experiment_id"])
        self.sync_until_sent()
        self.assertEqual(("done", {"lr": 2}, [{"lr": 1}]), self.said())


if __name__ == "__main__":
    unittest.main()
