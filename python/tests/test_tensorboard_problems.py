"""Event files that cannot be read for a moment: only what was so at the last look is told."""

from __future__ import annotations

import io
import os
import unittest
from typing import Any
from unittest import mock

import event_file
from service import KEY, Service

from lossless._ground.errors import LosslessError
from lossless._service.service import Service as Calls
from lossless._tensorboard.importer import Importer

AT = 1_750_000_000.125


class Problems(unittest.TestCase):
    def test_one_failed_look_at_a_file_that_was_read(self) -> None:
        def no_wait(_attempts: int, error: LosslessError) -> None:
            raise error

        stat = os.stat

        def failing(path: Any, *more: Any, **others: Any) -> Any:
            if str(path) == str(file):
                raise OSError(5, "Input/output error", str(path))
            return stat(path, *more, **others)

        with Service() as service:
            file = service.directory / "runs" / "run" / "events.out.tfevents.1.host"
            event_file.write(file, [event_file.version(AT), event_file.scalar("x", 1.0, 0, AT)])
            out = io.StringIO()
            calls = Calls(service.url, lambda: KEY)
            self.addCleanup(calls.close)
            importer = Importer(
                service.directory / "runs", "problems", calls, no_wait, out, settings=service.settings()
            )
            importer.take()
            with mock.patch("os.stat", failing):
                importer.take()
            self.assertFalse(importer.runs["run"].is_whole)
            importer.take()
            self.assertTrue(importer.end(), out.getvalue())
            self.assertNotIn("cannot be read", out.getvalue())
            self.assertEqual({"x": [(0, 1, {})]}, service.points("problems/run"))


if __name__ == "__main__":
    unittest.main()
