"""`init(resume=…)` asks once for the last step, and continues after it or refuses."""

from __future__ import annotations

import unittest

from scripts import Scripts

_FIRST = """
    import lossless
    run = lossless.init("p", "shown", id="r", slug=None, config={"lr": 1, "seed": 7}, notes="why", tags=["a"])
    for step in range(5):
        run.log({"x": float(step), "y": 0.5})
    run.summary["best"] = 4.0
    run.finish(quiet=True)
    """


class Resume(Scripts):
    def setUp(self) -> None:
        self.project = self._testMethodName

    def recorded(self, **variables: str) -> str:
        self.script(_FIRST.replace('"p"', repr(self.project)), **variables)
        return f"{self.project}/r"

    def resuming(self, text: str, **variables: str) -> str:
        return self.script(f"import lossless\nproject = {self.project!r}\n{text}", **variables).stdout

    def test_it_goes_on_with_steps_config_and_summary(self) -> None:
        slug = self.recorded()
        for number, how in enumerate(("allow", "must")):
            text = f"""
run = lossless.init(project, id="r", resume={how!r}, config={{"lr": {number + 2}}})
print(run.resumed, run.step, run.starting_step, run.name, run.notes, run.tags)
print(sorted(run.config.as_dict().items()), float(run.summary["x"]), float(run.summary["best"]))
run.log({{"x": 10.0}})
run.finish(quiet=True)
"""
            first, second = self.resuming(text).splitlines()
            self.assertEqual(f"True {5 + number} {5 + number} shown why ('a',)", first)
            last = 4.0 if number == 0 else 10.0
            self.assertEqual(f"[('lr', {number + 2}), ('seed', 7)] {last} 4.0", second)
        self.assertEqual([*((step, float(step)) for step in range(5)), (5, 10.0), (6, 10.0)], self.stored(slug, "x"))
        self.assertTrue(all(row[2] == {} for row in self.service.points(slug)["x"]), "one curve")
        record = self.record(slug)
        self.assertEqual({"lr": 3, "seed": 7, "_name": "shown", "_tags": ["a"]}, record["meta"])
        self.assertEqual("why", record["description"])
        notes = [each["meta"] for each in self.service.annotations(slug) if each["meta"]["kind"] == "recording"]
        self.assertEqual([(True, 5), (True, 6)], [(note["resumed"], note["step"]) for note in notes])

    def test_the_summary_has_the_last_values_that_are_stored(self) -> None:
        """Values count that are not finite, were only counted, or wait on this machine."""
        first = f"""
import lossless
nan, inf = float("nan"), float("inf")
run = lossless.init({self.project!r}, id="r")
for step, loss in enumerate((3.0, 1.0, nan)):
    run.log({{"loss": loss, "back": nan if step < 2 else 2.5, "never": nan, "up": inf}})
run.log({{"early": inf}}, step=4, timestamp_ms=2_000)
run.log({{"early": 0.5}}, step=4, timestamp_ms=1_000)
run.summary["said"] = 1
run.finish(quiet=True)
"""
        second = """
run = lossless.init(project, id="r", resume="must", mode={mode!r})
print(run.step, {{name: run.summary[name] for name in sorted(run.summary)}})
run.finish(quiet=True)
run = lossless.Api().run(f"{{project}}/r") if {mode!r} == "online" else None
print(run and {{name: run.summary[name] for name in sorted(run.summary)}})
"""
        found = "{'back': 2.5, 'early': inf, 'loss': nan, 'never': nan, 'said': 1, 'up': inf}"
        self.script(first)
        self.assertEqual(f"5 {found}\n{found}\n", self.resuming(second.format(mode="online")))
        self.project += "-away"
        away = first.replace(repr(self._testMethodName), repr(self.project))
        self.script(away, LOSSLESS_MODE="offline")
        self.assertEqual(f"5 {found}\nNone\n", self.resuming(second.format(mode="offline")))
        self.assertEqual(0, self.sync().returncode)
        self.assertEqual(f"5 {found}\n{found}\n", self.resuming(second.format(mode="online")))

    def test_summaries_are_of_the_whole_run(self) -> None:
        """Points count that are stored, wait on this machine, or come from a killed run."""
        first = """
import os
run = lossless.init(project, id="r")
run.define_metric("loss", summary="min,max,mean,first,last")
run.define_metric("a/*", summary="best", goal="maximize")
for step, loss in enumerate((3.0, 1.0, 2.0)):
    run.summary["set-before"] = 0
    run.log({"loss": loss, "a/x": loss, "free": loss, "set": loss, "set-before": loss})
run.summary["set"] = run.summary["own"] = 9
run.summary["low"] = {"min": -1}
run.finish(quiet=True)
"""
        second = """
loss = {"min": 1.0, "max": 3.0, "mean": 2.0, "first": 3.0, "last": 2.0}
run = lossless.init(project, id="r", resume="must")
assert run.summary["loss"] == loss and run.summary["a/x"] == {"best": 3.0}, run.summary
run.define_metric("loss", summary="min,max,mean,first,last")
run.define_metric("free", summary="min,max,mean,first")
run.log({"loss": 6.0, "a/x": 2.5, "free": 6.0})
free = {"min": 1.0, "max": 6.0, "mean": 3.0, "first": 3.0}
whole = {"loss": {**free, "last": 6.0}, "a/x": {"best": 3.0}, "free": free}
whole.update({"set": 9, "own": 9, "low": {"min": -1}, "set-before": 2.0})
assert dict(run.summary) == whole, run.summary
run.finish(quiet=True)
"""
        stored = """
stored = lossless.Api().run(run.slug).summary
assert stored == whole, stored
"""
        self.resuming(first)
        self.resuming(second + stored)
        self.project += "-away"
        self.resuming(first, LOSSLESS_MODE="offline")
        self.resuming(second, LOSSLESS_MODE="offline")
        self.assertEqual(0, self.sync().returncode)
        self.project = f"{self._testMethodName}-killed"
        self.resuming_any(first.replace("run.finish(quiet=True)", "print('killed', flush=True)\nos._exit(1)"))
        self.sync_until_sent()
        self.resuming("""
stored = lossless.Api().run(f"{project}/r").summary
assert stored["loss"] == {"min": 1.0, "max": 3.0, "mean": 2.0, "first": 3.0, "last": 2.0}, stored
assert stored["a/x"] == {"best": 3.0} and stored["free"] == 2.0, stored
""")

    def test_refusals_come_before_the_training(self) -> None:
        slug = self.recorded()
        before = self.record(slug)
        self.resuming("""
import lossless as wandb
for how, id, word in (("must", "absent", "does not begin a new one"), ("never", "r", "exists already"),
                      ("must", None, "needs the id"), ("perhaps", "r", "resume is allow")):
    try:
        wandb.init(project, id=id, resume=how)
    except wandb.errors.UsageError as error:
        assert word in str(error), error
    else:
        raise AssertionError(how)
assert wandb.run is None
run = wandb.init(project, id="new", resume="never")
assert not run.resumed and run.step == 0
run.finish(quiet=True)
""")
        self.assertEqual(before, self.record(slug))
        self.assertEqual("experiment_not_found", self.record(f"{self.project}/absent").get("code"))
        self.assertEqual("done", self.record(f"{self.project}/new")["status"])

    def test_without_the_service_this_machine_answers(self) -> None:
        """A waiting recording counts as existing; an unknown one is an error or a message."""
        away = {"LOSSLESS_URL": "http://127.0.0.1:9"}
        self.recorded(LOSSLESS_MODE="offline")
        result = self.script(
            f"""
            import lossless, lossless._recording.resuming as resuming
            resuming._SECONDS = resuming._SECONDS_OF_REFUSALS = 0.5
            for how in ("allow", "must"):
                run = lossless.init({self.project!r}, id="r", resume=how, mode="offline")
                print(how, run.resumed, run.step)
                assert run.config.as_dict() == {{"lr": 1, "seed": 7}} and run.notes == "why", run.config
                run.finish(quiet=True)
            try:
                lossless.init({self.project!r}, id="r", resume="never", mode="offline")
            except lossless.SettingsError:
                print("never")
            for how in ("must", "never"):
                try:
                    lossless.init({self.project!r}, id="absent", resume=how)
                except lossless.ConnectionFailed as error:
                    assert "cannot be found out" in str(error), error
                    print(how)
            run = lossless.init({self.project!r}, id="absent", resume="allow")
            print(run.resumed, run.step)
            run.finish(quiet=True, timeout=0)
            """,
            **away,
        )
        self.assertEqual(
            ["allow True 5", "must True 5", "never", "must", "never", "False 0"], result.stdout.splitlines()
        )
        self.assertIn("exists already is unknown", result.stderr)

    def test_what_was_not_sent_yet_counts(self) -> None:
        """A run killed while the service was away begins again: its steps are only here."""
        slug = self.recorded()
        self.resuming("""
run = lossless.init(project, id="r", resume="allow")
run.finish(quiet=True)
run = lossless.init(project, id="r", resume="allow", mode="offline")
run.log({"x": 1.0}, step=20)
run.finish(quiet=True)
run = lossless.init(project, id="r", resume="allow")
assert run.step == 21, run.step
assert (run.summary["x"], run.summary["y"]) == (1.0, 0.5), run.summary
run.finish(quiet=True)
""")
        self.sync_until_sent()
        self.assertIn((20, 1.0), self.stored(slug, "x"))

    def test_auto_goes_on_after_a_crash_alone(self) -> None:
        text = """
import os
run = lossless.init(project, resume="auto")
run.log({"x": 1.0})
print(run.slug, run.resumed, run.step)
run._background.wait(run.directory, 0)
"""
        crash = (
            "import time, pathlib\n"
            "while '\"stored\": 1' not in (run.directory / 'state.json').read_text():\n"
            "    time.sleep(0.05)\n"
            "os._exit(1)"
        )
        crashed = self.resuming_any(text + crash)
        again = self.resuming_any(text.replace("run._background", "run.finish(quiet=True) #"))
        self.assertEqual([crashed[0], "True", "2"], again)
        anew = self.resuming_any(text.replace("run._background", "run.finish(quiet=True) #"))
        self.assertNotEqual(crashed[0], anew[0])
        self.assertEqual(["False", "1"], anew[1:])

    def resuming_any(self, text: str) -> list[str]:
        """Runs it with any exit code."""
        result = self.file(f"import lossless\nproject = {self.project!r}\n{text}", PYTHONUNBUFFERED="1")
        self.assertTrue(result.stdout, result.stderr)
        return result.stdout.split()


if __name__ == "__main__":
    unittest.main()
