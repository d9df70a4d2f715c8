"""Spools that others left in a bad way: half removed, marked, with a damaged state."""

from __future__ import annotations

import io
import shutil
import tempfile
import unittest
from pathlib import Path

from fault_proxy import FaultProxy, answer
from scripts import Scripts

from lossless._ground.fresh_word import fresh_word
from lossless._ground.settings import Settings
from lossless._sending.patience import GaveUp
from lossless._sending.sender import Sender
from lossless._sending.sync import sync

_RECORDED = """
    import lossless, sys
    run = lossless.init(id=sys.argv[1], mode="offline", config={"lr": 0.5})
    for step in range(50):
        run.log({"x": float(step)}, step=step)
        run.annotate("the same note")
    run.finish(quiet=True)
    """


class _Over:
    """A finished recording whose sender never gives up."""

    def __init__(self) -> None:
        self.waits = 0

    def lives(self) -> bool:
        return False

    def is_ending(self) -> bool:
        return True

    def give_up_at(self, trying_since: float) -> float | None:
        return None


class LeftSpools(Scripts):
    def test_one_that_vanishes_is_complete(self) -> None:
        """The sender ends after the spools are listed, before or after the lock is taken."""
        with tempfile.TemporaryDirectory() as root:
            gone, half = Path(root) / f"gone-{fresh_word(8)}", Path(root) / "half"
            half.mkdir()
            out = io.StringIO()
            self.assertEqual(0, sync([gone, half], Settings(self.service.url, self.service.key, None, Path(root)), out))
            self.assertEqual(
                f"{gone.name}: was sent by another process\nhalf: was sent by another process\n", out.getvalue()
            )
            self.assertEqual([], list(Path(root).iterdir()))
            self.assertEqual([], list(Path(tempfile.gettempdir()).glob(f"*{gone.name}*")))

    def test_a_damaged_state(self) -> None:
        """After a loss of power nothing is sent twice or left out, wherever the sender stopped."""
        for requests in (None, 3, 5, 7):
            for damage in (b"", b"\0" * 300, b'{"segment": 1, "off'):
                slug = f"damaged/{requests}/{len(damage)}"
                with self.subTest(slug):
                    self.script(_RECORDED, slug)
                    [spool] = self.spools()
                    if requests is not None:
                        with FaultProxy(self.service.url) as proxy:
                            proxy.answers += [None] * requests + [answer(503)] * 100
                            self.sync("--url", proxy.url, "--patience", "0")
                    (spool / "state.json").write_bytes(damage)
                    result = self.sync()
                    self.assertEqual(0, result.returncode, result.stdout)
                    self.assertIn("50 points stored; its state was damaged", result.stdout)
                    self.check(slug, 50)

    def test_a_damaged_state_of_one_that_was_sent(self) -> None:
        """Times and config stay, and data that was sent and removed is not missed."""
        self.script(_RECORDED, "sent")
        [spool] = self.spools()
        copy = self.service.directory / "copy" / spool.name
        shutil.copytree(spool, copy)
        self.sync_until_sent()
        before = self.record("sent")
        (copy / "events-000001.log").rename(copy / "events-000004.log")
        (copy / "state.json").write_bytes(b"")
        self.assertEqual(0, self.sync(str(copy)).returncode)
        self.check("sent", 50)
        times = [(one["startedAtMs"], one["doneAtMs"] or one["status"]) for one in (before, self.record("sent"))]
        self.assertEqual(times[0], times[1])

    def check(self, slug: str, count: int) -> None:
        self.assertEqual([(step, float(step)) for step in range(count)], self.stored(slug, "x"))
        self.assertEqual(["the same note"] * count, [one["annotation"] for one in self.service.annotations(slug)])
        record = self.record(slug)
        self.assertEqual(("done", {"lr": 0.5}), (record["status"], record["meta"]))
        self.assertEqual([], self.spools())

    def test_a_mark_that_a_killed_sync_left(self) -> None:
        """A waiting sender hands its spool only to a process that asks now."""
        self.script(_RECORDED, "marked")
        [spool] = self.spools()
        (spool / "handover").touch()
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [answer(503)]
            Sender(spool, lambda: self.service.key, None, _Over(), proxy.url).run()
            self.assertEqual([], proxy.answers)
        self.assertEqual(50, len(self.stored("marked", "x")))

    def test_a_mark_of_now(self) -> None:
        self.script(_RECORDED, "asked")
        [spool] = self.spools()
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [answer(503)] * 1_000
            sender = Sender(spool, lambda: self.service.key, None, _Over(), proxy.url)
            (spool / "handover").touch()
            self.assertRaises(GaveUp, sender.run)


if __name__ == "__main__":
    unittest.main()
