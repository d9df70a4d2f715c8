"""The Python examples of the README run unchanged."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
import unittest
from collections.abc import Callable

from service import ROOT, Service


def block_after(title: str, text: str) -> str:
    return re.split(r"^```(?:python)?$", text.split(title, 1)[1], flags=re.MULTILINE)[1]


# Slow enough to be killed in the middle; repeats its numbers, and counts the steps that began.
_PRELUDE = """
import os, random, time
random.seed(7)
draw = random.random
begun = os.open(os.environ["BEGUN"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def slow():
    time.sleep(0.001)
    os.write(begun, b".")
    return draw()
random.random = slow
"""


class Readme(unittest.TestCase):
    program = block_after("## A first curve, from Python", (ROOT / "README.md").read_text("utf-8")).strip()

    def test_the_first_curve_survives_kill_9_of_the_service_and_of_itself(self) -> None:
        for victim in ("service", "script"):
            with self.subTest(victim), Service() as service:
                begun = service.directory / "begun"
                script = subprocess.Popen(
                    [sys.executable, "-c", _PRELUDE + self.program],
                    env=service.environment(BEGUN=str(begun)),
                    stderr=subprocess.DEVNULL,
                )
                self._until(lambda: begun.exists() and begun.stat().st_size > 700, "700 steps")
                if victim == "service":
                    service.kill()
                    self._until(lambda: begun.stat().st_size > 1_400, "1,400 steps")
                    service.start()
                    self.assertEqual(0, script.wait(120))
                else:
                    script.kill()
                    script.wait()
                steps = begun.stat().st_size
                self._until(lambda: self._stored(service) >= 2 * (steps - 1), "all points are stored")
                self._check_curve(service, steps)

    def _stored(self, service: Service) -> int:
        return sum(len(rows) for rows in self._points(service).values())

    def _points(self, service: Service) -> dict[str, list[tuple[int, float, dict[str, str]]]]:
        folders = service.query("foldertree.read")["folders"]
        # The folder is made first, the experiment comes into it then.
        experiments = folders[0]["experiments"] if folders else []
        return service.points(experiments[0]["slug"]) if experiments else {}

    def _check_curve(self, service: Service, steps: int) -> None:
        """The last step may be missing, if the kill came first. No other, and none twice."""
        generator = random.Random(7)
        weight, errors, weights = 0.0, [], []
        for _ in range(steps):
            x = generator.random()
            error = weight * x - 3 * x
            weight -= 0.05 * error * x
            errors.append(error * error)
            weights.append(weight)
        points = self._points(service)
        for name, expected in (("train/loss", errors), ("weight", weights)):
            found = [value for _, value, _ in points[name]]
            self.assertIn(len(found), (steps - 1, steps))
            self.assertEqual(list(range(len(found))), [step for step, _, _ in points[name]])
            self.assertEqual(expected[: len(found)], found)

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + 240
        while not condition():
            if time.monotonic() > end:
                self.fail(f"not within four minutes: {what}")
            time.sleep(0.05)

    def test_the_first_curve(self) -> None:
        """At most 12 lines train a model of one weight for 3,000 steps; the curve comes back."""
        program = self.program
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
