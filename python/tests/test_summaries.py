"""What a script puts into the summary."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import unittest

from service import Service


class Summaries(unittest.TestCase):
    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.close()

    def script(self, text: str) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(text)],
            env=self.service.environment(spool=self._testMethodName),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def test_a_value_that_is_too_large_does_not_cost_the_others(self) -> None:
        result = self.script(
            """
            import lossless
            run = lossless.init(id="large", config={"lr": 1, "table": "x" * 70_000})
            run.summary["preds"] = ["x" * 100] * 1000
            run.summary.update({"best": 1, "note": "é" * 20_000})
            report = run.finish()
            assert report.refused == 1, report
            """
        )
        [note] = self.service.annotations("large")
        self.assertEqual({"kind": "summary", "summary": {"best": 1, "note": "é" * 20_000}}, note["meta"])
        self.assertIn("the summary has more than", result.stderr)
        self.assertIn("without 'preds'", result.stderr)
        self.assertIn("the config has over 65536 bytes: without 'table'", result.stderr)
        self.assertEqual({"lr": 1}, self.service.query("query.experiment", experimentSlug="large")["meta"])


if __name__ == "__main__":
    unittest.main()
