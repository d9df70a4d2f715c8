"""What users of MLflow do with data sets, models and frames, by its unmodified client."""

from __future__ import annotations

import pathlib

import mlflow
import pandas
from mlflow.entities import LoggedModelInput, LoggedModelOutput
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from suite import Suite


class Frames(Suite):
    def test_search_runs_gives_a_frame(self) -> None:
        for at in range(3):
            run = self.run_id(run_name=f"r{at}", start_time=at)
            self.client.log_param(run, "at", at)
            self.client.log_metric(run, "m", at)
        frame = mlflow.search_runs([self.experiment], "metrics.m >= 1", order_by=["metrics.m DESC"])
        self.assertEqual(list(frame["params.at"]), ["2", "1"])

    def test_the_fluent_helpers(self) -> None:
        import numpy

        mlflow.set_experiment(experiment_id=self.experiment)
        with mlflow.start_run() as run:
            mlflow.log_text("größe", "t/a.txt")
            mlflow.log_dict({"lr": 0.1, "ü": [1, None]}, "d.json")
            mlflow.log_dict({"lr": 0.1}, "d.yaml")
            mlflow.log_artifact(self.local("f.bin", bytes(range(256))), "bytes")
            mlflow.log_table({"prompt": ["a", "b"], "score": [1, 2]}, "table.json")
            mlflow.log_table({"prompt": ["c"], "score": [3]}, "table.json")
            image = numpy.arange(48, dtype=numpy.uint8).reshape(4, 4, 3)
            mlflow.log_image(image, "image.png")
            mlflow.log_image(image, key="at", step=3)
        load = mlflow.artifacts.load_dict, mlflow.artifacts.load_text, mlflow.artifacts.load_image
        root = run.info.artifact_uri
        self.assertEqual(load[0](f"{root}/d.json"), {"lr": 0.1, "ü": [1, None]})
        self.assertEqual(load[1](f"{root}/t/a.txt"), "größe")
        self.assertTrue((numpy.asarray(load[2](f"{root}/image.png")) == image).all())
        table = mlflow.load_table("table.json", run_ids=[run.info.run_id])
        self.assertEqual(list(table["score"]), [1, 2, 3])
        self.assertEqual(len(self.client.list_artifacts(run.info.run_id, "images")), 2)
        found = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="bytes")
        self.assertEqual((pathlib.Path(found) / "f.bin").read_bytes(), bytes(range(256)))


class Datasets(Suite):
    def test_inputs_are_read_back_and_found(self) -> None:
        mlflow.set_experiment(experiment_id=self.experiment)
        data = mlflow.data.from_pandas(pandas.DataFrame({"x": [1, 2]}), name="numbers")
        with mlflow.start_run() as run:
            mlflow.log_input(data, context="train", tags={"more": "1"})
            mlflow.log_input(data, context="test")
        (found,) = mlflow.get_run(run.info.run_id).inputs.dataset_inputs
        self.assertEqual(found.dataset.to_dictionary(), data.to_dict())
        tags = {tag.key: tag.value for tag in found.tags}
        self.assertEqual(tags, {"mlflow.data.context": "train", "more": "1"})
        source = mlflow.data.get_source(found)
        self.assertEqual(source.to_dict(), data.source.to_dict())
        for word, count in [("name = 'numbers'", 1), ("context = 'test'", 0)]:
            runs = self.client.search_runs([self.experiment], f"dataset.{word}")
            self.assertEqual(len(runs), count, word)


class Models(Suite):
    def model(self, name: str = "net", **more: object):
        return self.client.create_logged_model(self.experiment, name, **more)

    def test_a_model_is_described_and_finalized(self) -> None:
        params = {f"p{at}": str(at) for at in range(250)}
        model = self.model(params=params, tags={"t": "1"}, model_type="agent")
        self.assertEqual((model.status, model.params), ("PENDING", params))
        self.client.finalize_logged_model(model.model_id, "READY")
        self.client.set_logged_model_tags(model.model_id, {"t": "2", "u": "3"})
        self.client.delete_logged_model_tag(model.model_id, "u")
        self.client.log_model_params(model.model_id, {"late": "1"})
        read = self.client.get_logged_model(model.model_id)
        self.assertEqual((read.status, read.tags, read.model_type), ("READY", {"t": "2"}, "agent"))
        self.assertEqual(read.params, {**params, "late": "1"})
        self.assertGreaterEqual(read.last_updated_timestamp, read.creation_timestamp)
        tag = (model.model_id, "u")
        self.refused("RESOURCE_DOES_NOT_EXIST", self.client.delete_logged_model_tag, *tag)
        self.refused("INVALID_PARAMETER_VALUE", self.model, "a/b")

    def test_runs_name_their_models_and_measure_them(self) -> None:
        run, model = self.run_id(), self.model().model_id
        self.client.log_outputs(run, [LoggedModelOutput(model, 3)])
        self.client.log_inputs(run, models=[LoggedModelInput(model)])
        for value, digest in [(0.5, "1"), (0.75, "2")]:
            named = {"model_id": model, "dataset_name": "iris", "dataset_digest": digest}
            self.client.log_metric(run, "acc", value, 5, 3, **named)
        read = self.client.get_run(run)
        self.assertEqual([one.model_id for one in read.inputs.model_inputs], [model])
        self.assertEqual([one.step for one in read.outputs.model_outputs], [3])
        self.assertEqual(read.data.metrics, {"acc": 0.75})
        metrics = self.client.get_logged_model(model).metrics
        found = {(one.key, one.value, one.dataset_digest, one.run_id) for one in metrics}
        self.assertEqual(found, {("acc", 0.5, "1", run), ("acc", 0.75, "2", run)})

    def test_models_are_searched_and_deleted(self) -> None:
        run = self.run_id()
        for at in range(5):
            model = self.model(f"m{at}", params={"even": str(at % 2 == 0)})
            self.client.log_metric(run, "acc", at / 10, 1, model_id=model.model_id)
        search = self.client.search_logged_models
        order = [{"field_name": "metrics.acc", "ascending": False}]
        wanted = "params.even = 'True' AND metrics.acc > 0.1"
        found = search([self.experiment], wanted, order_by=order)
        self.assertEqual([one.name for one in found], ["m4", "m2"])
        first = search([self.experiment], max_results=3, order_by=order)
        rest = search([self.experiment], max_results=3, order_by=order, page_token=first.token)
        self.assertEqual([one.name for one in [*first, *rest]], ["m4", "m3", "m2", "m1", "m0"])
        self.assertIsNone(rest.token)
        frame = mlflow.search_logged_models([self.experiment], "name = 'm1'")
        self.assertEqual(list(frame["name"]), ["m1"])
        self.client.delete_logged_model(found[0].model_id)
        self.refused(
            "RESOURCE_DOES_NOT_EXIST", self.client.get_logged_model, found[0].model_id
        )
        self.assertEqual(len(search([self.experiment])), 4)


class Doubled(mlflow.pyfunc.PythonModel):
    def predict(self, model_input: list[float]) -> list[float]:
        return [2 * one for one in model_input]


class Flavours(Suite):
    def test_a_model_is_logged_and_loaded(self) -> None:
        mlflow.set_experiment(experiment_id=self.experiment)
        with mlflow.start_run() as run:
            info = mlflow.pyfunc.log_model(
                name="doubled", python_model=Doubled(), pip_requirements=["mlflow"]
            )
            mlflow.log_metric("acc", 0.5, model_id=info.model_id)
        self.assertEqual(mlflow.pyfunc.load_model(info.model_uri).predict([1.5]), [3.0])
        model = mlflow.get_logged_model(info.model_id)
        self.assertEqual((model.status, model.source_run_id), ("READY", run.info.run_id))
        self.assertEqual([one.value for one in model.metrics], [0.5])
        outputs = mlflow.get_run(run.info.run_id).outputs.model_outputs
        self.assertEqual([one.model_id for one in outputs], [info.model_id])
        uri = f"runs:/{run.info.run_id}/doubled"
        self.assertEqual(mlflow.pyfunc.load_model(uri).predict([2.0]), [4.0])

    def test_autologging_of_scikit_learn(self) -> None:
        mlflow.set_experiment(experiment_id=self.experiment)
        mlflow.sklearn.autolog()
        try:
            values, classes = load_iris(return_X_y=True, as_frame=True)
            with mlflow.start_run() as run:
                fitted = LogisticRegression(max_iter=500, C=0.5).fit(values, classes)
        finally:
            mlflow.sklearn.autolog(disable=True)
        read = mlflow.get_run(run.info.run_id)
        self.assertEqual((read.data.params["C"], read.info.status), ("0.5", "FINISHED"))
        accuracy = fitted.score(values, classes)
        self.assertEqual(read.data.metrics["training_accuracy_score"], accuracy)
        (data,) = read.inputs.dataset_inputs
        self.assertEqual([tag.value for tag in data.tags], ["train"])
        (output,) = read.outputs.model_outputs
        model = mlflow.get_logged_model(output.model_id)
        self.assertEqual((model.status, model.params["C"]), ("READY", "0.5"))
        self.assertIn("training_accuracy_score", [one.key for one in model.metrics])
        loaded = mlflow.sklearn.load_model(f"models:/{output.model_id}")
        self.assertEqual(list(loaded.predict(values)), list(fitted.predict(values)))
