"""
`lossless import mlflow` from MLflow's own server, and from its database on PostgreSQL: both sides
are read by MLflow's client, and compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from mlflow import MlflowClient
from mlflow.artifacts import download_artifacts
from mlflow.entities import (
    Dataset,
    DatasetInput,
    InputTag,
    LoggedModelInput,
    LoggedModelOutput,
    Metric,
    Param,
    RunTag,
)

EXPERIMENT = "imported/by name"
GREATEST = 2**63 - 1


class Import(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.address = os.environ["LOSSLESS_MLFLOW_SERVER"]
        cls.there = MlflowClient(cls.address)
        cls.here = MlflowClient()
        cls.record()

    @classmethod
    def record(cls) -> None:
        there = cls.there
        experiment = there.create_experiment(EXPERIMENT, tags={"team": "vision"})
        run = there.create_run(experiment, start_time=1_000, run_name="parent").info.run_id
        child = there.create_run(experiment, 2_000, {"mlflow.parentRunId": run}).info.run_id
        points = [Metric("loss", 1 / (at + 1), 10 * at, at) for at in range(2_345)]
        for at in range(0, len(points), 1_000):
            there.log_batch(run, metrics=points[at : at + 1_000])
        odd = [Metric("odd", float("nan"), 5, 1), Metric("odd", 0.5, GREATEST, GREATEST)]
        odd.append(Metric("odd", 2.0, 6, -3))
        params = [Param(f"p{at}", str(at)) for at in range(150)]
        there.log_batch(run, metrics=odd, params=params[:100], tags=[RunTag("a/b", "é")])
        there.log_batch(run, params=params[100:])
        dataset = Dataset("train", "d1g35t", "local", '{"uri": "x"}', "{}", "{}")
        tags = [InputTag("mlflow.data.context", "training")]
        there.log_inputs(run, [DatasetInput(dataset, tags)])
        there.log_text(run, "some words\n", "notes/été 1.txt")
        there.log_text(run, "", "empty.txt")
        there.log_batch(run, tags=[RunTag(f"long {at}", "é" * 5_000) for at in range(100)])
        cls.model = there.create_logged_model(
            experiment, "classifier", run, {"of": "model"}, {"depth": "3"}, "cnn"
        ).model_id
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "data").mkdir()
            (folder / "MLmodel").write_text("flavors: none\n")
            (folder / "data/é.bin").write_bytes(bytes(range(256)))
            there.log_model_artifacts(cls.model, name)
        there.finalize_logged_model(cls.model, "READY")
        there.log_outputs(run, [LoggedModelOutput(cls.model, 7)])
        there.log_metric(run, "acc", 0.75, 50, 7, model_id=cls.model)
        there.set_terminated(run, "FINISHED", 9_000)
        there.set_terminated(child, "FAILED", 8_000)
        cls.running = there.create_run(experiment, 3_000).info.run_id
        there.delete_run(there.create_run(experiment, 4_000).info.run_id)

    def lossless(self, *words: str, code: int = 0) -> dict:
        command = [os.environ["LOSSLESS_NODE"], os.environ["LOSSLESS_COMMAND"], "import", "mlflow"]
        environment = {name: os.environ[name] for name in os.environ if "MLFLOW" not in name}
        done = subprocess.run(
            [*command, self.address, "--json", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else {"error": done.stderr}

    def compare(self, origin: str, here: str) -> None:
        one, other = self.there.get_run(origin), self.here.get_run(here)
        for name in ("run_name", "status", "start_time", "end_time"):
            self.assertEqual(getattr(one.info, name), getattr(other.info, name), name)
        self.assertEqual(one.data.params, other.data.params)
        own = {"lossless.import.run", "lossless.import.complete"}
        tags = {name: value for name, value in other.data.tags.items() if name not in own}
        wanted = dict(one.data.tags)
        if "mlflow.parentRunId" in wanted:
            parent = self.here.get_run(tags.pop("mlflow.parentRunId"))
            origin_of = parent.data.tags["lossless.import.run"]
            self.assertEqual(origin_of, wanted.pop("mlflow.parentRunId"))
        self.assertEqual(tags, wanted)
        self.assertEqual(sorted(one.data.metrics), sorted(other.data.metrics))
        for key in one.data.metrics:
            self.assertEqual(self.history(self.there, origin, key), self.history(self.here, here, key))
        inputs = [
            sorted((each.dataset.to_dictionary().items()), key=str)
            for run in (one, other)
            for each in run.inputs.dataset_inputs
        ]
        self.assertEqual(inputs[: len(inputs) // 2], inputs[len(inputs) // 2 :])

    def history(self, client: MlflowClient, run: str, key: str) -> list[tuple]:
        points = client.get_metric_history(run, key)
        return sorted((repr(one.value), one.timestamp, one.step) for one in points)

    def test_all_of_it_is_here_once_and_what_goes_on_is_followed(self) -> None:
        first = self.lossless("--experiment", EXPERIMENT)
        ids = {each["from"]: each["runId"] for each in first["runs"]}
        self.assertEqual(len(ids), 3)
        for origin, here in ids.items():
            self.compare(origin, here)
        experiment = self.here.get_experiment_by_name(EXPERIMENT)
        self.assertEqual(experiment.tags["team"], "vision")
        parent = next(each for each in first["runs"] if each["points"] == 2_349)
        self.compare_models(first["models"], parent["runId"])
        self.assertEqual(parent["files"], 2)
        with tempfile.TemporaryDirectory() as folder:
            found = Path(self.here.download_artifacts(parent["runId"], "", folder))
            self.assertEqual((found / "notes/été 1.txt").read_text(), "some words\n")
            self.assertEqual((found / "empty.txt").read_bytes(), b"")
        self.there.log_metric(self.running, "late", 1.5, 7, 3)
        self.there.set_experiment_tag(self.there.get_run(self.running).info.experiment_id, "team", "speech")
        again = self.lossless("--experiment", EXPERIMENT)
        self.assertEqual({each["from"]: each["runId"] for each in again["runs"]}, ids)
        copied = [each["from"] for each in again["runs"] if not each["isKnown"]]
        self.assertEqual(copied, [self.running])
        self.compare(self.running, ids[self.running])
        self.assertEqual([True], [each["isKnown"] for each in again["models"]])
        experiment = self.here.get_experiment_by_name(EXPERIMENT)
        self.assertEqual(experiment.tags["team"], "speech")

    def compare_models(self, copied: list[dict], run: str) -> None:
        self.assertEqual([self.model], [each["from"] for each in copied])
        one = self.there.get_logged_model(self.model)
        other = self.here.get_logged_model(copied[0]["modelId"])
        for name in ("name", "model_type", "status", "params"):
            self.assertEqual(getattr(one, name), getattr(other, name), name)
        self.assertEqual(other.tags["of"], "model")
        self.assertEqual(other.source_run_id, run)
        metrics = [(each.key, each.value, each.timestamp, each.step, each.run_id) for each in other.metrics]
        self.assertEqual(metrics, [("acc", 0.75, 50, 7, run)])
        outputs = self.here.get_run(run).outputs.model_outputs
        self.assertEqual([(other.model_id, 7)], [(each.model_id, each.step) for each in outputs])
        with tempfile.TemporaryDirectory() as folder:
            found = Path(download_artifacts(f"models:/{other.model_id}", dst_path=folder))
            self.assertEqual((found / "MLmodel").read_text(), "flavors: none\n")
            self.assertEqual((found / "data/é.bin").read_bytes(), bytes(range(256)))

    def test_a_model_gets_what_comes_between_two_imports(self) -> None:
        there = self.there
        experiment = there.create_experiment("models/that go on")
        run = there.create_run(experiment).info.run_id
        pending, ready = (
            there.create_logged_model(experiment, name, run).model_id for name in ("pending", "ready")
        )
        there.finalize_logged_model(ready, "READY")
        there.log_metric(run, "acc", 0.5, 10, 1, model_id=ready)
        first = self.lossless("--experiment", "models/that go on")
        here = {each["from"]: each["modelId"] for each in first["models"]}
        self.assertEqual(self.here.get_logged_model(here[pending]).status, "PENDING")
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "MLmodel").write_text("flavors: late\n")
            there.log_model_artifacts(pending, name)
        there.finalize_logged_model(pending, "READY")
        there.log_metric(run, "acc", 0.75, 20, 2, model_id=ready)
        again = self.lossless("--experiment", "models/that go on")
        self.assertEqual(here, {each["from"]: each["modelId"] for each in again["models"]})
        self.assertEqual([False, False], [each["isKnown"] for each in again["models"]])
        self.assertEqual(self.here.get_logged_model(here[pending]).status, "READY")
        with tempfile.TemporaryDirectory() as folder:
            found = Path(download_artifacts(f"models:/{here[pending]}", dst_path=folder))
            self.assertEqual((found / "MLmodel").read_text(), "flavors: late\n")
        metrics = self.here.get_logged_model(here[ready]).metrics
        self.assertEqual(sorted((each.value, each.step) for each in metrics), [(0.5, 1), (0.75, 2)])
        last = self.lossless("--experiment", "models/that go on")
        self.assertEqual([True, True], [each["isKnown"] for each in last["models"]])

    def test_a_run_of_another_experiment_keeps_the_model_that_it_evaluates(self) -> None:
        there = self.there
        names = ["models/evaluated", "models/evaluating"]
        evaluated, evaluating = (there.create_experiment(name) for name in names)
        run = there.create_run(evaluating).info.run_id
        model = there.create_logged_model(evaluated, "m").model_id
        there.finalize_logged_model(model, "READY")
        there.log_inputs(run, models=[LoggedModelInput(model)])
        there.log_metric(run, "acc", 0.25, 10, 1, model_id=model)
        there.set_terminated(run)
        copied = self.lossless(*(word for name in names for word in ("--experiment", name)))
        [here] = (each["modelId"] for each in copied["models"])
        [run_here] = (each["runId"] for each in copied["runs"])
        inputs = self.here.get_run(run_here).inputs.model_inputs
        self.assertEqual([here], [each.model_id for each in inputs])
        metrics = self.here.get_logged_model(here).metrics
        self.assertEqual([(0.25, run_here)], [(each.value, each.run_id) for each in metrics])
        again = self.lossless(*(word for name in names for word in ("--experiment", name)))
        self.assertEqual([True, True], [each["isKnown"] for each in [*again["runs"], *again["models"]]])

    def test_an_experiment_that_is_not_there_is_told(self) -> None:
        refused = self.lossless("--experiment", "nobody's", code=1)
        self.assertIn("has no experiment named nobody's", refused["error"])


class ImportFromDatabase(Import):
    """MLflow's client records into the database itself, its files below the working directory."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.addClassCleanup(os.chdir, Path.cwd())
        os.chdir(directory.name)
        cls.address = os.environ["LOSSLESS_MLFLOW_DATABASE"]
        cls.there = MlflowClient(cls.address)
        cls.here = MlflowClient()
        cls.record()


if __name__ == "__main__":
    unittest.main()
