"""Calls of a callback after its experiment's end, with a stand-in and the real service."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import unittest
from typing import Any

from service import ROOT, WithService

_HEAD = """
import copy
import lossless
from transformers import Trainer
from lossless.integrations.transformers import LosslessCallback
"""


class Reopening(WithService):
    def run_script(self, text: str) -> list[str]:
        words = [sys.executable, "-W", "error", "-c", _HEAD + textwrap.dedent(text)]
        paths = f"{ROOT / 'python/src'}:{ROOT / 'python/tests/stand_ins'}"
        environment = {**self.service.environment(spool=self._testMethodName), "PYTHONPATH": paths}
        result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout.splitlines()

    def losses(self, slug: str) -> dict[str, list[tuple[int, float]]]:
        points = self.service.points(slug)
        return {name: [row[:2] for row in rows] for name, rows in points.items() if name.endswith("/loss")}

    def record(self, slug: str) -> Any:
        return self.service.query("query.experiment", experimentSlug=slug)

    def test_of_a_copy(self) -> None:
        """The original ends first; the copy goes on in its experiment, and ends it."""
        slugs = self.run_script("""
            for number, made in enumerate((copy.copy, copy.deepcopy)):
                callback = LosslessCallback(project="copies")
                trainer = Trainer([callback])
                trainer.train([0.5])
                print(slug := callback._recording.experiment.slug)
                other = made(callback._recording)
                callback.finish()
                assert other.experiment.slug == slug, (other.experiment.slug, slug)
                other.experiment.log({"eval/loss": 0.25 + number}, 1)
                other.finish()
        """)
        self.assertEqual(2, len(set(slugs)))
        for number, slug in enumerate(slugs):
            self.assertEqual({"train/loss": [(1, 0.5)], "eval/loss": [(1, 0.25 + number)]}, self.losses(slug))
            self.assertEqual("done", self.record(slug)["status"])

    def test_nothing_of_the_record_is_altered(self) -> None:
        self.run_script("""
            callback = LosslessCallback(project="meta", id="first", notes="before", tags=["a"], config={"lr": 0.5})
            trainer = Trainer([callback])
            trainer.train([0.5])
            lossless.finish()
        """)
        before = self.record("meta/first")
        for changes in ("pass", "run.notes = 'after'; run.tags = ['b']; run.group = 'g'; run.name = 'shown'"):
            self.run_script(f"""
                callback = LosslessCallback(project="meta", id="first", notes="before", tags=["a"], config={{"lr": 0.5}})
                trainer = Trainer([callback])
                trainer.train([0.5])
                run = callback._recording.experiment
                {changes}
                run.finish()
                trainer.evaluate(0.25)
            """)
            record = self.record("meta/first")
            if changes == "pass":
                self.assertEqual(before["meta"], record["meta"])
                self.assertEqual(before["description"], record["description"])
        expected = {**before["meta"], "_name": "shown", "_tags": ["b"], "_group": "g"}
        self.assertEqual((expected, "after"), (record["meta"], record["description"]))


if __name__ == "__main__":
    unittest.main()
