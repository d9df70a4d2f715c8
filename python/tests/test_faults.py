"""Recordings through a network that breaks, delays and cuts: everything arrives, exactly once."""

from __future__ import annotations

import random
import sys
import time
import unittest

from fault_proxy import FaultProxy, answer
from scripts import Scripts

_SEED = 7
# 5,000 points as columns are some 200 kB, and each of a few connections is to break soon.
_FAULT_BYTES = 60_000


class Faults(Scripts):
    def test_a_recording_through_broken_connections(self) -> None:
        """Requests get lost, replies too, or are cut: points, notes, start and done happen once."""
        text = """
            import lossless, sys, time
            run = lossless.init(id=sys.argv[1], notes="of a broken network", config={"lr": 0.1})
            for step in range(5000):
                run.log({"x": step / 7}, step=step)
                if step % 50 == 0:
                    run.annotate(f"note {step}", {"step": step})
                if step % 100 == 0:
                    run.annotate("the same again")
                if step % 40 == 0:
                    run.log({"bad": float("nan")}, step=step)
                    time.sleep(0.02)
            run.finish(quiet=True, timeout=120)
            """
        for seed in (_SEED, random.SystemRandom().randrange(10**6)):
            slug = f"broken/{seed}"
            with self.subTest(seed=seed), FaultProxy(self.service.url, seed, fault_bytes=_FAULT_BYTES) as proxy:
                print(f"faults with seed {seed}", file=sys.stderr)
                self.script(text, slug, LOSSLESS_URL=proxy.url)
                self.assertGreater(proxy.faults, 3, "the proxy has broken something")
                proxy.fault_bytes = 0
                self.until(lambda: not self.spools() or self.sync("--url", proxy.url).returncode == 0, "it is sent")
                self.assertEqual([(step, step / 7) for step in range(5000)], self.stored(slug, "x"))
                notes = [one["annotation"] for one in self.service.annotations(slug)]
                expected = [f"note {step}" for step in range(0, 5000, 50)] + ["the same again"] * 50
                expected += [f"bad is NaN at step {step}" for step in range(0, 5000, 40)]
                self.assertEqual(sorted(expected), sorted(notes))
                record = self.service.query("query.experiment", experimentSlug=slug)
                self.assertEqual(("done", "of a broken network"), (record["status"], record["description"]))
                self.assertEqual({"lr": 0.1}, record["meta"])

    def test_a_sender_that_dies_behind_broken_connections(self) -> None:
        """Killed within a request or between two, besides: nothing is lost and nothing doubled."""
        text = """
            import lossless, time
            run = lossless.init(id="deaths")
            for step in range(1500):
                run.log({"x": step / 7}, step=step)
                if step % 10 == 0:
                    run.annotate("the same again")
                time.sleep(0.001)
            print("logged"); input()
            run.finish(quiet=True, timeout=120)
            """
        choose = random.Random(_SEED)
        with FaultProxy(self.service.url, _SEED, fault_bytes=_FAULT_BYTES) as proxy:
            script = self.started(text, LOSSLESS_URL=proxy.url)
            for _ in range(4):
                time.sleep(choose.random())
                self.kill_senders()
            self.assertEqual("logged", script.line())
            self.kill_senders()
            script.go_on()
            self.assertEqual(0, script.ended())
            proxy.fault_bytes = 0
            self.until(lambda: not self.spools() or self.sync("--url", proxy.url).returncode == 0, "it is sent")
        self.assertEqual([(step, step / 7) for step in range(1500)], self.stored("deaths", "x"))
        self.assertEqual(150, len(self.service.annotations("deaths")))
        self.assertEqual("done", self.service.query("query.experiment", experimentSlug="deaths")["status"])

    def test_a_gateway_without_its_service_is_waited_for(self) -> None:
        """A gateway's 404, 403 and 400 end nothing during the training, and refuse no point."""
        text = """
            import lossless
            run = lossless.init(id="gateway")
            for step in range(100):
                run.log({"x": float(step)}, step=step)
            print("there"); input()
            for step in range(100, 200):
                run.log({"x": float(step)}, step=step)
            print("more"); input()
            print(run.finish(quiet=True).refused)
            """
        with FaultProxy(self.service.url) as proxy:
            script = self.started(text, LOSSLESS_URL=proxy.url)
            self.assertEqual("there", script.line())
            self.until(lambda: len(self.stored("gateway", "x")) == 100, "the first points arrive")
            proxy.answers += [answer(404), answer(403), answer(400)]
            script.go_on()
            self.assertEqual("more", script.line())
            self.until(lambda: len(self.stored("gateway", "x")) == 200, "the others arrive before the end")
            self.assertEqual([], proxy.answers)
            script.go_on()
            self.assertEqual("0", script.line())
            self.assertEqual(0, script.ended())

    def test_what_stands_beside_points_costs_no_requests(self) -> None:
        """NaN and refused values between points share requests with them."""
        text = """
            import warnings; warnings.simplefilter("ignore")
            import lossless
            run = lossless.init(id="mixed", mode="offline")
            for step in range(600):
                run.log({"good": float(step), "nan": float("nan"), "b\\u00e4d": 1.0}, step=step)
            run.finish(quiet=True)
            """
        with FaultProxy(self.service.url) as proxy:
            self.script(text, LOSSLESS_URL=proxy.url)
            self.assertEqual(0, self.sync("--url", proxy.url).returncode)
            self.assertLess(proxy.count("POST /"), 20)
        self.assertEqual([(step, float(step)) for step in range(600)], self.stored("mixed", "good"))
        self.assertEqual(600, len(self.service.annotations("mixed")))


if __name__ == "__main__":
    unittest.main()
