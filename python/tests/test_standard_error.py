"""Scripts whose stderr takes nothing: they record as well."""

from __future__ import annotations

import sys
import unittest

from scripts import Scripts

_TRAINING = """
    import os, sys, warnings
    import lossless
    out = os.fdopen(os.dup(1), "w")
    def lose():
        way = sys.argv[1]
        if way == "closed":
            sys.stderr.close()
        elif way == "none":
            sys.stderr = None
        elif way == "full":
            os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
        elif way == "pipe":
            read, write = os.pipe()
            os.dup2(write, 2)
            os.close(write)
            os.close(read)
        else:
            class Raises:
                def write(self, text): raise LookupError(text)
                def flush(self): pass
            sys.stderr = Raises()
    if sys.argv[2] == "before": lose()
    run = lossless.init("dark", sys.argv[1] + sys.argv[2], config={"a": 1})
    if sys.argv[2] == "after": lose()
    run.log({"x": 0.5, "bad": None}, step=0)
    run.config.update({"big": "x" * 100_000})
    lossless.watch()
    lossless.agent("sweep", print)
    lossless.termlog("hello")
    report = run.finish()
    run.log({"x": 1.0})
    print(report.is_complete, report.stored, report.refused, file=out, flush=True)
"""


class StandardError(Scripts):
    def test_it_takes_nothing(self) -> None:
        ways = ["closed", "none", "raises", "pipe"] + (["full"] if sys.platform == "linux" else [])
        for way in ways:
            for when in ("before", "after"):
                with self.subTest(way=way, when=when):
                    result = self.good_file(_TRAINING, way, when)
                    self.assertEqual("True 1 1", result.stdout.strip())


if __name__ == "__main__":
    unittest.main()
