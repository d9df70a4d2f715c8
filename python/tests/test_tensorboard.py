"""Event files, by hand and by the real writer where there is one, imported for real."""

from __future__ import annotations

import importlib.util
import io
import math
import os
import random
import signal
import struct
import subprocess
import sys
import time
import unittest
from typing import Any

import event_file
from service import WithService

from lossless._tensorboard.crc32c import crc32c
from lossless._tensorboard.names import slug_of
from lossless._tensorboard.tfrecord import Damage, Record, RecordReader
from lossless._values.metric_names import metric_name

AT = 1_750_000_000.125


class Framing(unittest.TestCase):
    def read(self, data: bytes) -> tuple[list[Any], Any]:
        reader = RecordReader()
        file = io.BytesIO(data)
        found: list[Any] = []
        while more := reader.read(file):
            found += more
        return found, reader.rest()

    def test_the_checksum_is_castagnolis(self) -> None:
        """RFC 3720, B.4; lengths around the steps of folding, by a second implementation."""
        self.assertEqual(0x8A9136AA, crc32c(bytes(32)))
        self.assertEqual(0x62A8AB43, crc32c(b"\xff" * 32))
        self.assertEqual(0x46DD794E, crc32c(bytes(range(32))))
        choose = random.Random(1)
        # A long text is folded to widths of 2^s + 64 bits.
        folds = [2**step // 8 + more for step in range(9, 16) for more in range(6, 20)]
        for length in [*range(40), *folds, 100_001]:
            data = choose.randbytes(length)
            self.assertEqual(event_file.crc32c(data), crc32c(data), length)

    def test_damage_costs_its_own_record_alone(self) -> None:
        records = [event_file.record(bytes([number]) * 50) for number in range(5)]
        whole = b"".join(records)
        size = len(records[0])
        for place, reason in (
            (size + 20, "content"),
            (2 * size - 1, "content"),
            (size + 1, "length"),
            (size + 9, "length"),
        ):
            data = bytearray(whole)
            data[place] ^= 0x10
            found, rest = self.read(bytes(data))
            self.assertIsNone(rest)
            self.assertEqual([0, size, 2 * size, 3 * size, 4 * size], [each.offset for each in found])
            self.assertEqual([False, True, False, False, False], [isinstance(each, Damage) for each in found])
            self.assertIn(reason, found[1].reason)

    def test_a_torn_end_and_zeros(self) -> None:
        one = event_file.record(b"x" * 30)
        found, rest = self.read(one + one[:-1])
        self.assertEqual([Record(0, b"x" * 30)], found)
        self.assertEqual(Damage(len(one), len(one) - 1, "the file ends within a record"), rest)
        found, rest = self.read(one + bytes(5_000))
        self.assertEqual((1, len(one), 5_000), (len(found), rest.offset, rest.size))
        found, rest = self.read(one + bytes(5_000) + one)
        self.assertEqual([Damage(len(one), 5_000, "the checksum of its length is wrong")], found[1:2])
        self.assertEqual(Record(len(one) + 5_000, b"x" * 30), found[2])

    def test_a_file_that_grows_by_single_bytes(self) -> None:
        data = b"".join(event_file.record(bytes(number)) for number in range(20))
        file = io.BytesIO()
        reader = RecordReader()
        found: list[Any] = []
        for number in range(len(data)):
            file.seek(0, 2)
            file.write(data[number : number + 1])
            file.seek(reader.position)
            found += reader.read(file)
        self.assertEqual([bytes(number) for number in range(20)], [record.content for record in found])
        self.assertIsNone(reader.rest())


class Names(unittest.TestCase):
    def test_every_tag_has_a_name(self) -> None:
        self.assertEqual(("Loss/train 100%", {}), metric_name("Loss/train 100%"))
        self.assertEqual(("Verlust/%C3%BC", {"tag": "Verlust/ü"}), metric_name("Verlust/ü"))
        self.assertEqual("(no tag)", metric_name("")[0])
        name, meta = metric_name("é" * 400)
        self.assertEqual((256, 512), (len(name), len(meta["tag"].encode())))
        self.assertNotEqual(name, metric_name("é" * 401)[0])

    def test_every_run_has_a_slug(self) -> None:
        self.assertEqual("p/a/b", slug_of("p", "a/b"))
        self.assertEqual("p", slug_of("p", "."))
        self.assertEqual(200, len(slug_of("p", "x" * 300)))
        self.assertNotEqual(slug_of("p", "a\nb"), slug_of("p", "a_b"))


class Import(WithService):
    def setUp(self) -> None:
        self.root = self.service.directory / self._testMethodName

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-W", "error", "-m", "lossless", "import", "tensorboard", str(self.root), *words]

    def run_import(self, *words: str, code: int = 0) -> str:
        result = subprocess.run(
            self.command(*words), env=self.service.environment(), capture_output=True, text=True, timeout=120
        )
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return result.stdout

    def test_runs_become_experiments_and_once_only(self) -> None:
        losses = [event_file.scalar("loss", 1 / (step + 1), step, AT + step) for step in range(2_500)]
        event_file.write(self.root / "train" / "events.out.tfevents.1.host", [event_file.version(AT), *losses])
        event_file.write(
            self.root / "events.out.tfevents.2.host",
            [
                event_file.version(AT),
                event_file.tensor_scalar("épreuve", 1, struct.pack("<f", 0.1), 7, AT),
                event_file.tensor_scalar("double", 2, struct.pack("<d", 0.1), 7, AT),
                event_file.tensor_scalar("count", 9, struct.pack("<q", -(2**40)), 7, AT),
                event_file.tensor_scalar("a text", 7, b"\x04text", 7, AT, "text"),
                event_file.scalar("loss", math.nan, 8, AT),
                event_file.scalar("loss", 1.0, -1, AT),
            ],
        )
        told = self.run_import("--project", "tb", code=1)
        self.assertIn("tb/train: 2500 points stored\n", told)
        self.assertIn(
            "tb: 3 points stored, 1 note of values that are not finite, 1 refused, 1 value left out (1 text)", told
        )
        single = struct.unpack("<f", struct.pack("<f", 0.1))[0]
        expected = {
            "%C3%A9preuve": [(7, single, {"tag": "épreuve"})],
            "count": [(7, -(2**40), {})],
            "double": [(7, 0.1, {})],
        }
        self.assertEqual(expected, self.service.points("tb"))
        points = self.service.points("tb/train")["loss"]
        self.assertEqual(
            [(step, struct.unpack("<f", struct.pack("<f", 1 / (step + 1)))[0], {}) for step in range(2_500)], points
        )
        record = self.service.query("query.experiment", experimentSlug="tb/train")
        self.assertEqual("done", record["status"])

        again = self.run_import("--project", "tb", code=1)
        self.assertIn("tb/train: 2500 points stored, 2500 of them earlier\n", again)
        self.assertEqual(expected, self.service.points("tb"))
        self.assertEqual(points, self.service.points("tb/train")["loss"])
        [note] = self.service.annotations("tb")
        self.assertEqual((8, round(AT * 1000)), (note["meta"]["step"], note["meta"]["timestampMs"]))
        now = self.service.query("query.experiment", experimentSlug="tb/train")
        self.assertEqual({**record, "updatedAtMs": 0}, {**now, "updatedAtMs": 0})

    def test_damage_is_told(self) -> None:
        path = self.root / "run" / "events.out.tfevents.1.host"
        records = [event_file.record(event_file.scalar("x", step, step, AT)) for step in range(10)]
        damaged = records[4][:20] + bytes([records[4][20] ^ 1]) + records[4][21:]
        path.parent.mkdir(parents=True)
        path.write_bytes(b"".join([*records[:4], damaged, *records[5:], records[0][:-3]]))
        told = self.run_import(code=1)
        self.assertIn(f"damaged: {path}: {len(damaged)} bytes at {4 * len(damaged)}: the checksum of its content", told)
        self.assertIn("the file ends within a record", told)
        points = self.service.points("test_damage_is_told/run")["x"]
        self.assertEqual([0, 1, 2, 3, 5, 6, 7, 8, 9], [step for step, _, _ in points])
        empty = self.root / "empty"
        empty.mkdir()
        self.assertIn(
            "no event files",
            subprocess.run(
                [*self.command()[:-1], str(empty)], env=self.service.environment(), capture_output=True, text=True
            ).stdout,
        )

    def test_follow_waits_for_the_rest_of_a_record(self) -> None:
        path = self.root / "run" / "events.out.tfevents.1.host"
        event_file.write(path, [event_file.version(AT), event_file.scalar("x", 0.0, 0, AT)])
        process = subprocess.Popen(
            self.command("--follow"), env=self.service.environment(), stdout=subprocess.PIPE, text=True
        )
        self.until_stored(1)
        second = event_file.record(event_file.scalar("x", 1.0, 1, AT))
        event_file.append(path, second[:25])
        other = path.with_name("events.out.tfevents.2.host")
        event_file.write(other, [event_file.version(AT), event_file.scalar("y", 5.0, 5, AT)])
        self.until_stored(2)
        record = self.service.query("query.experiment", experimentSlug=f"{self._testMethodName}/run")
        self.assertEqual("running", record["status"])
        event_file.append(path, second[25:])
        self.until_stored(3)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
        self.assertEqual((0, f"{self._testMethodName}/run: 3 points stored\n"), (process.returncode, told))
        record = self.service.query("query.experiment", experimentSlug=f"{self._testMethodName}/run")
        self.assertEqual("done", record["status"])

    def test_the_service_goes_away_in_the_middle(self) -> None:
        contents = [event_file.scalar("x", step, step, AT) for step in range(30_000)]
        event_file.write(self.root / "run" / "events.out.tfevents.1.host", [event_file.version(AT), *contents])
        process = subprocess.Popen(self.command(), env=self.service.environment(), stdout=subprocess.PIPE, text=True)
        self.until_stored(1)
        self.service.kill()
        time.sleep(0.3)
        self.service.start()
        told, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, told)
        self.assertIn("30000 points stored", told)
        points = self.service.points(f"{self._testMethodName}/run")["x"]
        self.assertEqual([(step, step, {}) for step in range(30_000)], points)

        self.service.kill()
        self.run_import("--patience", "0.2", code=1)
        self.service.start()

    def until_stored(self, count: int) -> None:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            try:
                points = self.service.points(f"{self._testMethodName}/run")
            except KeyError:
                points = {}
            if sum(len(rows) for rows in points.values()) >= count:
                return
            time.sleep(0.1)
        self.fail(f"{count} points are not stored within four minutes")

    @unittest.skipUnless(
        importlib.util.find_spec("torch") and importlib.util.find_spec("tensorboard"),
        "NOT TESTED: the real SummaryWriter, because torch and tensorboard are not installed",
    )
    def test_files_of_the_real_writer(self) -> None:
        text = (
            "import sys, torch\nfrom torch.utils.tensorboard import SummaryWriter\n"
            "writer = SummaryWriter(sys.argv[1])\n"
            "for step in range(1000):\n"
            "    writer.add_scalar('loss', 1 / (step + 1), step)\n"
            "    writer.add_scalar('new', step / 3, step, new_style=True, double_precision=step % "
            "2 == 1)\n"
            "writer.add_histogram('h', torch.zeros(10), 1)\nwriter.add_text('t', 'x')\n"
            "writer.add_hparams({'lr': 0.1}, {'accuracy': 0.5}, run_name='hp')\nwriter.close()\n"
        )
        subprocess.run([sys.executable, "-c", text, str(self.root / "run")], check=True, timeout=300, env=os.environ)
        self.run_import()
        points = self.service.points(f"{self._testMethodName}/run")
        single = [struct.unpack("<f", struct.pack("<f", 1 / (step + 1)))[0] for step in range(1000)]
        self.assertEqual(single, [value for _, value, _ in points["loss"]])
        self.assertEqual([step / 3 for step in range(1, 1000, 2)], [value for _, value, _ in points["new"]][1::2])
        hparams = self.service.points(f"{self._testMethodName}/run/hp")
        self.assertEqual({"accuracy": [(0, 0.5, {})]}, hparams)


if __name__ == "__main__":
    unittest.main()
