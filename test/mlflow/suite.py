"""What the suites of MLflow's client stand on; the service is that of the environment."""

from __future__ import annotations

import functools
import pathlib
import tempfile
import unittest
import uuid

from mlflow import MlflowClient
from mlflow.exceptions import MlflowException


def fresh(word: str) -> str:
    return f"{word} {uuid.uuid4()}"


class Suite(unittest.TestCase):
    def setUp(self) -> None:
        self.client = MlflowClient()
        self.experiment = self.client.create_experiment(fresh("suite"))

    def run_id(self, **more: object) -> str:
        return self.client.create_run(self.experiment, **more).info.run_id

    def refused(self, code: str, work: object, *given: object) -> str:
        with self.assertRaises(MlflowException) as raised:
            work(*given)
        self.assertEqual(raised.exception.error_code, code)
        return str(raised.exception)

    @functools.cached_property
    def place(self) -> pathlib.Path:
        """A directory that goes with the test."""
        directory = tempfile.TemporaryDirectory(prefix="lossless-mlflow-")
        self.addCleanup(directory.cleanup)
        return pathlib.Path(directory.name)

    def local(self, name: str, content: bytes) -> pathlib.Path:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path
