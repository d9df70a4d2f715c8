"""What `npm run test:mlflow -- --record` writes down: a walk through what scripts do with MLflow.

recorded_script.py tracking | files | models | older

Every run has a name and every search a bound, so that a service with other runs answers the same.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag, ViewType
from mlflow.exceptions import MlflowException


def refused(work: object, *given: object) -> None:
    try:
        work(*given)
    except MlflowException:
        return
    raise AssertionError(f"{work} was not refused")


def tracking(word: str) -> None:
    name = f"recorded/{word}"
    experiment = mlflow.set_experiment(name).experiment_id
    with mlflow.start_run(run_name="one", description="what it is") as run:
        mlflow.log_param("lr", 0.1)
        mlflow.log_params({"depth": 3, "empty": ""})
        for step in range(3):
            mlflow.log_metric("loss", 1 / (step + 1), step=step, timestamp=5)
        mlflow.log_metrics({"acc": 0.5, "größe": 0.25}, step=2, timestamp=6)
        mlflow.set_tag("team", "vision")
        mlflow.set_tags({"a": 1, "b/c": True})
        mlflow.log_metric("odd", float("nan"), step=-1, timestamp=7)
        mlflow.log_metric("odd", float("inf"), step=1, timestamp=7)
        with mlflow.start_run(run_name="inner", nested=True):
            mlflow.log_metric("inner", 1, step=0, timestamp=5)
    try:
        with mlflow.start_run(run_name="failed") as failed:
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    with mlflow.start_run(run_id=failed.info.run_id):
        mlflow.log_metric("late", 1, step=0, timestamp=5)
    client = MlflowClient()
    client.get_metric_history(run.info.run_id, "loss")
    client.get_metric_history(run.info.run_id, "odd")
    batch = [Metric("m", at / 4, 5 + at, at) for at in range(4)]
    for _ in range(2):
        client.log_batch(run.info.run_id, batch, [Param("p", "1")], [RunTag("t", "u")])
    client.delete_tag(run.info.run_id, "t")
    refused(client.delete_tag, run.info.run_id, "t")
    refused(client.log_param, run.info.run_id, "p", "2")
    searched = [experiment]
    client.search_runs(searched, "metrics.acc > 0.25 AND tags.team = 'vision'")
    client.search_runs(searched, "params.lr IS NOT NULL", order_by=["metrics.loss DESC"])
    page = client.search_runs(searched, max_results=2, order_by=["run_name"])
    client.search_runs(searched, max_results=2, order_by=["run_name"], page_token=page.token)
    refused(client.search_runs, searched, "metrics.acc >")
    client.update_run(run.info.run_id, name="renamed")
    client.delete_run(run.info.run_id)
    refused(client.set_tag, run.info.run_id, "t", "u")
    client.search_runs(searched, run_view_type=ViewType.DELETED_ONLY)
    client.restore_run(run.info.run_id)
    client.set_terminated(run.info.run_id, "KILLED", 9)
    client.get_run(run.info.run_id)
    client.set_experiment_tag(experiment, "k", "v")
    client.search_experiments(filter_string=f"name = '{name}' AND tags.k = 'v'")
    refused(client.create_experiment, name)
    client.rename_experiment(experiment, f"{name} again")
    client.delete_experiment(experiment)
    client.get_experiment(experiment)
    client.restore_experiment(experiment)
    client.get_experiment_by_name(f"{name} again")
    refused(client.get_run, "0" * 26)


def files(word: str) -> None:
    client = MlflowClient()
    experiment = client.create_experiment(f"recorded/{word}")
    run = client.create_run(experiment, start_time=1_000, run_name="files").info.run_id
    with tempfile.TemporaryDirectory() as place:
        tree = {"a": b"1", "b/c d+e.txt": b"22", "b/leer": b"", "ü.bin": bytes(range(256)) * 4}
        for name, content in tree.items():
            path = Path(place, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        client.log_artifacts(run, place, "out")
        client.log_artifact(run, str(Path(place, "a")))
    client.log_text(run, "größe", "notes/a.txt")
    client.log_text(run, "after", "notes/a.txt")
    client.log_dict(run, {"lr": 0.1}, "d.json")
    client.list_artifacts(run)
    client.list_artifacts(run, "out/b")
    client.list_artifacts(run, "nothing")
    with tempfile.TemporaryDirectory() as place:
        client.download_artifacts(run, "out", place)
        client.download_artifacts(run, "notes/a.txt", place)
        try:
            client.download_artifacts(run, "nothing", place)
        except Exception:
            pass
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    get_artifact_repository(client.get_run(run).info.artifact_uri).delete_artifacts("out")
    client.list_artifacts(run)


def models(word: str) -> None:
    import numpy
    import pandas
    from sklearn.linear_model import LogisticRegression

    experiment = mlflow.set_experiment(f"recorded/{word}").experiment_id
    data = mlflow.data.from_pandas(pandas.DataFrame({"x": [1, 2]}), name="numbers")
    mlflow.sklearn.autolog()
    with mlflow.start_run(run_name="fitted"):
        mlflow.log_input(data, context="train", tags={"more": "1"})
        values = numpy.arange(40).reshape(20, 2)
        LogisticRegression(max_iter=50, C=0.5).fit(values, values[:, 0] > 20)
    mlflow.sklearn.autolog(disable=True)
    with mlflow.start_run(run_name="by hand") as run:
        model = mlflow.create_external_model("far", params={"p": "1"}, tags={"t": "1"})
        mlflow.log_metric("acc", 0.5, step=1, timestamp=5, model_id=model.model_id)
    client = MlflowClient()
    client.finalize_logged_model(model.model_id, "READY")
    client.set_logged_model_tags(model.model_id, {"t": "2", "u": "3"})
    client.delete_logged_model_tag(model.model_id, "u")
    client.log_model_params(model.model_id, {"late": "1"})
    client.get_logged_model(model.model_id)
    order = [{"field_name": "metrics.acc", "ascending": False}]
    client.search_logged_models([experiment], "metrics.acc > 0.25", order_by=order)
    client.search_runs([experiment], "dataset.name = 'numbers'")
    for found in client.search_logged_models([experiment], "name = 'model'"):
        mlflow.sklearn.load_model(f"models:/{found.model_id}")
    client.delete_logged_model(model.model_id)
    client.get_run(run.info.run_id)


if __name__ == "__main__":
    (_, asked) = sys.argv
    {"tracking": tracking, "files": files, "models": models, "older": tracking}[asked](asked)
