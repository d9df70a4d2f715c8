"""Runs the modules of tests whose names come in by lines, one after the other, in this process.

A line of JSON goes out for each: whether it passed, and its report.
"""

from __future__ import annotations

import io
import json
import os
import unittest


def main() -> None:
    # Scripts that the tests start inherit neither.
    names, results = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for name in names:
        report = io.StringIO()
        tests = unittest.defaultTestLoader.loadTestsFromName(name.strip())
        result = unittest.TextTestRunner(report).run(tests)
        # A module without a test succeeds too.
        is_passed = result.wasSuccessful() and result.testsRun > 0
        print(json.dumps({"isPassed": is_passed, "report": report.getvalue()}), file=results, flush=True)


if __name__ == "__main__":
    main()
