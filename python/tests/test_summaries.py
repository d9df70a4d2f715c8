"""What a script puts into the summary."""

from __future__ import annotations

import json
import unittest

from scripts import Scripts


class Summaries(Scripts):
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

    def test_what_define_metric_asks_for(self) -> None:
        self.script(
            """
            import lossless as wandb
            run = wandb.init(id="defined")
            wandb.define_metric("val/loss", summary="min")
            wandb.define_metric("acc", summary="max,last", step_metric="epoch")
            run.define_metric("train/*", summary=["mean", "first"])
            run.define_metric("score", summary="best", goal="maximize")
            wandb.define_metric("plain", summary="none")
            for value in (3.0, 1.0, float("nan"), 2.0):
                wandb.log({"val": {"loss": value}, "train/loss": value})
                wandb.log({"val/loss": value, "acc": value, "train/loss": value, "score": value, "plain": value})
            assert wandb.summary["val/loss"]["min"] == 1.0 and wandb.summary["acc"] == {"max": 3.0, "last": 2.0}
            assert wandb.summary["train/loss"]["mean"] == 2.0 and wandb.summary["train/loss"]["first"] == 3.0
            assert wandb.run.summary.score["best"] == 3.0 and "plain" not in wandb.summary
            wandb.summary["acc"] = 7
            wandb.finish()
            """
        )
        notes = [each["meta"] for each in self.service.annotations("defined")]
        # The last values are there too.
        expected = {
            "val.loss": 2.0,
            "val/loss": {"min": 1.0},
            "train/loss": {"mean": 2.0, "first": 3.0},
            "score": {"best": 3.0},
            "acc": 7,
        }
        self.assertEqual([expected], [each["summary"] for each in notes if each["kind"] == "summary"])

    def test_definitions_add_up_until_one_overwrites_them(self) -> None:
        self.script(
            """
            import lossless as wandb
            run = wandb.init(id="added")
            run.define_metric("loss", step_metric="epoch")
            run.define_metric("*", summary="first")
            run.define_metric("loss", summary="min", goal="minimize")
            run.define_metric("acc", goal="Maximum")
            run.define_metric("acc", summary="BEST")
            for value in (2.0, 1.0):
                run.log({"loss": value, "acc": value, "other": value, "gone": value, "again": value})
            run.define_metric("loss", summary="mean")
            run.define_metric("gone", summary="none")
            run.define_metric("again", summary="copy")
            for value in (5.0, 7.0):
                run.log({"loss": value, "acc": value, "other": value, "gone": value, "again": value})
            assert run.summary["loss"] == {"min": 1.0, "mean": 6.0}, run.summary["loss"]
            run.define_metric("loss", summary="max", overwrite=True)
            run.log({"loss": 6.0, "phase": "end"})
            assert dict(run.summary) == {
                "loss": {"max": 6.0}, "acc": {"best": 7.0}, "other": {"first": 2.0}, "again": 7.0, "phase": "end"
            }, run.summary
            run.finish()
            stored = wandb.Api().run("added").summary
            assert stored["loss"] == {"max": 6.0} and stored["again"] == 7.0 and "gone" not in stored, stored
            """
        )
        self.assertEqual({"summary": ["max"]}, self.record("added")["meta"]["_metrics"]["loss"])

    def test_values_within_others_have_attributes_and_what_is_deleted_is_gone(self) -> None:
        self.script(
            """
            import lossless as wandb
            run = wandb.init(id="nested")
            run.define_metric("least", summary="min")
            given = {"x": 1, "deep": {"er": 2}}
            run.summary["n"] = given
            given["x"] = 9
            assert run.summary.n.x == 1 and run.summary.n.deep.er == run.summary["n"]["deep"].er == 2
            run.summary.n.y = {"z": 3}
            run.summary.n.y.z += 1
            run.summary["n"].update({"u": {"v": 5}})
            del run.summary.n.deep
            assert run.summary.n == {"x": 1, "y": {"z": 4}, "u": {"v": 5}} and run.summary.n.u.v == 5
            assert not hasattr(run.summary.n, "none") and not hasattr(run.summary, "none")
            run.summary.update({"own": {"a": 1}}, more={"b": 2})
            assert run.summary.own.a == 1 and run.summary.more.b == 2
            circle = {}
            circle["own"] = circle
            run.summary["circle"] = circle
            del run.summary.circle

            for value in (1.0, 2.0):
                run.log({"val": {"loss": value}, "gone": value, "again": value, "least": value, "phase": "one"})
            assert run.summary.val.loss == run.summary["val"]["loss"] == run.summary["val.loss"] == 2.0
            assert run.summary.least.min == 1.0
            for name in ("gone", "again", "least", "phase", "own", "more"):
                del run.summary[name]
                assert name not in run.summary and name not in list(run.summary)
            del run.summary["never there"]
            run.log({"again": 3.0, "least": 3.0, "phase": "one"})
            assert run.summary.again == 3.0 and run.summary.least.min == 3.0 and run.summary.phase == "one"
            assert run.summary.pop("again") == 3.0
            del run.summary["val"]
            run.finish()
            """
        )
        notes = [each["meta"] for each in self.service.annotations("nested")]
        self.assertEqual(
            [{"n": {"x": 1, "y": {"z": 4}, "u": {"v": 5}}, "least": {"min": 3.0}}],
            [each["summary"] for each in notes if each["kind"] == "summary"],
        )

    def test_a_definition_that_is_none_is_refused(self) -> None:
        self.script(
            """
            import lossless as wandb
            run = wandb.init(id="refused")
            before = dict(run._reserved)
            for name, said in (
                ("x*y", {}), ("*/loss", {}), ("a**", {}), ("", {}), ("loss", {"summary": "median"}),
                ("loss", {"goal": "up"}), ("loss", {"summary": "best", "goal": "lower"}), ("loss", {"goal": ""}),
            ):
                try:
                    run.define_metric(name, **said)
                except wandb.UsageError as error:
                    assert isinstance(error, wandb.errors.Error) and "define_metric" in str(error)
                else:
                    raise AssertionError((name, said))
            assert run._reserved == before
            """
        )

    def test_a_step_metric_is_kept_and_read_against(self) -> None:
        result = self.script(
            """
            import json
            import lossless as wandb
            run = wandb.init(id="curves", config={"lr": 1})
            epoch = run.define_metric("epoch", hidden=True)
            run.define_metric("*", step_metric="batch")
            run.define_metric("val/*", epoch, summary="max", goal="maximize", step_sync=True, future=1)
            assert run.define_metric("train/loss", step_metric="samples").step_metric == "samples"
            run.log({"val/early": 1.0}, step=0)
            for step in range(1, 7):
                run.log({"samples": 64 * step, "train/loss": 1.0 / step}, step=10 * step)
                if step % 2 == 0:
                    run.log({"epoch": step // 2, "val/acc": 0.1 * step}, step=10 * step + 5)
            run.log({"val/early": 2.0}, step=30)
            wandb.finish()
            reader = wandb.Reader()
            found = {name: reader.curve("curves", name) for name in ("train/loss", "val/acc", "val/early")}
            print(json.dumps({name: [each.x_name, [str(x) for x in each.x]] for name, each in found.items()}))
            """
        )
        self.assertEqual(
            {
                "train/loss": ["samples", ["64.0", "128.0", "192.0", "256.0", "320.0", "384.0"]],
                "val/acc": ["epoch", ["1.0", "2.0", "3.0"]],
                "val/early": ["epoch", ["nan", "1.0"]],
            },
            json.loads(result.stdout),
        )
        self.assertEqual(
            {
                "lr": 1,
                "_metrics": {
                    "epoch": {"hidden": True},
                    "*": {"stepMetric": "batch"},
                    "val/*": {"stepMetric": "epoch", "stepSync": True, "summary": ["max"], "goal": "maximize"},
                    "train/loss": {"stepMetric": "samples"},
                },
            },
            self.record("curves")["meta"],
        )

    def test_what_is_no_picture_is_counted_one_by_one(self) -> None:
        self.script(
            """
            import warnings
            warnings.simplefilter("ignore")
            import lossless as wandb
            run = wandb.init(id="pictures")
            wandb.log({"a": 1, "one": wandb.Image(1), "several": [wandb.Image(1), wandb.Image(2)], "none": ()})
            report = wandb.finish()
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                wandb.Table(log_mode="MUTABLE"); wandb.Image([[1]], file_type="png")
                assert not told
                wandb.Table(log_mode="INCREMENTAL"); wandb.Image([[1]], file_type="jpg")
                assert ["Table(log_mode" in str(told[0].message), "a PNG" in str(told[1].message)] == [True, True]
            assert report.refused == 4 and any("none" in each["reason"] for each in report.refusals), report
            """
        )


if __name__ == "__main__":
    unittest.main()
