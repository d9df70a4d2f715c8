"""The summary of a run, as scripts read and write it."""

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
        self.assertIn("the config has more than 65536 bytes: without 'table'", result.stderr)
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
            for value in (1e308, -1e308, 1.5e308, -1.5e308):
                wandb.log({"train/huge": value})
            assert abs(wandb.summary["train/huge"]["mean"]) < 1e293 and wandb.summary["train/huge"]["first"] == 1e308
            del wandb.summary["train/huge"]
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
            assert run.summary["loss"] == {"min": 1.0, "mean": 3.75}, run.summary["loss"]
            run.define_metric("loss", summary="max", overwrite=True)
            run.log({"loss": 6.0, "phase": "end"})
            assert dict(run.summary) == {
                "loss": {"max": 7.0}, "acc": {"best": 7.0}, "other": {"first": 2.0}, "again": 7.0, "phase": "end"
            }, run.summary
            run.finish()
            stored = wandb.Api().run("added").summary
            assert stored["loss"] == {"max": 7.0} and stored["again"] == 7.0 and "gone" not in stored, stored
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
            assert run.summary.again == 3.0 and run.summary.least.min == 1.0 and run.summary.phase == "one"
            assert run.summary.pop("again") == 3.0
            del run.summary["val"]
            run.finish()
            """
        )
        notes = [each["meta"] for each in self.service.annotations("nested")]
        self.assertEqual(
            [{"n": {"x": 1, "y": {"z": 4}, "u": {"v": 5}}, "least": {"min": 1.0}}],
            [each["summary"] for each in notes if each["kind"] == "summary"],
        )

    def test_a_value_within_the_summary_is_set_where_it_stands(self) -> None:
        self.script(
            """
            import copy, pickle
            import lossless as wandb
            run = wandb.init(id="within")
            run.define_metric("loss", summary="min,max")
            run.define_metric("val.acc", summary="max")
            for value in (3.0, 1.0):
                run.log({"loss": value, "val": {"acc": value, "f1": value}, "low.a": value, "low.b": value})
            run.summary["loss"]["min"] = 0
            run.summary["val"]["acc"]["max"] = 5
            run.summary.val.f1 = 7
            run.summary["low"]["c"] = 8
            assert run.summary["loss"] == {"min": 0, "max": 3.0} and run.summary["val.acc"] == {"max": 5}
            assert run.summary["val.f1"] == run.summary["val"]["f1"] == 7 and run.summary["low"]["a"] == 1.0

            run.summary["own"] = {"a": {"b": 1, "z": 1}, "c": 2, "d": 3, "e": 4}
            held = run.summary["own"]
            held |= {"f": 5}
            held.setdefault("g", 6); held.setdefault("g", 7)
            assert held.pop("c") == 2 and held.pop("c", None) is None and held["a"].popitem() == ("b", 1)
            del held["d"]
            held["a"]["new"] = {"deep": 1}
            held["a"]["new"]["deep"] += 1
            held["a"].update(x=1, y={"z": 2})
            run.summary.own.a.y.z += 1
            held[1] = 2
            expected = {"a": {"z": 1, "new": {"deep": 2}, "x": 1, "y": {"z": 3}}, "e": 4, "f": 5, "g": 6, 1: 2}
            assert run.summary["own"] == expected, run.summary["own"]
            held["a"]["y"].clear()
            assert run.summary.own.a.y == {}
            run.summary["own"] = {"a": 1}
            held["late"] = {"is": "there"}
            held["a"]["b"] = 2
            assert run.summary["own"] == {"a": {"b": 2}, "late": {"is": "there"}}, run.summary["own"]

            for apart in (copy.deepcopy(held), pickle.loads(pickle.dumps(held)), dict(held), run.summary.as_dict()["own"]):
                apart["a"] = "changed"
            given = [1, {"b": 2}]
            run.summary["list"] = given
            given[1]["b"] = given[0] = 3
            assert run.summary["own"]["a"] == {"b": 2} and run.summary["list"] == [1, {"b": 2}]
            run.finish()
            stored = wandb.Api().run("within").summary
            assert stored["loss"] == {"min": 0, "max": 3.0} and stored["low.c"] == 8 and stored["val.f1"] == 7, stored
            """
        )
        [note] = [each["meta"] for each in self.service.annotations("within") if each["meta"]["kind"] == "summary"]
        expected = {
            "loss": {"min": 0, "max": 3.0},
            "val.acc": {"max": 5},
            "val.f1": 7,
            "low.a": 1.0,
            "low.b": 1.0,
            "low.c": 8,
            "own": {"a": {"b": 2}, "late": {"is": "there"}},
            "list": [1, {"b": 2}],
        }
        self.assertEqual(expected, note["summary"])

    def test_what_is_logged_later_replaces_what_was_set(self) -> None:
        self.script(
            """
            import lossless as wandb
            run = wandb.init(id="later")
            run.define_metric("least", summary="min,first")
            run.define_metric("high/*", summary="max")
            nan = float("nan")
            names = ("loss", "least", "high/a", "lost", "kept", "word")
            run.log({**dict.fromkeys(names, 1.0), "word": "begun"})
            for name in names:
                run.summary[name] = 9
                assert run.summary[name] == 9
            run.log({"other": 1.0})
            assert all(run.summary[name] == 9 for name in names)
            run.log({"loss": 2.0, "least": 0.5, "high/a": 0.5, "lost": nan, "word": "begun"})
            assert run.summary["loss"] == 2.0 and run.summary["word"] == "begun", run.summary
            # As in W&B a value that is set ends the summary of a definition until the next definition.
            assert run.summary["least"] == run.summary["high/a"] == 0.5
            run.define_metric("least", summary="min")
            assert run.summary["least"] == {"min": 0.5, "first": 1.0}
            run.log({"least": 0.75})
            assert run.summary["least"] == {"min": 0.5, "first": 1.0}
            del run.summary["least"]
            run.log({"least": 2.0})
            assert run.summary["least"] == {"min": 0.5, "first": 2.0}
            run.summary.update({"a": {"b": 1, "c": 1}, "x": 1, "y": {"z": 1}})
            run.log({"a": {"b": 2.0}, "x": {"in": 3.0}, "y": 4.0})
            assert run.summary["a"] == {"b": 2.0, "c": 1} and run.summary["x"] == {"in": 3.0}, run.summary
            assert run.summary["y"] == 4.0 and run.summary["a.b"] == 2.0
            run.summary["a"] = {"k": 1}
            assert run.summary["a"] == {"k": 1} and "a.b" not in run.summary
            assert len(run.summary) == len(dict(run.summary)) == len(list(run.summary))
            run.finish()
            stored = wandb.Api().run("later").summary
            assert stored["loss"] == 2.0 and stored["kept"] == 9 and stored["lost"] != stored["lost"], stored
            """
        )
        [note] = [each["meta"] for each in self.service.annotations("later") if each["meta"]["kind"] == "summary"]
        expected = {
            "loss": 2.0,
            "least": {"min": 0.5, "first": 2.0},
            "high/a": 0.5,
            "kept": 9,
            "other": 1.0,
            "x": {"in": 3.0},
            "x.in": 3.0,
            "y": 4.0,
            "a": {"k": 1},
        }
        self.assertEqual(expected, note["summary"])

    def test_a_change_of_the_summary_after_the_end_is_told(self) -> None:
        result = self.good_file(
            """
            import lossless as wandb
            run = wandb.init(id="over")
            run.summary["n"] = {"x": 1}
            held = run.summary["n"]
            run.finish(quiet=True)
            held["x"] = 2
            """
        )
        self.assertIn("summary changed after finish(): not recorded", result.stderr)
        [note] = [each["meta"] for each in self.service.annotations("over") if each["meta"]["kind"] == "summary"]
        self.assertEqual({"n": {"x": 1}}, note["summary"])

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
