"""Spools as a loss of power leaves them: without a head, or with anything at their ends."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from fault_proxy import FaultProxy, answer
from scripts import Over, Scripts

from lossless._sending.sender import Sender
from lossless._spool.head import segment_path
from lossless._values.records import line_of

_RECORDED = """
    import lossless, sys
    run = lossless.init(id=sys.argv[1], mode="offline", config={"lr": 0.5})
    for step in range(50):
        run.log({"x": float(step)}, step=step)
        run.annotate("the same note")
    if len(sys.argv) == 2:
        run.finish(quiet=True)
    else:
        import os; os.kill(os.getpid(), 9)
    """
_POINTS = [(step, float(step)) for step in range(50)]
_POINT = line_of('["m",10000,0,7,{"behind":1.0},null]')


class DamagedSpools(Scripts):
    def recorded(self, slug: str, *how: str) -> Path:
        self.file(_RECORDED, slug, *how)
        [spool] = self.spools()
        return spool

    def check(self, slug: str, status: str = "done") -> None:
        self.assertEqual(_POINTS, self.stored(slug, "x"))
        self.assertEqual(["the same note"] * 50, [one["annotation"] for one in self.service.annotations(slug)])
        self.assertEqual((status, {"lr": 0.5}), (self.record(slug)["status"], self.record(slug)["meta"]))
        self.assertEqual([], self.spools())
        self.assertEqual("nothing waits to be sent\n", self.sync().stdout)

    # ---- the head

    def test_a_head_that_is_damaged(self) -> None:
        """The log has the head too: everything is sent, and the directory is removed."""
        damages = {
            "gone": None,
            "empty": b"",
            "zeros": b"\0" * 300,
            "torn": b'{"url": "http://127.0.0.1:1", "sl',
            "no-text": b"\xff\xfe\x00",
            "a-list": b"[]",
            "no-names": b'{"format": 1}',
            "other-kinds": b'{"format": 1, "url": 5, "slug": [], "folder": 1, "prefix": null, "is_primary": 0}',
        }
        for name, damage in damages.items():
            with self.subTest(name):
                spool = self.recorded(f"head/{name}")
                if damage is None:
                    (spool / "run.json").unlink()
                else:
                    (spool / "run.json").write_bytes(damage)
                result = self.sync()
                self.assertEqual(0, result.returncode, result.stdout + result.stderr)
                self.assertIn("50 points stored", result.stdout)
                self.check(f"head/{name}")

    def test_one_of_before_without_any_head(self) -> None:
        """The log of 0.1.0 has none: what to do is said, and `--slug` sends it once."""
        spool = self.recorded("old")
        self.take_head(spool)
        (spool / "run.json").write_bytes(b"")
        for _ in range(2):
            result = self.sync()
            self.assertEqual((1, ""), (result.returncode, result.stderr))
            self.assertIn("nothing else names its experiment. To send it: ", result.stdout)
            self.assertIn(f"lossless sync {spool} --url {self.service.url} --slug NAME", result.stdout)
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [None] * 6 + [answer(503)] * 100
            self.sync(str(spool), "--slug", "old", "--url", proxy.url, "--patience", "0")
        result = self.sync(str(spool), "--slug", "old")
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.check("old")

    def test_one_of_before_is_sent_as_ever(self) -> None:
        spool = self.recorded("plain")
        self.take_head(spool)
        self.assertEqual(0, self.sync().returncode)
        self.check("plain")

    def test_one_of_which_the_service_has_a_part(self) -> None:
        """The sender finds the experiment by the id in the state."""
        spool = self.recorded("part")
        self.take_head(spool)
        with FaultProxy(self.service.url) as proxy:
            proxy.answers += [None] * 6 + [answer(503)] * 100
            self.sync("--url", proxy.url, "--patience", "0")
        (spool / "run.json").unlink()
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.check("part")

    def test_a_slug_is_for_what_does_not_say_its_own(self) -> None:
        spool = self.recorded("named")
        result = self.sync(str(spool), "--slug", "other")
        self.assertEqual(1, result.returncode)
        self.assertIn("it belongs to named", result.stdout)
        self.assertEqual(0, self.sync(str(spool), "--slug", "named").returncode)
        self.check("named")

    def test_one_that_holds_nothing(self) -> None:
        """A spool without data is removed; one that cannot be read is reported."""
        for content in (b"", b"\0" * 4096, b"no line of ours\n"):
            with self.subTest(content[:9]):
                spool = self.recorded("nothing")
                (spool / "run.json").write_bytes(b"")
                segment_path(spool, 1).write_bytes(content)
                result = self.sync()
                if content.strip(b"\0"):
                    self.assertEqual(1, result.returncode)
                    self.assertIn(
                        f"none of its lines can be read, so there is nothing to send; remove {spool}", result.stdout
                    )
                else:
                    self.assertEqual(0, result.returncode, result.stdout)
                    self.assertIn("nothing was recorded in it", result.stdout)
                    self.assertEqual([], self.spools())

    def take_head(self, spool: Path) -> None:
        log = segment_path(spool, 1)
        head, _, rest = log.read_bytes().partition(b"\n")
        self.assertEqual("h", json.loads(head[9:])[0])
        log.write_bytes(rest)

    # ---- the end

    def test_what_stands_behind_the_end(self) -> None:
        """Lines behind the end are ignored and reported, and do not keep the directory."""
        tails = {
            "zeros": (b"\0" * 4096, "1 damaged line after its end"),
            "torn": (_POINT[:-9], "1 damaged line after its end"),
            "garbage": (b"\x07\n\xff\xff\n" + b"x" * 70_000, "3 damaged lines after its end"),
            "a-line": (_POINT, "1 line after its end"),
            "zeros-and-lines": (b"\0" * 100 + _POINT + _POINT, "2 lines after its end"),
        }
        for name, (tail, told) in tails.items():
            with self.subTest(name):
                spool = self.recorded(f"behind/{name}")
                with open(segment_path(spool, 1), "ab") as file:
                    file.write(tail)
                result = self.sync()
                self.assertEqual(0, result.returncode, result.stdout)
                self.assertIn(f"50 points stored, {told} left out\n", result.stdout)
                self.assertEqual([], self.stored(f"behind/{name}", "behind"))
                self.check(f"behind/{name}")

    def test_behind_an_end_that_was_sent_before(self) -> None:
        """A sender that died behind the end has left it so."""
        spool = self.recorded("sent")
        Sender(spool, lambda: self.service.key, None, Over(), self.service.url).run()
        self.assertEqual("done", self.record("sent")["status"])
        with open(segment_path(spool, 1), "ab") as file:
            file.write(b"\0" * 4096)
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout)
        self.assertIn("50 points stored, 1 damaged line after its end left out", result.stdout)
        self.check("sent")

    def test_at_the_end_of_one_that_was_killed(self) -> None:
        for name, tail in {"zeros": b"\0" * 4096, "torn": _POINT[:-9], "lines": b"\x07\n\xff\n"}.items():
            with self.subTest(name):
                spool = self.recorded(f"killed/{name}", "killed")
                with open(segment_path(spool, 1), "ab") as file:
                    file.write(tail)
                result = self.sync()
                self.assertEqual(0, result.returncode, result.stdout)
                count = "2 damaged lines" if name == "lines" else "1 damaged line"
                self.assertIn(f"50 points stored, {count} left out\n", result.stdout)
                self.check(f"killed/{name}", "error")

    def test_a_damaged_line_between_others_stays_to_be_seen(self) -> None:
        """The line was recorded, so the report says where it is, and how to remove it."""
        spool = self.recorded("between")
        log = segment_path(spool, 1)
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join([*lines[:20], b"damaged\n", *lines[20:]]))
        for _ in range(2):
            result = self.sync()
            self.assertEqual(0, result.returncode, result.stdout)
            self.assertIn(f"1 damaged line left out (it stays in {spool} until you remove it)", result.stdout)

    def test_the_ends_of_the_other_files(self) -> None:
        """A line without an end is ignored in the media and the machine's metrics, too."""
        spool = self.recorded("others")
        for name in ("media.log", "system.log"):
            (spool / name).write_bytes(b"damaged\n" + b"\0" * 4096)
        result = self.sync()
        self.assertEqual(0, result.returncode, result.stdout)
        self.check("others")


if __name__ == "__main__":
    unittest.main()
