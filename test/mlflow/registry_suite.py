"""What users of MLflow do with its model registry, by its unmodified client."""

from __future__ import annotations

import warnings

import mlflow
from mlflow.exceptions import MlflowException
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from suite import Suite

# Stages are deprecated there, and still used.
warnings.filterwarnings("ignore", category=FutureWarning)


class Registry(Suite):
    def setUp(self) -> None:
        super().setUp()
        mlflow.set_experiment(experiment_id=self.experiment)
        self.name = f"net {self.experiment}"

    def logged(self, seed: int, **more: object):
        x, y = load_iris(return_X_y=True)
        model = LogisticRegression(max_iter=50 + seed).fit(x, y)
        with mlflow.start_run() as run:
            info = mlflow.sklearn.log_model(model, name="model", **more)
        return run.info.run_id, info, model.predict(x[:5]).tolist()

    def predicted(self, uri: str) -> list[int]:
        return mlflow.sklearn.load_model(uri).predict(load_iris(return_X_y=True)[0][:5]).tolist()

    def test_logged_models_are_registered_and_loaded(self) -> None:
        run, info, wanted = self.logged(1, registered_model_name=self.name)
        (version,) = self.client.search_model_versions(f"name = '{self.name}'")
        self.assertEqual((version.version, version.run_id), ("1", run))
        again = mlflow.register_model(info.model_uri, self.name, tags={"from": "uri"})
        self.assertEqual((again.version, again.run_id), ("2", run))
        byrun = mlflow.register_model(f"runs:/{run}/model", self.name)
        self.assertEqual(byrun.version, "3")
        for version in ("1", "2", "3", "latest"):
            self.assertEqual(self.predicted(f"models:/{self.name}/{version}"), wanted, version)
        self.client.set_registered_model_alias(self.name, "champion", "2")
        self.assertEqual(self.predicted(f"models:/{self.name}@champion"), wanted)
        self.client.transition_model_version_stage(self.name, "1", "Production")
        self.assertEqual(self.predicted(f"models:/{self.name}/Production"), wanted)
        self.assertEqual(self.client.get_registered_model(self.name).aliases["production"], "1")
        self.client.delete_model_version(self.name, "2")
        with self.assertRaisesRegex(MlflowException, "champion not found"):
            mlflow.sklearn.load_model(f"models:/{self.name}@champion")

    def test_models_and_versions_are_described_searched_and_copied(self) -> None:
        client, name = self.client, self.name
        made = client.create_registered_model(name, {"key": "value", "number": 12345}, "first")
        self.assertEqual((made.tags, made.description), ({"key": "value", "number": "12345"}, "first"))
        with self.assertRaisesRegex(MlflowException, "Registered Model .+ already exists"):
            client.create_registered_model(name)
        for at in range(5):
            client.create_model_version(name, "runs:/r/model", "r", tags={"at": at}, description=f"d{at}")
        first = client.get_model_version(name, "1")
        self.assertEqual((first.tags, first.status, first.current_stage), ({"at": "0"}, "READY", "None"))
        found, token = [], None
        while True:
            page = client.search_model_versions(f"name = '{name}'", max_results=2, page_token=token)
            found += [each.version for each in page]
            token = page.token
            if not token:
                break
        self.assertEqual(sorted(found), ["1", "2", "3", "4", "5"])
        self.assertEqual(client.search_model_versions(f"name = '{name}' AND tags.at = '3'")[0].version, "4")
        self.assertEqual([each.name for each in client.search_registered_models(f"name = '{name}'")], [name])
        client.set_model_version_tag(name, "1", "empty", "")
        client.delete_model_version_tag(name, "1", "at")
        self.assertEqual(client.get_model_version(name, "1").tags, {"empty": ""})
        client.set_registered_model_alias(name, "best", "5")
        copied = client.copy_model_version(f"models:/{name}@best", f"{name} copied")
        self.assertEqual((copied.source, copied.description), (f"models:/{name}/5", "d4"))
        self.assertEqual(client.get_model_version_download_uri(f"{name} copied", "1"), "runs:/r/model")
        client.rename_registered_model(name, f"{name} again")
        self.assertEqual(client.get_registered_model(f"{name} again").aliases, {"best": "5"})
        client.delete_registered_model(f"{name} again")
        with self.assertRaisesRegex(MlflowException, "not found"):
            client.get_registered_model(f"{name} again")

    def test_stages_follow_each_other(self) -> None:
        client, name = self.client, self.name
        client.create_registered_model(name)
        stages = ["Archived", "Production", "Archived", "Production", "Staging", "Staging", "None"]
        for at, stage in enumerate(stages, 1):
            client.create_model_version(name, "runs:/r/model", "r")
            if stage != "None":
                client.transition_model_version_stage(name, str(at), stage)
        latest = {each.current_stage: each.version for each in client.get_latest_versions(name)}
        self.assertEqual(latest, {"Archived": "3", "Production": "4", "Staging": "6", "None": "7"})
        client.transition_model_version_stage(name, "7", "Production", archive_existing_versions=True)
        self.assertEqual(client.get_model_version(name, "4").current_stage, "Archived")
