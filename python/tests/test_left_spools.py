"""Spools that others left in a bad way: half removed, marked, with a damaged state."""

from __future__ import annotations

import io
import sys
import tempfile
import unittest
from pathlib import Path

from fault_proxy import FaultProxy, answer
from scripts import Scripts
from service import KEY, ROOT

sys.path.insert(0, str(ROOT / "python/src"))
from lossless._sender import GaveUp, Sender
from lossless._settings import Settings
from lossless._sync import sync

_RECORDED = """
    import lossless, sys
    run = lossless.init(id=sys.argv[1], mode="offline", config={"lr": 0.5})
    for step in range(50):
        run.log({"x": float(step)}, step=step)
        run.annotate("the same note")
    run.finish(quiet=True)
    """


class _Over:
    """A recording that is over; `give_up_at` asks for patience without end."""

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
        """Its sender ends between the list and the lock, before the lock or behind it."""
        with tempfile.TemporaryDirectory() as root:
            gone, half = Path(root) / "gone", Path(root) / "half"
            half.mkdir()
            out = io.StringIO()
            self.assertEqual(0, sync([gone, half], Settings(self.service.url, KEY, None, Path(root)), out))
            self.assertEqual("gone: was sent meanwhile\nhalf: was sent meanwhile\n", out.getvalue())
            self.assertEqual([], list(Path(root).iterdir()))
            self.assertEqual([], list(Path(tempfile.gettempdir()).glob("lossless-*-gone.lock")))

    def test_a_mark_that_a_killed_sync_left(self) -> None:
        """Only one who asks now gets the spool from a sender that waits."""
        self.script(_RECORDED, "marked")
        [spool] = self.spools()
        (spool / "handover").touch()
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [answer(503)]
            Sender(spool, lambda: KEY, None, _Over(), proxy.url).run()
            self.assertEqual([], proxy.answers)
        self.assertEqual(50, len(self.stored("marked", "x")))

    def test_a_mark_of_now(self) -> None:
        self.script(_RECORDED, "asked")
        [spool] = self.spools()
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [answer(503)] * 1_000
            sender = Sender(spool, lambda: KEY, None, _Over(), proxy.url)
            (spool / "handover").touch()
            self.assertRaises(GaveUp, sender.run)


if __name__ == "__main__":
    unittest.main()
