"""Metrics of the machine: they are read, arrive once, and no training needs them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from service import WithService

from lossless._recording.init import _system
from lossless._sending import system as _system_module
from lossless._sending.system import Gpus, Machine, Sampler
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
}
_NVIDIA_SMI = """#!/bin/sh
echo "0, 35, 1000, 80000, 41, 71.25"
echo "1, [N/A], 0, 80000, 39, [N/A]"
"""


class Sampling(unittest.TestCase):
    def test_rates_of_files(self) -> None:
        """A machine made of files: rates per second, partitions and virtual networks once."""
        with tempfile.TemporaryDirectory() as name:
            proc, sys_root = Path(name) / "proc", Path(name) / "sys"
            (proc / "net").mkdir(parents=True)
            (proc / "7").mkdir()
            for disk in ("sda", "dm-0"):
                (sys_root / "block" / disk).mkdir(parents=True)
            self.write(proc, idle=100, busy=100, sectors=10, received=1_000, ticks=50)
            machine = Machine(7, proc, sys_root)
            first = machine.sample()
            self.assertEqual(
                {
                    "system/process_threads",
                    "system/process_resident_bytes",
                    "system/memory_used_bytes",
                    "system/memory_percent",
                },
                set(first) - {each for each in first if "gpu" in each},
            )
            self.write(proc, idle=175, busy=125, sectors=20, received=3_000, ticks=50)
            with mock.patch.object(_system_module, "time") as clock:
                clock.monotonic.return_value = machine._last_at + 2.0
                second = machine.sample()
            self.assertEqual(25.0, second["system/cpu_percent"])
            self.assertEqual(75.0, second["system/memory_percent"])
            self.assertEqual(0.0, second["system/process_cpu_percent"])
            self.assertEqual(10 * 512 / 2, second["system/disk_read_bytes_per_second"])
            self.assertEqual(1_000, second["system/network_received_bytes_per_second"])

    def write(self, proc: Path, *, idle: int, busy: int, sectors: int, received: int, ticks: int) -> None:
        (proc / "stat").write_text(f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n")
        (proc / "meminfo").write_text("MemTotal: 4000 kB\nMemFree: 1 kB\nMemAvailable: 1000 kB\n")
        rows = [f"8 0 sda 1 0 {sectors} 0 1 0 2", f"8 1 sda1 1 0 {sectors} 0 1 0 2", f"9 0 dm-0 1 0 {sectors} 0 1 0 2"]
        (proc / "diskstats").write_text("\n".join(rows))
        head = "Inter-|\n face |\n"
        rows = [f"{name}: {received} 0 0 0 0 0 0 0 5 0" for name in ("lo", "eth0", "veth1")]
        (proc / "net" / "dev").write_text(head + "\n".join(rows))
        fields = " ".join(str(ticks) if place in (11, 12) else str(place) for place in range(50))
        (proc / "7" / "stat").write_text(f"7 (a ) name) {fields}")

    def test_a_machine_that_shows_nothing(self) -> None:
        machine = Machine(1, Path("/nowhere"), Path("/nowhere"))
        machine._gpus._program = None
        self.assertEqual([{}, {}], [machine.sample(), machine.sample()])

    def test_gpus(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "nvidia-smi"
            program.write_text(_NVIDIA_SMI)
            program.chmod(0o700)
            with mock.patch.dict(os.environ, PATH=f"{directory}:{os.environ['PATH']}"):
                gpus = Gpus()
            values: dict[str, float] = {}
            gpus.read(values, {})
            self.assertEqual(
                {
                    "gpu/0/utilization_percent": 35.0,
                    "gpu/0/memory_used_bytes": 1000 * 2**20,
                    "gpu/0/memory_percent": 1.25,
                    "gpu/0/temperature_celsius": 41.0,
                    "gpu/0/power_watts": 71.25,
                    "gpu/1/memory_used_bytes": 0.0,
                    "gpu/1/memory_percent": 0.0,
                    "gpu/1/temperature_celsius": 39.0,
                },
                values,
            )
            program.write_text('#!/bin/sh\necho $$ >> "$0.calls"\nexit 1\n')
            for _ in range(10):
                gpus.read({}, {})
            self.assertEqual(3, len(Path(f"{program}.calls").read_text().splitlines()), "then it is left alone")

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

            sampler = Sampler(Path(name), {"seconds": 0.01, "meta": {}}, 0, os.getpid(), lives, time.sleep)
            with mock.patch("os.write", narrow):
                sampler.run()
            self.assertEqual([], taken)
            records = [record for _, record in records_in(path.read_bytes())]
            self.assertEqual(2, len(records))
            self.assertTrue(all(record is not None and record[0] == "m" for record in records))

    def test_the_first_rank_of_a_machine_measures_it(self) -> None:
        def of(rank: int, ranks: int, **variables: str) -> object:
            with mock.patch.dict(os.environ, variables, clear=True):
                return _system(True, rank, ranks)

        self.assertEqual({"seconds": 15.0, "meta": {}}, of(0, 1))
        self.assertEqual({"seconds": 2.5, "meta": {"rank": "8"}}, of(8, 16, LOCAL_RANK="0", LOSSLESS_SYSTEM="2.5"))
        self.assertIsNone(of(9, 16, LOCAL_RANK="1"))
        self.assertIsNone(of(1, 2))
        self.assertIsNone(of(0, 1, LOSSLESS_SYSTEM="off"))
        self.assertIsNone(_system(False, 0, 1))


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
                while not samples.exists() or samples.read_bytes().count(b"\\n") < 4:
                    time.sleep(0.1)
                assert threading.active_count() == 1
            assert run.report.is_complete and run.report.stored == 30, run.report
            """
        )
        _, told = process.communicate(timeout=240)
        self.assertEqual(0, process.returncode, told)
        points = self.service.points("beside")
        self.assertEqual(_NAMES | {"x"}, {name for name in points if "/gpu/" not in name})
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
            lines = (directory / "system.log").read_bytes().splitlines()
            self.sync()
        points = self.service.points("killed")
        self.assertEqual([(0, 1, {})], points["x"])
        self.assertGreaterEqual(len(points["system/memory_percent"]), len(lines))
        self.assertLessEqual(len(points["system/memory_percent"]), len(lines) + 1)


if __name__ == "__main__":
    unittest.main()
