"""A config that is changed often, and what its changes cost."""

from __future__ import annotations

import unittest

from fault_proxy import FaultProxy
from scripts import Scripts


class ConfigChanges(Scripts):
    def test_of_changes_that_wait_the_last_one_is_sent(self) -> None:
        text = """
            import lossless
            run = lossless.init("often", id="run", config={"first": 1}, folder="made/first", mode="offline")
            for number in range(2000):
                run.config[f"argument {number % 50}"] = number
                if number % 10 == 0:
                    run.log({"x": float(number)})
                    run.annotate("the same note")
                if number == 1000:
                    run.notes = "of the middle"
            run.finish(quiet=True)
            """
        self.script(text)
        with FaultProxy(self.service.url) as proxy:
            result = self.sync("--url", proxy.url)
            self.assertEqual(0, result.returncode, result.stdout)
            self.assertLess(proxy.count("svc.v2.experiment.open"), 10)
        record = self.record("often/run")
        last = {f"argument {number % 50}": number for number in range(1950, 2000)}
        self.assertEqual({"first": 1, **last}, record["meta"])
        self.assertEqual(("of the middle", "done"), (record["description"], record["status"]))
        self.assertEqual([(step, 10.0 * step) for step in range(200)], self.stored("often/run", "x"))
        self.assertEqual(["the same note"] * 200, [one["annotation"] for one in self.service.annotations("often/run")])

    def test_what_only_an_earlier_one_gave_is_kept(self) -> None:
        text = """
            import lossless
            run = lossless.init("kept", id="run", mode="offline")
            run.config["lr"] = 0.5
            run.log({"x": 1.0})
            del run.config["lr"]
            run.notes = "of the end"
            run.finish(quiet=True)
            """
        self.script(text)
        self.sync_until_sent()
        record = self.record("kept/run")
        self.assertEqual(({"lr": 0.5}, "of the end"), (record["meta"], record["description"]))


if __name__ == "__main__":
    unittest.main()
