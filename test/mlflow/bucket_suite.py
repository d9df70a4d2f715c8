"""Large files of an organization with a bucket: the client sends and reads them there, in parts."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from mlflow import MlflowClient
from mlflow.store.artifact.http_artifact_repo import HttpArtifactRepository
from mlflow.utils.server_info import _clear_server_info_cache

PART = 5 * 2**20

# The thresholds are those of 500 MB, lowered.
SETTINGS = {
    "MLFLOW_TRACKING_TOKEN": os.environ["LOSSLESS_RIVAL_KEY"],
    "MLFLOW_MULTIPART_UPLOAD_MINIMUM_FILE_SIZE": str(PART + 1),
    "MLFLOW_MULTIPART_UPLOAD_CHUNK_SIZE": str(PART),
    "MLFLOW_MULTIPART_DOWNLOAD_CHUNK_SIZE": str(2**20),
}


class Bucket(unittest.TestCase):
    def setUp(self) -> None:
        patched = mock.patch.dict(os.environ, SETTINGS)
        patched.start()
        self.addCleanup(patched.stop)
        folder = TemporaryDirectory(prefix="lossless-mlflow-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # It keeps for a minute, by address alone, what the service said to another key.
        _clear_server_info_cache()
        self.addCleanup(_clear_server_info_cache)
        self.client = MlflowClient()
        self.run_id = self.client.create_run("0").info.run_id

    def test_parts_go_to_the_bucket_and_come_from_there(self) -> None:
        contents = {"large 1.bin": os.urandom(2 * PART + 7), "small.txt": b"1", "empty": b""}
        for name, content in contents.items():
            (self.folder / name).write_bytes(content)
        create = HttpArtifactRepository.create_multipart_upload
        with mock.patch.object(
            HttpArtifactRepository, "create_multipart_upload", autospec=True, side_effect=create
        ) as began:
            self.client.log_artifacts(self.run_id, str(self.folder), "models/größe")
        self.assertEqual(began.call_count, 1)
        listed = self.client.list_artifacts(self.run_id, "models/größe")
        sizes = {Path(one.path).name: one.file_size for one in listed}
        self.assertEqual(sizes, {name: len(content) for name, content in contents.items()})
        with TemporaryDirectory() as there:
            found = Path(self.client.download_artifacts(self.run_id, "models", there))
            for name, content in contents.items():
                self.assertEqual((found / "größe" / name).read_bytes(), content)

    def test_an_upload_that_fails_leaves_the_file_before(self) -> None:
        file = self.folder / "f.bin"
        file.write_bytes(b"before")
        self.client.log_artifact(self.run_id, str(file))
        file.write_bytes(os.urandom(2 * PART))
        broken = mock.patch.object(
            HttpArtifactRepository, "_upload_part", side_effect=OSError("the line is down")
        )
        with broken, self.assertRaises(Exception):
            self.client.log_artifact(self.run_id, str(file))
        with TemporaryDirectory() as there:
            found = self.client.download_artifacts(self.run_id, "f.bin", there)
            self.assertEqual(Path(found).read_bytes(), b"before")
        self.client.log_artifact(self.run_id, str(file))
        with TemporaryDirectory() as there:
            found = self.client.download_artifacts(self.run_id, "f.bin", there)
            self.assertEqual(Path(found).read_bytes(), file.read_bytes())
