"""Scripts that record, as processes of their own, against the real service."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import time
import unittest

from scripts import Scripts


class Recording(Scripts):
    def test_a_curve_is_read_back_equal(self) -> None:
        """The service has what was logged, to the last bit, and nothing is left on the machine."""
        result = self.script(
            """
            import lossless
            run = lossless.init("curve", id="equal", config={"lr": 1e-3, "model": {"layers": 3}}, folder="team/vision")
            for step in range(2500):
                run.log({"loss": 1 / (step + 1), "count": step, "tiny": 5e-324 * (step + 1)}, step=step)
            run.annotate("half", {"step": 1250})
            run.summary["best"] = 0.5
            report = run.finish()
            assert lossless.run is None
            assert report.is_complete and report.stored == 7500 and report.refused == 0, report
            """
        )
        self.assertIn("7500 points stored", result.stderr)
        points = self.service.points("curve/equal")
        self.assertEqual([(step, 1 / (step + 1), {}) for step in range(2500)], points["loss"])
        self.assertEqual([(step, 5e-324 * (step + 1), {}) for step in range(2500)], points["tiny"])
        record = self.service.query("query.experiment", experimentSlug="curve/equal")
        self.assertEqual("done", record["status"])
        self.assertEqual({"lr": 1e-3, "model": {"layers": 3}}, record["meta"])
        tree = self.service.query("foldertree.read")
        team = next(folder for folder in tree["folders"] if folder["name"] == "team")
        self.assertEqual(["curve/equal"], [one["slug"] for one in team["folders"][0]["experiments"]])
        texts = [(one["annotation"], one["meta"]) for one in self.service.annotations("curve/equal")]
        last = {name: points[name][-1][1] for name in sorted(points)}
        summary = {"kind": "summary", "summary": {**last, "best": 0.5}}
        self.assertEqual([("half", {"step": 1250}), ("summary", summary)], texts)
        self.assertEqual([], self.spools())

    def test_what_is_no_point_sinks_nothing(self) -> None:
        """NaN, text, lists, wrong steps and metas are named; good values beside them are stored."""
        result = self.script(
            """
            import warnings; warnings.simplefilter("ignore")
            import lossless
            run = lossless.init(id="odd")
            run.log({"a": float("nan"), "b": 1.0, "c": float("-inf"), "text": "x", "none": None}, step=1)
            run.log({"": 1.0, "b": 2.0, "list": [1.0]}, step=2)
            run.log({"b": 3.0}, step=-1)
            run.log({"b": 3.0}, step=1.5)
            run.log({"b": 4.0}, step=3, meta={"k": "v" * 513})
            run.log({"b": True, "nested": {"deep": {"x": 7}}}, step=4, meta={"rank": 3})
            run.log({"b": 2**70}, step=0)
            run.log({"b": 5.0}, step=object())
            run.log(None)
            report = run.finish(quiet=True)
            print(report.refused, report.stored, report.is_complete)
            """
        )
        self.assertEqual("7 5 True\n", result.stdout)
        points = self.service.points("odd")
        self.assertEqual(
            {
                "b": [(0, float(2**70), {}), (1, 1.0, {}), (2, 2.0, {}), (4, 1, {"rank": "3"})],
                "nested.deep.x": [(4, 7, {"rank": "3"})],
            },
            points,
        )
        metas = [one["meta"] for one in self.service.annotations("odd") if one["meta"]["kind"] != "text"]
        self.assertTrue(all(isinstance(meta.pop("timestampMs"), int) for meta in metas))
        self.assertEqual(
            [
                {"kind": "nonfinite", "metricName": "a", "step": 1, "value": "NaN"},
                {"kind": "nonfinite", "metricName": "c", "step": 1, "value": "-Infinity"},
            ],
            metas,
        )
        # Nothing of it is in the spool, since it was not recorded: nobody has to look at it.
        self.assertEqual([], self.spools())

    def test_import_lossless_as_wandb(self) -> None:
        """A plain script for another tracker runs unchanged."""
        self.script(
            """
            import warnings; warnings.simplefilter("ignore")
            import lossless as wandb, random
            wandb.login()
            wandb.init(project="my-project", id="as-wandb", config={"epochs": 10}, tags=["a"], settings=wandb.Settings())
            wandb.run.summary["top"] = 1
            wandb.log({"last": 0.25}, commit=False)
            assert wandb.run.summary["last"] == wandb.summary.last == 0.25 and wandb.summary.get("never") is None
            assert {"top": 1, "last": 0.25} == dict(wandb.summary)
            assert wandb.config.epochs == 10 and wandb.config["epochs"] == 10
            wandb.config.update({"lr": 0.1}, allow_val_change=True)
            wandb.define_metric("loss", summary="min")
            wandb.watch(object())
            for epoch in range(2, wandb.config.epochs):
                wandb.log({"acc": 1 - 2 ** -epoch, "loss": 2 ** -epoch, "image": wandb.Image([[0]])})
            wandb.log({"a": 1}, commit=False); wandb.log({"b": 2})
            wandb.log({"c": 3}, commit=False); wandb.log(); wandb.log({"d": 4})
            wandb.run.log_code()
            wandb.run.log_artifact("x", name="y").wait()
            wandb.finish()
            assert wandb.run is None
            """
        )
        points = self.service.points("my-project/as-wandb")
        self.assertEqual([(step, 2.0 ** -(step + 2), {}) for step in range(8)], points["loss"])
        self.assertEqual([(8, 1, {})], points["a"])
        self.assertEqual([(8, 2, {})], points["b"])
        self.assertEqual(([(9, 3, {})], [(10, 4, {})]), (points["c"], points["d"]))
        record = self.service.query("query.experiment", experimentSlug="my-project/as-wandb")
        own = {"epochs": 10, "lr": 0.1, "_tags": ["a"], "_metrics": {"loss": {"summary": ["min"]}}}
        self.assertEqual(own, record["meta"])

    def test_the_same_id_again_is_told_and_loses_no_config(self) -> None:
        """An id is used again, maybe by mistake: the earlier config stays readable."""
        text = """
            import lossless, sys
            run = lossless.init("again", id="name", config={"lr": float(sys.argv[1])})
            run.config["layers"] = 3
            run.log({"x": float(sys.argv[1])}, step=int(sys.argv[2]))
            run.finish()
        """
        first = self.script(text, "0.5", "0")
        self.assertNotIn("recorded before", first.stderr)
        second = self.script(text, "0.25", "1")
        self.assertIn("again/name was recorded before: this recording continued it", second.stderr)
        self.assertEqual({"lr": 0.25, "layers": 3}, self.record("again/name")["meta"])
        metas = [one["meta"] for one in self.service.annotations("again/name")]
        config, recording = sorted(metas, key=lambda meta: meta["kind"])
        self.assertEqual({"kind": "config", "config": {"lr": 0.5, "layers": 3}}, config)
        word = recording["recording"]
        self.assertEqual({"x": [(0, 0.5, {}), (1, 0.25, {"recording": word})]}, self.service.points("again/name"))

    def test_an_exception_ends_it_as_failed(self) -> None:
        result = subprocess.run(
            [
                sys.executable,
                "-c",
                "import lossless\nlossless.init(id='fails').log({'x': 1.0})\nraise ValueError('boom')",
            ],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(1, result.returncode)
        record = self.service.query("query.experiment", experimentSlug="fails")
        self.assertEqual(("error", "ValueError: boom"), (record["status"], record["error"]))

    def test_offline_and_synced_later(self) -> None:
        """Without a service and without a key everything is recorded; sync sends it, once."""
        text = (
            "import lossless\n"
            "run = lossless.init(id='later')\n"
            "for i in range(1500): run.log({'x': i / 7})\n"
            "run.finish(quiet=True)"
        )
        self.script(text, LOSSLESS_API_KEY="", LOSSLESS_URL="http://127.0.0.1:9")
        [left] = self.spools()
        self.assertIn(str(left), self.sync("--list").stdout)
        result = self.sync("--url", self.service.url)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.assertEqual([(step, step / 7, {}) for step in range(1500)], self.service.points("later")["x"])
        self.assertEqual("done", self.service.query("query.experiment", experimentSlug="later")["status"])
        self.assertEqual([], self.spools())
        self.assertIn("nothing waits", self.sync().stdout)

    def test_finish_is_bounded_and_says_what_to_do(self) -> None:
        text = """
            import json, lossless, time
            run = lossless.init(id='bounded', url='http://127.0.0.1:9')
            run.log({'x': 1.0})
            state = run.directory / 'state.json'
            # Until its sender has failed once there is nothing to say.
            while not (state.exists() and json.loads(state.read_text())['problem']):
                time.sleep(0.01)
            process, asked = run._background._process, []
            wait = process.wait
            process.wait = lambda seconds: (asked.append(seconds), wait(seconds))
            report = run.finish(timeout=1.0)
            assert len(asked) == 1 and 0 <= asked[0] <= 1.0, asked
            assert process.poll() is None, 'it tries on, and nobody waits for it'
            assert not report.is_complete and 'cannot reach' in report.problem, report
            print(report.command)
            """
        result = self.script(text)
        *command, directory, option, url = result.stdout.split()
        self.assertEqual(("--url", "http://127.0.0.1:9"), (option, url))
        self.assertEqual(["-m", "lossless", "sync"], command[1:])
        self.until(lambda: "being" not in self.sync(directory, "--url", self.service.url).stdout, "its sender ended")
        self.assertEqual([(0, 1.0, {})], self.service.points("bounded")["x"])

    def test_killed_at_random_moments(self) -> None:
        """After kill -9 every call of log that returned is there, and nothing is twice."""
        child = """
            import lossless, sys
            run = lossless.init(id=sys.argv[1])
            marks = open(sys.argv[2], "a")
            for step in range(10**9):
                run.log({"x": step * 0.5, "y": step}, step=step)
                if step % 40 == 0:
                    run.annotate(f"note {step}")
                marks.write(f"{step}\\n")
                marks.flush()
            """
        choose = random.Random(5)
        for number in range(4):
            slug = f"killed-{number}"
            marks = self.service.directory / f"marks-{number}"
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(child), slug, str(marks)],
                env=self.environment(LOSSLESS_MODE="offline" if number == 0 else "online"),
            )
            self.until(lambda marks=marks: marks.exists() and marks.stat().st_size > 0, "it records")
            time.sleep(choose.random())
            process.kill()
            process.wait()
            if number == 2:
                # The sender too, in the middle of its work.
                self.kill_senders()
            if number == 3:
                self.service.kill()
                self.service.start()
            self.until(lambda: self.sync().returncode == 0 and not self.spools(), "everything is sent")
            logged = int(marks.read_text().split()[-1]) + 1
            points = self.service.points(slug)
            steps = [step for step, _, _ in points["x"]]
            self.assertIn(len(steps), (logged, logged + 1), "the last call may have been cut short")
            self.assertEqual(list(range(len(steps))), steps)
            self.assertEqual([(step, step * 0.5, {}) for step in steps], points["x"])
            notes = [one["annotation"] for one in self.service.annotations(slug)]
            self.assertEqual(sorted(set(notes)), sorted(notes))
            self.assertGreaterEqual(len(notes), (logged + 39) // 40)
            self.assertEqual("error", self.service.query("query.experiment", experimentSlug=slug)["status"])

    def test_two_ranks_and_a_forked_child(self) -> None:
        """Ranks and child record into one experiment, with different ids."""
        text = """
            import os, lossless
            run = lossless.init(id="ranks")
            for step in range(300):
                run.log({"x": float(step)}, step=step)
            if os.environ["RANK"] == "1":
                child = os.fork()
                if child == 0:
                    for step in range(100):
                        run.log({"forked": float(step)}, step=step)
                    run.finish(quiet=True)
                    os._exit(0)
                os.waitpid(child, 0)
            run.finish(quiet=True)
            """
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(text)], env=self.environment(RANK=str(rank), WORLD_SIZE="2")
            )
            for rank in range(2)
        ]
        self.assertEqual([0, 0], [process.wait() for process in processes])
        self.until(lambda: self.sync().returncode == 0 and not self.spools(), "everything is sent")
        points = self.service.points("ranks")
        for rank in ("0", "1"):
            own = [(step, value) for step, value, meta in points["x"] if meta == {"rank": rank}]
            self.assertEqual([(step, float(step)) for step in range(300)], own)
        self.assertEqual(100, len(points["forked"]))
        self.assertEqual("done", self.service.query("query.experiment", experimentSlug="ranks")["status"])

    def test_the_service_goes_away_in_the_middle(self) -> None:
        text = """
            import lossless, sys, time
            run = lossless.init(id="away")
            for step in range(3000):
                run.log({"x": float(step)}, step=step)
                if step % 100 == 0:
                    time.sleep(0.05)
            print(run.finish(timeout=600).is_complete)
            """
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(text)],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        time.sleep(0.7)
        self.service.kill()
        time.sleep(0.5)
        self.service.start()
        assert process.stdout is not None
        self.assertEqual("True\n", process.stdout.read())
        process.stdout.close()
        process.wait()
        self.assertEqual([(step, float(step), {}) for step in range(3000)], self.service.points("away")["x"])


if __name__ == "__main__":
    unittest.main()
