"""Event files that are renamed, copied, or have been imported under another name before."""

from __future__ import annotations

import hashlib
import io
import json
import math
import shutil
import struct
import unittest
from pathlib import Path
from typing import Any

import event_file
from service import WithService

from lossless._ground.errors import LosslessError
from lossless._sending.delivery import Annotation, Delivery
from lossless._sending.point import Point
from lossless._service.service import Service as Calls
from lossless._service.session import Session
from lossless._spool.sent_state import State
from lossless._tensorboard.importer import Importer

AT = 1_600_000_000.123456
NAME = "events.out.tfevents.1600000000.host.1.0"


def loss(step: int, value: float | None = None) -> bytes:
    return event_file.scalar("loss", step if value is None else value, step, AT + step)


class Copies(WithService):
    def setUp(self) -> None:
        self.root = self.service.directory / self._testMethodName
        self.path = self.root / "run" / NAME
        self.contents = [event_file.version(AT), *(loss(step) for step in range(5))]
        event_file.write(self.path, self.contents)
        self.calls = Calls(self.service.url, lambda: self.service.key)
        self.addCleanup(self.calls.close)
        self.out = io.StringIO()

    def importer(self, **more: Any) -> Importer:
        self.out = io.StringIO()
        return Importer(
            self.root, self.root.name, self.calls, self.no_wait, self.out, settings=self.service.settings(), **more
        )

    def no_wait(self, _attempts: int, error: LosslessError) -> None:
        raise error

    def imported(self, is_whole: bool = True) -> str:
        importer = self.importer()
        importer.take(is_once=True)
        self.assertEqual(is_whole, importer.end(), self.out.getvalue())
        return self.out.getvalue()

    def points(self, name: str = "loss") -> list[tuple[int, float]]:
        return [(step, value) for step, value, _ in self.service.points(f"{self.root.name}/run")[name]]

    def expect(self, *more: tuple[int, float], first: int = 5) -> None:
        self.assertEqual(sorted([*((step, step) for step in range(first)), *more]), sorted(self.points()))

    def copy(self, name: str) -> Path:
        return Path(shutil.copyfile(self.path, self.path.with_name(name)))

    def import_as_0_1_0(self, path: Path, steps: int) -> None:
        """Stores a file as version 0.1.0 did, with its name in the ids."""
        slug = f"{self.root.name}/run"
        session = Session(self.calls, slug, "Imported from TensorBoard", {"source": "tensorboard"})
        session.open()
        words = [slug.encode(), path.name.encode(), self.contents[0]]
        prefix = "tb-" + hashlib.sha256(b"\0".join(words)).hexdigest()[:32]
        delivery = Delivery(session, prefix, State(), self.no_wait, lambda: None)
        offset = len(event_file.record(self.contents[0]))
        points = []
        for step in range(steps):
            points.append(Point(offset, round((AT + step) * 1000), step, "loss", float(step), "{}"))
            offset += len(event_file.record(loss(step)))
        delivery.points(points)
        meta = {"kind": "nonfinite", "metricName": "loss", "step": 9, "value": "NaN", "imported": f"{prefix}-{offset}"}
        delivery.annotations([Annotation("loss is NaN at step 9", meta)])

    def test_a_renamed_file_is_the_same_file(self) -> None:
        self.imported()
        self.path.rename(self.path.with_name(NAME + ".old"))
        self.assertIn("5 points stored, 5 of them earlier\n", self.imported())
        self.expect()

    def test_copies_beside_it_are_stored_once(self) -> None:
        for name in (f"{NAME}.bak", f"copy of {NAME}", f"{NAME} (1)"):
            self.copy(name)
        self.assertIn("5 points stored, 15 more in copies of its files\n", self.imported())
        self.expect()
        self.path.unlink()
        self.assertIn("5 points stored, 5 of them earlier, 10 more in copies", self.imported())
        self.expect()

    def test_a_copy_that_was_cut_off_is_told_and_stores_nothing(self) -> None:
        other = self.copy(f"{NAME}.part")
        other.write_bytes(other.read_bytes()[:-7])
        self.assertIn("the file ends within a record", self.imported(is_whole=False))
        self.expect()
        # The rest of the whole file is imported also if that file is there alone.
        event_file.append(self.path, event_file.record(loss(5)))
        other.unlink()
        self.imported()
        self.expect(first=6)

    def test_files_that_begin_alike_and_then_differ_are_both_kept(self) -> None:
        event_file.write(self.path.with_name(NAME + ".other"), [*self.contents[:3], loss(2, 20.0), loss(3, 30.0)])
        event_file.write(self.path.with_name("a." + NAME), [self.contents[0], loss(7), loss(8)])
        for told in ("9 points stored, 2 more in copies", "9 points stored, 9 of them earlier, 2 more in copies"):
            self.assertIn(told, self.imported())
            self.expect((2, 20.0), (3, 30.0), (7, 7), (8, 8))

    def test_files_of_other_times_are_two_though_they_say_the_same(self) -> None:
        self.imported()
        event_file.write(self.path.with_name("a." + NAME), [event_file.version(AT + 1), *self.contents[1:]])
        for _ in range(2):
            self.imported()
            self.assertEqual([(step, step) for step in range(5) for _ in "ab"], self.points())

    def test_equal_events_of_one_file_are_as_many(self) -> None:
        event_file.write(self.path, [event_file.version(AT), loss(0), loss(0), loss(0)])
        for _ in range(2):
            self.imported()
            self.assertEqual([(0, 0)] * 3, self.points())

    def test_what_rsync_writes_beside_it_is_not_read(self) -> None:
        hidden = self.path.with_name(f".{NAME}.Xa81bQ")
        self.path.rename(hidden)
        inner = self.root / "run" / ".~tmp~" / NAME
        event_file.write(inner, self.contents)
        importer = self.importer(is_live=True)
        importer.take()
        self.assertEqual({}, importer.runs)
        hidden.rename(self.path)
        importer.take()
        self.assertTrue(importer.end())
        self.expect()

    def test_a_file_is_renamed_and_copied_while_it_is_followed(self) -> None:
        importer = self.importer(is_live=True)
        importer.take()
        other = self.copy(f"{NAME}.tmp")
        importer.take()
        event_file.append(other, event_file.record(loss(5)))
        importer.take()
        other.replace(self.path)
        event_file.append(self.path, event_file.record(loss(6)))
        importer.take()
        self.path.rename(self.path.with_name("events.out.tfevents.renamed"))
        importer.take()
        importer.end()
        self.expect(first=7)

    def test_what_version_0_1_0_has_imported_is_not_doubled(self) -> None:
        event_file.append(self.path, event_file.record(event_file.scalar("loss", math.nan, 9, AT)))
        self.import_as_0_1_0(self.path, 3)
        self.assertIn("5 points stored, 3 of them earlier, 1 note", self.imported())
        self.expect()
        self.path = self.path.rename(self.path.with_name(NAME + ".old"))
        self.copy(f"{NAME}.bak")
        event_file.append(self.path, event_file.record(loss(5)))
        self.assertIn("6 points stored, 5 of them earlier, 6 more in copies", self.imported())
        self.expect(first=6)
        self.imported()
        self.expect(first=6)
        self.assertEqual(1, len(self.service.annotations(f"{self.root.name}/run")))

    def test_rounded_integers_are_told(self) -> None:
        self.path.unlink()
        integers = [("i64", 9, struct.pack("<q", 2**53 + 1)), ("u64", 23, struct.pack("<Q", 2**64 - 1))]
        integers += [("exact", 9, struct.pack("<q", 2**60)), ("i64", 9, struct.pack("<q", -(2**53) - 1))]
        tensors = [event_file.tensor_scalar(*each, step, AT) for step, each in enumerate(integers)]
        event_file.write(self.path, [event_file.version(AT), *tensors])
        told = self.imported().splitlines()
        self.assertEqual("  2 values are rounded to a 64-bit number: i64", told[1])
        self.assertEqual("  1 value is rounded to a 64-bit number: u64", told[2])
        self.assertEqual(3, len(told), json.dumps(told))
        self.assertEqual([(0, 2.0**53), (3, -(2.0**53))], self.points("i64"))


if __name__ == "__main__":
    unittest.main()
