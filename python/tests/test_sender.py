"""The process beside a recording: its end, its death, and what it tells."""

from __future__ import annotations

import unittest

from scripts import Scripts
from service import ROOT

from lossless._spool.sent_state import State, Tally


class Senders(Scripts):
    def test_its_death_is_noticed_while_the_recording_goes_on(self) -> None:
        """Killed in the middle, it is started again: points arrive before the end, each once."""
        text = """
            import lossless, sys, threading
            run = lossless.init(id="death", system=False)
            print("begun", flush=True)
            go_on = threading.Event()
            threading.Thread(target=lambda: (input(), go_on.set()), daemon=True).start()
            step = 0
            while not go_on.wait(0.02):
                run.log({"x": float(step)}, step=step)
                run.annotate("the same note")
                step += 1
            report = run.finish(quiet=True)
            print(step, report.stored, report.is_complete, flush=True)
            """
        script = self.started(text)
        self.assertEqual("begun", script.line())
        for _ in range(2):
            before = len(self.stored("death", "x"))
            self.until(lambda before=before: len(self.stored("death", "x")) > before, "points arrive")
            self.assertEqual(1, self.kill_senders())
            before = len(self.stored("death", "x"))
            self.until(lambda before=before: len(self.stored("death", "x")) > before, "others after its death")
        script.go_on()
        steps, stored, is_complete = script.line().split()
        self.assertEqual((steps, "True"), (stored, is_complete))
        self.assertEqual([(step, float(step)) for step in range(int(steps))], self.stored("death", "x"))
        self.assertEqual(int(steps), len(self.service.annotations("death")))
        self.assertEqual("done", self.service.query("query.experiment", experimentSlug="death")["status"])

    def test_it_ends_well(self) -> None:
        result = self.script(
            """
            import lossless
            run = lossless.init(id="ends")
            run.log({"x": 1.0})
            report = run.finish(quiet=True)
            process = run._background._process
            print(report.is_complete, process.wait())
            """
        )
        self.assertEqual("True 0\n", result.stdout)

    def test_a_module_of_the_standard_librarys_name_beside_the_package(self) -> None:
        """The sender does not import a module beside the package, here a broken uuid.py."""
        site = self.service.directory / "site"
        site.mkdir()
        (site / "lossless").symlink_to(ROOT / "python/src/lossless")
        (site / "uuid.py").write_text("raise SystemExit('not the one')")
        text = "import sys, uuid; sys.path.append(sys.argv[1]); import lossless; r = lossless.init(id='site')\n"
        text += "r.log({'x': 1.0}); print(r.finish(quiet=True).is_complete)"
        self.assertEqual("True\n", self.script(text, str(site), PYTHONPATH="").stdout)

    def test_a_wrong_key_is_told_at_finish(self) -> None:
        """A refusal is retried while the script records; the end reports it without waiting."""
        text = """
            import lossless
            run = lossless.init(id="wrong")
            run.log({"x": 1.0})
            print(run.finish(quiet=True, timeout=600).problem)
            """
        result = self.script(text, LOSSLESS_API_KEY="ak_" + "w" * 44)
        self.assertRegex(result.stdout, "credential is missing.* Check LOSSLESS_API_KEY and LOSSLESS_URL")
        self.sync_until_sent()
        self.assertEqual([(0, 1.0)], self.stored("wrong", "x"))

    def test_any_failure_of_it_is_named(self) -> None:
        """An unforeseen failure is named as well: a state that cannot be parsed."""
        text = """
            import lossless, json, time
            run = lossless.init(id="failure")
            path = run.directory / "state.json"
            while not path.exists():
                time.sleep(0.01)
            run._background._process.kill()
            run._background._process.wait()
            state = json.loads(path.read_text())
            path.write_text(json.dumps({**state, "segment": "x"}))
            run.log({"x": 1.0})
            print(run.finish(quiet=True).problem)
            """
        self.assertIn("Error", self.script(text).stdout)

    def test_notes_of_ranks_are_told_apart(self) -> None:
        """Equal values of two ranks at one step are two notes, by the meta of their points."""
        text = """
            import lossless
            run = lossless.init(id="nan", config={})
            run.log({"loss": float("nan")}, step=1, meta={"split": "train"}, timestamp_ms=77)
            run.annotate("here")
            run.finish(quiet=True)
            """
        for rank in ("0", "1"):
            self.script(text, RANK=rank, WORLD_SIZE="2")
        metas = [one["meta"] for one in self.service.annotations("nan") if one["annotation"] != "here"]
        note = {"kind": "nonfinite", "metricName": "loss", "step": 1, "value": "NaN", "timestampMs": 77}
        expected = [{**note, "pointMeta": {"rank": rank, "split": "train"}} for rank in ("0", "1")]
        self.assertEqual(expected, metas)
        own = [one["meta"] for one in self.service.annotations("nan") if one["annotation"] == "here"]
        self.assertEqual([{"rank": "0"}, {"rank": "1"}], own)


class Counting(unittest.TestCase):
    def test_equal_refusals_are_one_entry(self) -> None:
        state = State()
        for step in range(1_000):
            tally = Tally()
            tally.refuse(1, "no", name="x", step=step)
            tally.annotated(f"id-{step}", step * 1_000)
            state.add(tally)
        self.assertEqual([{"count": 1_000, "reason": "no", "name": "x", "step": 0}], state.refusals)
        self.assertEqual((1_000, 1_000), (state.refused, state.annotations))
        self.assertLess(len(state.own_annotations), 20)


if __name__ == "__main__":
    unittest.main()
