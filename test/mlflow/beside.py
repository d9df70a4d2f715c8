"""The same work at MLflow's own server and at the service: what either holds of it, to compare."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import unittest
from collections.abc import Callable

import mlflow
from lossless import Reader
from mlflow import MlflowClient
from mlflow.entities import Experiment, LoggedModel, Run
from suite import fresh

# What names ids, times or the machine, and so differs between any two runs.
OWN_TAGS = {"mlflow.log-model.history", "datetime_start", "datetime_complete"}
NAMELESS = {"mlflow.runName"}


class Beside(unittest.TestCase):
    """Trains twice, and compares what the two servers have of it; ours is read natively, too."""

    maxDiff = None

    def compare(self, train: Callable[[Experiment], object], *, names: bool = False) -> list[Run]:
        """Gives the runs that the service has, in the order in which they began."""
        tracking_uri = os.environ["MLFLOW_TRACKING_URI"]
        self.addCleanup(mlflow.set_tracking_uri, tracking_uri)
        described = []
        for uri in (os.environ["LOSSLESS_MLFLOW_SERVER"], tracking_uri):
            mlflow.set_tracking_uri(uri)
            experiment = mlflow.set_experiment(fresh("framework"))
            train(experiment)
            mlflow.flush_async_logging()
            client = MlflowClient(uri)
            runs = list(client.search_runs([experiment.experiment_id], order_by=["start_time", "run_name"]))
            described.append([described_run(client, run, names) for run in runs])
        there, here = described
        self.assertGreater(len(here), 0)
        self.assertEqual(there, here)
        self.read_natively(client, runs)
        return runs

    def read_natively(self, client: MlflowClient, runs: list[Run]) -> None:
        with Reader() as reader:
            for run in runs:
                attributes = reader.attributes(run.info.run_id)
                self.assertEqual(pairs(attributes["params"]), run.data.params)
                self.assertEqual(pairs(attributes["tags"]), run.data.tags)
                self.assertEqual(attributes["name"], run.info.run_name)
                for key in run.data.metrics:
                    points = client.get_metric_history(run.info.run_id, key)
                    wanted = sorted((one.step, one.timestamp, one.value) for one in points)
                    series = reader.series(run.info.run_id, key)
                    columns = (series.step, series.timestamp_ms, series.value)
                    found = sorted(zip(*(column.tolist() for column in columns)))
                    self.assertEqual(found, wanted, key)


def pairs(rows: list[dict[str, str]]) -> dict[str, str]:
    return {row["key"]: row["value"] for row in rows}


def described_run(client: MlflowClient, run: Run, names: bool) -> dict[str, object]:
    """Everything of a run but ids, times and names that a server makes up."""
    left_out = OWN_TAGS if names else OWN_TAGS | NAMELESS
    tags = {key: value for key, value in run.data.tags.items() if key not in left_out}
    if "mlflow.parentRunId" in tags:
        tags["mlflow.parentRunId"] = "another run"
    outputs = run.outputs.model_outputs if run.outputs is not None else []
    models = [client.get_logged_model(one.model_id) for one in outputs]
    return {
        "status": run.info.status,
        "params": run.data.params,
        "tags": tags,
        "metrics": {
            key: sorted((one.step, one.value) for one in client.get_metric_history(run.info.run_id, key))
            for key in run.data.metrics
        },
        "files": files_of(lambda folder: mlflow.artifacts.download_artifacts(
            run_id=run.info.run_id, dst_path=folder
        )),
        "inputs": [described_input(one) for one in run.inputs.dataset_inputs],
        "models": [described_model(one) for one in models],
    }


def described_input(one: object) -> dict[str, object]:
    dataset = one.dataset.to_dictionary()
    tags = {tag.key: tag.value for tag in one.tags}
    return {"dataset": {**dataset, "source": json.loads(dataset["source"])}, "tags": tags}


def described_model(model: LoggedModel) -> dict[str, object]:
    uri = f"models:/{model.model_id}"
    return {
        "name": model.name,
        "type": model.model_type,
        "status": str(model.status),
        "params": model.params,
        "metrics": sorted((one.key, one.step, one.value) for one in model.metrics or []),
        "files": files_of(
            lambda folder: mlflow.artifacts.download_artifacts(artifact_uri=uri, dst_path=folder)
        ),
    }


def files_of(download: Callable[[str], str]) -> dict[str, str]:
    """Paths of files with what is in them, where that is a text which names no run."""
    with tempfile.TemporaryDirectory(prefix="lossless-mlflow-") as folder:
        root = pathlib.Path(download(folder))
        paths = sorted(path for path in root.rglob("*") if path.is_file())
        return {str(path.relative_to(root)): content_of(path) for path in paths}


def content_of(path: pathlib.Path) -> str:
    is_compared = path.suffix in {".json", ".txt"}
    return path.read_text() if is_compared else "some bytes" if path.stat().st_size > 0 else ""
