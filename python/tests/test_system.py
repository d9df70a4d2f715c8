"""Metrics of the machine: they are read, arrive once, and no training needs them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from service import WithService

from lossless._sending.machine import machine as machine_module
from lossless._sending.system import Sampler
from lossless._spool.spool import SYSTEM_FILE
from lossless._values.records import records_in

_NAMES = {
    "system/cpu_percent",
    "system/memory_used_bytes",
    "system/memory_percent",
    "system/disk_read_bytes_per_second",
    "system/disk_written_bytes_per_second",
    "system/network_received_bytes_per_second",
    "system/network_sent_bytes_per_second",
    "system/process_cpu_percent",
    "system/process_resident_bytes",
    "system/process_threads",
    "system/process_open_files",
    "system/load_average",
    "system/disk_free_bytes",
    "system/disk_percent",
}
# Some machines only have these: swap, a limit, sensors, InfiniBand, or children of the script.
_OF_SOME = ("system/swap_", "system/container_", "system/children", "system/cpu_temperature", "system/infiniband_")


class Sampling(unittest.TestCase):
    def test_a_full_disk_costs_the_samples_of_that_time_alone(self) -> None:
        """The disk refuses, then takes half, then there is room again."""
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / SYSTEM_FILE
            taken = [OSError(28, "No space left on device"), OSError(28, "No space left on device"), 20]
            write = os.write

            def narrow(file: int, data: bytes) -> int:
                size = taken.pop(0) if taken else len(data)
                if isinstance(size, OSError):
                    raise size
                return write(file, data[:size])

            deadline = time.monotonic() + 30

            def lives() -> bool:
                return time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 2)

            sampler = Sampler(
                Path(name), {"seconds": 0.01, "meta": {}, "place": [False, 0]}, 0, os.getpid(), lives, time.sleep
            )
            with mock.patch("os.write", narrow):
                sampler.run()
            self.assertEqual([], taken)
            records = [record for _, record in records_in(path.read_bytes())]
            self.assertEqual(2, len(records))
            self.assertTrue(all(record is not None and record[0] == "m" for record in records))

    def test_a_slow_reader_delays_no_sample(self) -> None:
        """It answers late, on a line of its own; what comes after the end is not written."""
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / SYSTEM_FILE
            goes_on, asked = threading.Event(), threading.Semaphore(0)

            def slow() -> dict[str, float]:
                asked.release()
                goes_on.wait(240)
                return {"gpu/0/utilization_percent": 5.0}

            def lines() -> list[bytes]:
                return path.read_bytes().splitlines() if path.exists() else []

            deadline = time.monotonic() + 240

            def lives() -> bool:
                if len(lines()) >= 3:
                    goes_on.set()
                return time.monotonic() < deadline and not any(b"gpu/0" in line for line in lines())

            sampler = Sampler(Path(name), {"seconds": 0.01, "meta": {}}, 0, os.getpid(), lives, time.sleep)
            with mock.patch.object(machine_module, "accelerators", lambda root: [slow]):
                sampler.run()
            self.assertTrue(goes_on.is_set())
            self.assertTrue(any(b"gpu/0" in line for line in lines()))
            sampler.stop()
            before = lines()
            sampler._take({"x": 1.0})
            self.assertEqual(before, lines())


@unittest.skipUnless(Path("/proc/self/stat").exists(), "NOT TESTED: the metrics of a machine without /proc")
class Recorded(WithService):
    def start(self, text: str, **variables: str) -> subprocess.Popen[str]:
        environment = self.service.environment(spool=self._testMethodName, LOSSLESS_SYSTEM="0.2", **variables)
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(text)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def spools(self) -> list[Path]:
        return list((self.service.directory / self._testMethodName).iterdir())

    def sync(self) -> None:
        environment = self.service.environment(spool=self._testMethodName)
        result = subprocess.run(
            [sys.executable, "-m", "lossless", "sync"], env=environment, capture_output=True, text=True, timeout=60
        )
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_they_stand_beside_the_points(self) -> None:
        """The report counts what the script logged; the training has one thread, so it may fork."""
        process = self.start(
            """
            import lossless, threading, time
            with lossless.init(id="beside") as run:
                for step in range(30):
                    run.log({"x": step}, step=step)
                samples = run.directory / "system.log"
                text = b""
                while text.count(b"system/memory_percent") < 4 or b"system/disk_percent" not in text:
                    time.sleep(0.1)
                    text = samples.read_bytes() if samples.exists() else b""
                assert threading.active_count() == 1
            assert run.report.is_complete and run.report.stored == 30, run.report
            """
        )
        _, told = process.communicate(timeout=240)
        self.assertEqual(0, process.returncode, told)
        points = self.service.points("beside")
        found = {name for name in points if "/gpu/" not in name and not name.startswith(_OF_SOME)}
        self.assertEqual(_NAMES | {"x"}, found)
        self.assertGreaterEqual(len(points["system/memory_percent"]), 3)
        self.assertTrue(all(0 < value < 100 for _, value, _ in points["system/memory_percent"]))
        self.assertEqual([], self.spools())

    def test_offline_and_killed(self) -> None:
        """The machine's metrics wait like all others, and are sent once."""
        process = self.start(
            """
            import lossless, sys, time
            run = lossless.init(id="killed", mode="offline")
            run.log({"x": 1})
            print(run.directory, flush=True)
            time.sleep(600)
            """
        )
        assert process.stdout is not None
        directory = Path(process.stdout.readline().strip())
        end = time.monotonic() + 240
        while not (directory / "system.log").exists() or (directory / "system.log").stat().st_size < 1_000:
            self.assertLess(time.monotonic(), end, "samples within four minutes")
            time.sleep(0.1)
        process.kill()
        process.communicate()
        end = time.monotonic() + 240
        while self.spools():
            self.assertLess(time.monotonic(), end, "the sampler ends with the training")
            samples = (directory / "system.log").read_bytes().count(b"system/memory_percent")
            self.sync()
        points = self.service.points("killed")
        self.assertEqual([(0, 1, {})], points["x"])
        self.assertGreaterEqual(len(points["system/memory_percent"]), samples)
        self.assertLessEqual(len(points["system/memory_percent"]), samples + 1)


if __name__ == "__main__":
    unittest.main()
