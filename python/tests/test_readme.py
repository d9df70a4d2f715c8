"""What the README says of Python is run as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest

from service import ROOT, Service


def block_after(title: str, text: str) -> str:
    return re.split(r"^```(?:python)?$", text.split(title, 1)[1], flags=re.MULTILINE)[1]


class Readme(unittest.TestCase):
    def test_the_first_curve(self) -> None:
        """At most 12 lines train a model of one weight for 3,000 steps, and the curve comes back."""
        program = block_after("## A first curve, from Python", (ROOT / "README.md").read_text("utf-8")).strip()
        self.assertLessEqual(len([line for line in program.splitlines() if line]), 12)
        # The same numbers, kept by the script itself.
        told = "\nimport json, sys\nprint(json.dumps([error, weight]))"
        with Service() as service:
            ran = subprocess.run(
                [sys.executable, "-W", "error", "-c", program + told],
                env=service.environment(),
                capture_output=True,
                text=True,
                timeout=120,
            )
            self.assertEqual(0, ran.returncode, ran.stderr)
            self.assertIn("6000 points stored", ran.stderr)
            tree = service.query("foldertree.read")
            [folder] = tree["folders"]
            self.assertEqual("first-python", folder["name"])
            points = service.points(folder["experiments"][0]["slug"])
            error, weight = (float(each) for each in ran.stdout.strip("[]\n").split(","))
            self.assertEqual(list(range(3000)), [step for step, _, _ in points["weight"]])
            self.assertEqual((weight, error * error), (points["weight"][-1][1], points["train/loss"][-1][1]))
            self.assertAlmostEqual(3.0, weight, places=3)


if __name__ == "__main__":
    unittest.main()
