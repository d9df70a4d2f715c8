"""What every client of MLflow's can, the older ones and those without pandas too."""

from __future__ import annotations

import math
import os
import pathlib
import uuid

import mlflow
from mlflow.entities import Metric, Param, RunTag, ViewType
from suite import Suite, fresh

GREATEST = 2**63 - 1


class Fluent(Suite):
    def test_a_script_of_two_lines_records_and_reads_back(self) -> None:
        mlflow.set_experiment(fresh("fluent/of a user"))
        with mlflow.start_run(run_name="one", description="what it is") as run:
            mlflow.log_param("lr", 0.1)
            mlflow.log_params({"depth": 3, "empty": ""})
            for step in range(5):
                mlflow.log_metric("loss", 1 / (step + 1), step=step)
            mlflow.log_metrics({"acc": 0.9, "f1": 0.8}, step=4)
            mlflow.set_tag("team", "vision")
            mlflow.set_tags({"a": 1, "b/c": True})
        read = mlflow.get_run(run.info.run_id)
        self.assertEqual(read.info.status, "FINISHED")
        self.assertEqual(read.info.run_name, "one")
        self.assertEqual(read.data.params, {"lr": "0.1", "depth": "3", "empty": ""})
        self.assertEqual(read.data.metrics, {"loss": 0.2, "acc": 0.9, "f1": 0.8})
        self.assertEqual(read.data.tags["mlflow.note.content"], "what it is")
        self.assertEqual(read.data.tags["b/c"], "True")

    def test_nested_failed_and_resumed_runs(self) -> None:
        mlflow.set_experiment(experiment_id=self.experiment)
        with mlflow.start_run() as parent, mlflow.start_run(nested=True) as child:
            pass
        self.assertEqual(child.data.tags["mlflow.parentRunId"], parent.info.run_id)
        with self.assertRaises(ZeroDivisionError), mlflow.start_run() as failed:
            _ = 1 / 0
        self.assertEqual(mlflow.get_run(failed.info.run_id).info.status, "FAILED")
        with mlflow.start_run(run_id=failed.info.run_id):
            self.assertEqual(mlflow.get_run(failed.info.run_id).info.status, "RUNNING")
            mlflow.log_metric("late", 1)
        self.assertEqual(mlflow.get_run(failed.info.run_id).info.status, "FINISHED")

    def test_asynchronous_logging_arrives(self) -> None:
        mlflow.set_experiment(experiment_id=self.experiment)
        with mlflow.start_run() as run:
            for step in range(50):
                mlflow.log_metric("m", step, step=step, synchronous=False)
            mlflow.log_param("p", 1, synchronous=False)
            mlflow.flush_async_logging()
        self.assertEqual(len(self.client.get_metric_history(run.info.run_id, "m")), 50)
        self.assertEqual(mlflow.get_run(run.info.run_id).data.params, {"p": "1"})


class Metrics(Suite):
    def test_every_double_and_every_step_comes_back(self) -> None:
        run = self.run_id()
        values = [0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, 1e-7]
        steps = [0, 1, -1, GREATEST, -GREATEST - 1, 2**53, 2**53 + 1]
        logged = [Metric("m", value, 1, step) for value, step in zip(values, steps)]
        self.client.log_batch(run, logged)
        self.client.log_batch(run, logged)
        self.client.log_metric(run, "m", math.nan, 2, 5)
        found = [(one.value, one.step) for one in self.client.get_metric_history(run, "m")]
        self.assertEqual(len(found), 8)
        self.assertEqual(set(zip(values, steps)), set(found[:7]))
        self.assertTrue(math.isnan(found[7][0]))
        self.assertEqual(self.client.get_run(run).data.metrics["m"], 1.7976931348623157e308)

    def test_the_latest_is_by_step_time_and_value(self) -> None:
        run = self.run_id()
        for value, timestamp, step in [(1, 5, 1), (2, 4, 1), (9, 9, 0), (3, 5, 1)]:
            self.client.log_metric(run, "m", value, timestamp, step)
        self.assertEqual(self.client.get_run(run).data.metrics, {"m": 3})

    def test_a_history_of_more_than_a_page_is_whole(self) -> None:
        run = self.run_id()
        for start in range(0, 30_000, 1_000):
            steps = range(start, start + 1_000)
            self.client.log_batch(run, [Metric("m", step / 7, step, step) for step in steps])
        history = self.client.get_metric_history(run, "m")
        self.assertEqual([one.step for one in history], list(range(30_000)))
        self.assertEqual(history[12_345].value, 12_345 / 7)


class Attributes(Suite):
    def test_a_param_is_written_once(self) -> None:
        run = self.run_id()
        self.client.log_param(run, "p", "1")
        self.client.log_param(run, "p", "1")
        said = self.refused("INVALID_PARAMETER_VALUE", self.client.log_param, run, "p", "2")
        self.assertIn("Changing param values is not allowed", said)
        batch = ([Metric("m", 1, 1, 1)], [Param("p", "2")], [RunTag("t", "1")])
        self.refused("INVALID_PARAMETER_VALUE", self.client.log_batch, run, *batch)
        self.assertEqual(self.client.get_run(run).data.metrics, {})

    def test_names_of_every_script_and_none_of_others(self) -> None:
        run = self.run_id()
        for name in ["a/b.c-d e:f_1", "größe", "损失"]:
            self.client.log_param(run, name, "v")
            self.client.log_metric(run, name, 0.5)
            self.client.set_tag(run, name, "v")
        self.assertEqual(set(self.client.get_run(run).data.metrics), {"a/b.c-d e:f_1", "größe", "损失"})
        for name in ["a@b", "../a", "a//b", "/a", "."]:
            self.refused("INVALID_PARAMETER_VALUE", self.client.log_metric, run, name, 1)

    def test_tags_are_replaced_and_removed(self) -> None:
        run = self.run_id(run_name="before")
        self.client.set_tag(run, "t", "1")
        self.client.set_tag(run, "t", "2")
        self.client.update_run(run, name="after")
        read = self.client.get_run(run)
        self.assertEqual((read.data.tags["t"], read.info.run_name), ("2", "after"))
        self.client.delete_tag(run, "t")
        self.refused("RESOURCE_DOES_NOT_EXIST", self.client.delete_tag, run, "t")


class Lifecycle(Suite):
    def test_runs_are_deleted_and_restored(self) -> None:
        run = self.run_id()
        self.client.delete_run(run)
        self.refused("INVALID_PARAMETER_VALUE", self.client.log_metric, run, "m", 1)
        found = self.client.search_runs([self.experiment], run_view_type=ViewType.DELETED_ONLY)
        self.assertEqual([one.info.run_id for one in found], [run])
        self.client.restore_run(run)
        self.client.log_metric(run, "m", 1)

    def test_experiments_too_with_their_names(self) -> None:
        name = fresh("named")
        experiment = self.client.create_experiment(name, tags={"k": "v"})
        self.refused("RESOURCE_ALREADY_EXISTS", self.client.create_experiment, name)
        self.client.delete_experiment(experiment)
        self.assertEqual(self.client.get_experiment(experiment).lifecycle_stage, "deleted")
        self.client.restore_experiment(experiment)
        self.client.rename_experiment(experiment, f"{name} again")
        self.assertEqual(self.client.get_experiment_by_name(f"{name} again").tags, {"k": "v"})
        self.assertIsNone(self.client.get_experiment_by_name(name))

    def test_what_is_not_there_says_so(self) -> None:
        self.refused("RESOURCE_DOES_NOT_EXIST", self.client.get_run, "0" * 26)
        self.refused("RESOURCE_DOES_NOT_EXIST", self.client.get_experiment, "0" * 26)
        self.refused("RESOURCE_DOES_NOT_EXIST", self.client.get_registered_model, "none")


class Files(Suite):
    """Artifacts: what a script writes, lists and downloads again."""

    def setUp(self) -> None:
        super().setUp()
        self.run = self.run_id()

    def listed(self, path: str | None = None) -> list[tuple[str, bool, int | None]]:
        found = self.client.list_artifacts(self.run, path)
        return [(one.path, one.is_dir, one.file_size) for one in found]

    def downloaded(self, path: str) -> pathlib.Path:
        return pathlib.Path(self.client.download_artifacts(self.run, path))

    def test_files_of_every_name_and_size_come_back(self) -> None:
        files = {
            "plain.txt": b"content",
            "empty": b"",
            "a b+c&d=e.txt": b"spaces",
            "größe 损失.bin": "größe".encode(),
            "100%.txt": b"percent",
            "large.bin": os.urandom(20_000_000),
        }
        for name, content in files.items():
            self.client.log_artifact(self.run, self.local(name, content))
        self.assertEqual(
            self.listed(), sorted((name, False, len(content)) for name, content in files.items())
        )
        for name, content in files.items():
            self.assertEqual(self.downloaded(name).read_bytes(), content, name)

    def test_folders_are_logged_listed_and_downloaded_whole(self) -> None:
        tree = {"a": b"1", "b/c": b"22", "b/d/e": b"333", "b/d/leer": b"", "ü/x": b"4"}
        for name, content in tree.items():
            self.local(f"tree/{name}", content)
        self.client.log_artifacts(self.run, self.place / "tree", "out/put")
        self.client.log_artifacts(self.run, self.place / "tree")
        self.assertEqual(self.listed("out"), [("out/put", True, None)])
        self.assertEqual(self.listed("out/put/b"), [("out/put/b/c", False, 2), ("out/put/b/d", True, None)])
        self.assertEqual(self.listed("out/put/a"), [])
        self.assertEqual(self.listed("nothing"), [])
        self.assertEqual([path for path, _, _ in self.listed()], ["a", "b", "out", "ü"])
        for found in (self.downloaded("out/put"), self.downloaded("")):
            for name, content in tree.items():
                self.assertEqual((found / name).read_bytes(), content, name)

    def test_a_file_is_replaced(self) -> None:
        for text in ["first", "", "the last"]:
            self.client.log_text(self.run, text, "notes/a.txt")
            self.assertEqual(self.downloaded("notes/a.txt").read_text(), text)
        self.assertEqual(self.listed("notes"), [("notes/a.txt", False, 8)])

    def test_files_are_deleted(self) -> None:
        from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

        for name in ["a/b", "a/c", "d"]:
            self.client.log_text(self.run, name, name)
        repository = get_artifact_repository(self.client.get_run(self.run).info.artifact_uri)
        repository.delete_artifacts("a")
        repository.delete_artifacts("nothing")
        self.assertEqual([path for path, _, _ in self.listed()], ["d"])

    def test_what_is_not_there_or_climbs_is_refused(self) -> None:
        self.client.log_text(self.run, "x", "f")
        with self.assertRaises(Exception):
            self.downloaded("nothing")
        with self.assertRaises(Exception):
            self.client.log_text(self.run, "x", "../outside")
        self.assertEqual(self.listed(), [("f", False, 1)])

    def test_another_organization_reads_nothing(self) -> None:
        self.client.log_text(self.run, "secret", "f")
        uri = self.client.get_run(self.run).info.artifact_uri
        own = os.environ["MLFLOW_TRACKING_TOKEN"]
        os.environ["MLFLOW_TRACKING_TOKEN"] = os.environ["LOSSLESS_RIVAL_KEY"]
        try:
            with self.assertRaises(Exception):
                mlflow.artifacts.load_text(f"{uri}/f")
        finally:
            os.environ["MLFLOW_TRACKING_TOKEN"] = own
        self.assertEqual(mlflow.artifacts.load_text(f"{uri}/f"), "secret")


class Searches(Suite):
    def test_pages_hold_every_run_once(self) -> None:
        runs = [self.run_id(start_time=at // 3) for at in range(11)]
        found: list[str] = []
        token = None
        while True:
            page = self.client.search_runs([self.experiment], max_results=4, page_token=token)
            found += [one.info.run_id for one in page]
            token = page.token
            if not token:
                break
        self.assertEqual(sorted(found), sorted(runs))
        self.assertEqual(len(found), 11)

    def test_experiments_are_searched(self) -> None:
        mark = uuid.uuid4().hex
        for name in "ab":
            self.client.create_experiment(f"{mark} {name}", tags={"mark": mark})
        found = mlflow.search_experiments(filter_string=f"tags.mark = '{mark}'", order_by=["name"])
        self.assertEqual([one.name[-1] for one in found], ["a", "b"])

    def test_another_organization_sees_nothing(self) -> None:
        run = self.run_id()
        own = os.environ["MLFLOW_TRACKING_TOKEN"]
        os.environ["MLFLOW_TRACKING_TOKEN"] = os.environ["LOSSLESS_RIVAL_KEY"]
        try:
            self.refused("RESOURCE_DOES_NOT_EXIST", self.client.get_run, run)
            self.assertEqual(list(self.client.search_runs([self.experiment])), [])
        finally:
            os.environ["MLFLOW_TRACKING_TOKEN"] = own

