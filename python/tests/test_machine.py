"""The node, its containers and the training's processes are read on each system."""

from __future__ import annotations

import ctypes
import os
import tempfile
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from vendor_programs import WithPrograms

from lossless._recording.machine_metrics import machine_metrics
from lossless._sending.machine import machine as machine_module
from lossless._sending.machine import macos
from lossless._sending.machine.containers import Containers
from lossless._sending.machine.growth import Growth
from lossless._sending.machine.linux import LinuxNode
from lossless._sending.machine.machine import Machine, Place, named
from lossless._sending.machine.macos import Mac
from lossless._sending.machine.processes import LinuxProcesses
from lossless._sending.machine.windows import WindowsNode
from lossless._sending.machine.with_psutil import PsutilNode

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class WithFiles(unittest.TestCase):
    """A machine made of files, and a clock: two seconds pass between samples."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.now = 0.0
        self.growth = Growth(lambda: self.now)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def second(self, read: Callable[[], dict[str, float]], meanwhile: Callable[[], None]) -> dict[str, float]:
        """Returns the second sample."""
        read()
        meanwhile()
        self.now += 2.0
        return read()


class Node(WithFiles):
    def files(self, *, idle: int, busy: int, sectors: int, received: int) -> None:
        self.write("proc/loadavg", "1.25 1.00 0.50 2/300 4711\n")
        self.write("proc/stat", f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n")
        memory = "MemTotal: 4000 kB\nMemFree: 1 kB\nMemAvailable: 1000 kB\nSwapTotal: 800 kB\nSwapFree: 600 kB\n"
        self.write("proc/meminfo", memory)
        rows = [f"8 0 sda 1 0 {sectors} 0 1 0 2", f"8 1 sda1 1 0 {sectors} 0 1 0 2", f"9 0 dm-0 1 0 {sectors} 0 1 0 2"]
        self.write("proc/diskstats", "\n".join(rows))
        rows = [f"{name}: {received} 0 0 0 0 0 0 0 5 0" for name in ("lo", "eth0", "veth1")]
        self.write("proc/net/dev", "Inter-|\n face |\n" + "\n".join(rows))
        self.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", str(received))
        self.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "7")
        self.write("sys/class/hwmon/hwmon0/name", "coretemp\n")
        self.write("sys/class/hwmon/hwmon0/temp1_input", "61000\n")
        self.write("sys/class/hwmon/hwmon0/temp2_input", "64500\n")
        self.write("sys/class/hwmon/hwmon1/name", "nvme\n")
        self.write("sys/class/hwmon/hwmon1/temp1_input", "80000\n")
        for disk in ("sda", "dm-0"):
            self.write(f"sys/block/{disk}/size", "1")

    def test_rates(self) -> None:
        """Partitions and virtual networks count once; only processors have a temperature here."""
        self.files(idle=100, busy=100, sectors=10, received=1_000)
        values = self.second(
            LinuxNode(self.growth, self.root).read, lambda: self.files(idle=175, busy=125, sectors=20, received=3_000)
        )
        self.assertEqual(
            {
                "load_average": 1.25,
                "cpu_percent": 25.0,
                "memory_used_bytes": 3000.0 * 1024,
                "memory_percent": 75.0,
                "swap_used_bytes": 200.0 * 1024,
                "swap_percent": 25.0,
                "disk_read_bytes_per_second": 10 * 512 / 2,
                "disk_written_bytes_per_second": 0.0,
                "network_received_bytes_per_second": 1_000.0,
                "network_sent_bytes_per_second": 0.0,
                "infiniband_received_bytes_per_second": 4_000.0,
                "infiniband_sent_bytes_per_second": 0.0,
                "cpu_temperature_celsius": 64.5,
            },
            values,
        )

    def test_a_node_that_shows_nothing(self) -> None:
        self.assertEqual({}, LinuxNode(self.growth, self.root).read())
        self.assertEqual([{}, {}], [Machine(1, root=self.root).sample() for _ in range(2)])

    def test_a_counter_that_begins_anew(self) -> None:
        self.files(idle=100, busy=100, sectors=10, received=3_000)
        node = LinuxNode(self.growth, self.root)
        values = self.second(node.read, lambda: self.files(idle=1, busy=1, sectors=10, received=1_000))
        self.assertFalse({"cpu_percent", "network_received_bytes_per_second"} & set(values))


class Processes(WithFiles):
    def process(self, process_id: int, ticks: int, children: str = "", pages: int = 10, started: int = 5) -> None:
        fields = ["R", "1", *["0"] * 9, str(ticks), "0", *["0"] * 4, "3", "0", str(started), "0", str(pages), "0"]
        self.write(f"proc/{process_id}/stat", f"{process_id} (a ) name) {' '.join(fields)}")
        self.write(f"proc/{process_id}/task/{process_id}/children", children)

    def test_script_and_children(self) -> None:
        """A worker and its child count, our own process and its programs do not."""
        for file in "abc":
            self.write(f"proc/7/fd/{file}", "")
        self.process(7, 0, "8 9")
        self.write("proc/7/task/99/children", "11 ")
        self.process(8, 100, "10")
        self.process(9, 500, "12")
        self.process(12, 500)
        self.process(10, 0, pages=1)
        self.process(11, 0)

        def meanwhile() -> None:
            self.process(7, _TICKS, "8 9")
            self.process(8, 100 + 3 * _TICKS, "10")
            # Another process with the same id.
            self.process(11, 40 * _TICKS, started=6)

        values = self.second(LinuxProcesses(7, self.growth, self.root, own_id=9).read, meanwhile)
        self.assertEqual(
            {
                "process_cpu_percent": 50.0,
                "process_resident_bytes": 10 * _PAGE,
                "process_threads": 3,
                "process_open_files": 3,
                "children": 3,
                "children_cpu_percent": 150.0,
                "children_resident_bytes": 21 * _PAGE,
                "children_threads": 9,
            },
            values,
        )

    def test_children_that_have_ended(self) -> None:
        """A script without children has no series of them; after the last one they are zero."""
        self.process(7, 0)
        processes = LinuxProcesses(7, self.growth, self.root, own_id=9)
        self.assertNotIn("children", processes.read())
        self.process(7, 0, "8")
        self.process(8, 0)
        self.assertEqual(1, processes.read()["children"])
        self.process(7, 0)
        values = processes.read()
        self.assertEqual((0, 0, 0), (values["children"], values["children_threads"], values["children_cpu_percent"]))


class Limits(WithFiles):
    def read(self, meanwhile: Callable[[], None] = lambda: None) -> dict[str, float]:
        return self.second(Containers(7, self.growth, self.root).read, meanwhile)

    def test_version_2(self) -> None:
        """The tightest of nested limits counts, and the use of its own group."""
        self.write("proc/7/cgroup", "0::/pod/container\n")
        base = "sys/fs/cgroup/pod"
        self.write(f"{base}/memory.max", "1000000\n")
        self.write(f"{base}/memory.current", "900000\n")
        self.write(f"{base}/memory.stat", "anon 500000\ninactive_file 400000\n")
        self.write(f"{base}/memory.events", "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n")
        self.write(f"{base}/container/memory.max", "max\n")
        self.write(f"{base}/container/memory.current", "100\n")
        self.write(f"{base}/container/cpu.max", "150000 100000\n")
        stat = f"{base}/container/cpu.stat"
        self.write(stat, "usage_usec 1000000\nnr_periods 10\nnr_throttled 1\nthrottled_usec 5\n")
        values = self.read(lambda: self.write(stat, "usage_usec 3000000\nnr_periods 30\nnr_throttled 6\n"))
        self.assertEqual(
            {
                "container_memory_used_bytes": 500000,
                "container_memory_limit_bytes": 1000000,
                "container_memory_percent": 50.0,
                "container_oom_kills": 2,
                "container_cpu_limit_percent": 150.0,
                "container_cpu_percent": 100.0,
                "container_throttled_percent": 25.0,
            },
            values,
        )

    def test_version_1_inside_of_a_container(self) -> None:
        """The path is that of the host, and the mount shows the container's group."""
        self.write("proc/7/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n")
        base = "sys/fs/cgroup"
        self.write(f"{base}/memory/memory.limit_in_bytes", "1000")
        self.write(f"{base}/memory/memory.usage_in_bytes", "800")
        self.write(f"{base}/memory/memory.stat", "total_inactive_file 300\n")
        self.write(f"{base}/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
        self.write(f"{base}/cpu/cpu.cfs_quota_us", "50000")
        self.write(f"{base}/cpu/cpu.cfs_period_us", "100000")
        self.write(f"{base}/cpu/cpu.stat", "nr_periods 10\nnr_throttled 0\nthrottled_time 0\n")
        self.write(f"{base}/cpuacct/cpuacct.usage", "0")
        values = self.read(lambda: self.write(f"{base}/cpuacct/cpuacct.usage", "500000000"))
        self.assertEqual(
            {
                "container_memory_used_bytes": 500,
                "container_memory_limit_bytes": 1000,
                "container_memory_percent": 50.0,
                "container_oom_kills": 1,
                "container_cpu_limit_percent": 50.0,
                "container_cpu_percent": 25.0,
                "container_throttled_percent": 0.0,
            },
            values,
        )

    def test_no_limits(self) -> None:
        self.write("proc/7/cgroup", "0::/user.slice/session-1.scope\n")
        self.write("sys/fs/cgroup/user.slice/session-1.scope/memory.max", "max\n")
        self.write("sys/fs/cgroup/user.slice/session-1.scope/cpu.max", "max 100000\n")
        self.assertEqual({}, self.read())
        self.write("proc/7/cgroup", "5:memory:/\n4:cpu:/\n")
        self.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
        self.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "800")
        self.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
        self.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
        self.assertEqual({}, self.read())
        self.write("proc/7/cgroup", "")
        self.assertEqual({}, self.read())


class Macs(WithPrograms):
    def test_without_psutil(self) -> None:
        now = [0.0]
        for name in ("vm_stat", "sysctl", "netstat", "ps", "ioreg"):
            self.double(name)
        mac = Mac(70, Growth(lambda: now[0]), True, own_id=71)
        with mock.patch.object(macos, "_ticks", lambda: [100, 0, 100, 0]):
            mac.read()
        now[0] = 2.0
        for name, old, new in (
            ("netstat", "       3000 ", "       9000 "),
            ("ps", "1:30.50", "1:31.50"),
            ("ps", "0:02.00", "0:05.00"),
            ("ioreg", "5000", "6000"),
        ):
            path = self.bin / name
            path.write_text(path.read_text().replace(old, new))
        with mock.patch.object(macos, "_ticks", lambda: [125, 0, 175, 0]):
            values = mac.read()
        self.assertGreaterEqual(values.pop("load_average"), 0)
        used = 17179869184 - 460000 * 16384
        self.assertEqual(
            {
                "cpu_percent": 25.0,
                "memory_used_bytes": used,
                "memory_percent": 100 * used / 17179869184,
                "swap_used_bytes": 512.0 * 2**20,
                "swap_percent": 25.0,
                "network_received_bytes_per_second": 3000.0,
                "network_sent_bytes_per_second": 0.0,
                "disk_read_bytes_per_second": 500.0,
                "disk_written_bytes_per_second": 0.0,
                "process_resident_bytes": 200000 * 1024,
                "process_cpu_percent": 50.0,
                "children": 2,
                "children_resident_bytes": 51000 * 1024,
                "children_cpu_percent": 150.0,
            },
            values,
        )

    def test_what_is_missing_costs_its_own_metrics(self) -> None:
        """Here the library of a Mac is missing, too."""
        for name in ("vm_stat", "sysctl", "netstat", "ioreg"):
            self.program(name, "exit 1")
        self.double("ps")
        values = Mac(70, Growth(), False, own_id=71).read()
        self.assertEqual(
            {"process_resident_bytes", "children", "children_resident_bytes", "children_cpu_percent"}, set(values)
        )
        self.assertEqual({"load_average"}, set(Mac(70, Growth(), True).read()) - set(values))


class Kernel:
    """A double of kernel32: it fills in what Microsoft's documentation says."""

    def __init__(self) -> None:
        self.busy = 0
        self.OpenProcess = mock.Mock(return_value=77)

    def GetSystemTimes(self, *times: Any) -> int:
        # The kernel's time includes the idle time.
        return self.fill(times, (2**32 + 100, 2**32 + 100 + self.busy, 0))

    def GetProcessTimes(self, process: Any, *times: Any) -> int:
        assert process.value == 77
        return self.fill(times, (5, 6, self.busy, 2**33 if self.busy else 2**33))

    def GlobalMemoryStatusEx(self, status: Any) -> int:
        target = status._obj
        if target.length != ctypes.sizeof(target):
            return 0
        target.total, target.available = 16_000, 4_000
        return 1

    def K32GetProcessMemoryInfo(self, process: Any, counters: Any, size: int) -> int:
        counters._obj.resident = 123_456
        return int(size == ctypes.sizeof(counters._obj))

    def GetProcessHandleCount(self, process: Any, count: Any) -> int:
        count._obj.value = 210
        return 1

    def fill(self, times: tuple[Any, ...], numbers: tuple[int, ...]) -> int:
        for time, number in zip(times, numbers):
            time._obj[0], time._obj[1] = number & 0xFFFFFFFF, number >> 32
        return 1


class Windows(unittest.TestCase):
    def test_without_psutil(self) -> None:
        now, kernel = [0.0], Kernel()
        node = WindowsNode(kernel, 7, Growth(lambda: now[0]), True)
        node.read()
        now[0], kernel.busy = 2.0, 10**7
        self.assertEqual(
            {
                "cpu_percent": 100.0,
                "memory_used_bytes": 12_000,
                "memory_percent": 75.0,
                "process_resident_bytes": 123_456,
                "process_open_files": 210,
                "process_cpu_percent": 50.0,
            },
            node.read(),
        )

    def test_calls_that_are_refused(self) -> None:
        kernel = Kernel()
        kernel.fill = lambda times, numbers: 0  # type: ignore[method-assign]
        node = WindowsNode(kernel, 7, Growth(), True)
        self.assertEqual(
            {"memory_used_bytes", "memory_percent", "process_resident_bytes", "process_open_files"}, set(node.read())
        )


class WithPsutil(unittest.TestCase):
    def psutil(self, seconds: float) -> Any:
        some = types.SimpleNamespace
        times = lambda: some(user=seconds, system=0.0)  # noqa: E731

        def child(process_id: int) -> Any:
            return some(
                pid=process_id,
                create_time=lambda: 1.0,
                cpu_times=times,
                num_threads=lambda: 2,
                memory_info=lambda: some(rss=1_000),
            )

        process = some(
            cpu_times=times,
            num_threads=lambda: 3,
            memory_info=lambda: some(rss=5_000),
            num_fds=lambda: 4,
            children=lambda recursive: [child(100), child(os.getpid())],
        )

        class CpuTimes(tuple[float, ...]):
            idle = 10.0

        return some(
            Process=lambda process_id: process,
            cpu_times=lambda: CpuTimes((10.0, seconds)),
            virtual_memory=lambda: some(total=1_000, available=250),
            swap_memory=lambda: some(total=0, used=0),
            net_io_counters=lambda: some(bytes_recv=seconds * 10, bytes_sent=0),
            # A container without disks.
            disk_io_counters=lambda: None,
        )

    def test_what_it_tells(self) -> None:
        now = [0.0]
        node = PsutilNode(self.psutil(1.0), 7, Growth(lambda: now[0]), True)
        node.read()
        now[0] = 2.0
        later = self.psutil(3.0)
        node._psutil, node._process = later, later.Process(7)
        values = node.read()
        self.assertGreaterEqual(values.pop("load_average"), 0)
        self.assertEqual(
            {
                "cpu_percent": 100.0,
                "memory_used_bytes": 750,
                "memory_percent": 75.0,
                "network_received_bytes_per_second": 10.0,
                "network_sent_bytes_per_second": 0.0,
                "process_resident_bytes": 5_000,
                "process_threads": 3,
                "process_cpu_percent": 100.0,
                "process_open_files": 4,
                "children": 1,
                "children_threads": 2,
                "children_resident_bytes": 1_000,
                "children_cpu_percent": 100.0,
            },
            values,
        )


class Ranks(unittest.TestCase):
    def test_each_rank_says_its_place(self) -> None:
        def of(rank: int, ranks: int, **variables: str) -> object:
            with mock.patch.dict(os.environ, variables, clear=True), mock.patch("platform.node", lambda: "n1"):
                return machine_metrics(True, rank, ranks)

        self.assertEqual({"seconds": 15.0, "meta": {}, "place": [True, 0]}, of(0, 1))
        self.assertEqual(
            {"seconds": 2.5, "meta": {"rank": "8", "host": "n1"}, "place": [True, 8]},
            of(8, 16, LOCAL_RANK="0", LOCAL_WORLD_SIZE="8", LOSSLESS_SYSTEM="2.5"),
        )
        self.assertEqual(
            {"seconds": 15.0, "meta": {"rank": "9", "host": "n1"}, "place": [False, 0]}, of(9, 16, LOCAL_RANK="1")
        )
        self.assertIsNone(of(0, 1, LOSSLESS_SYSTEM="off"))
        self.assertIsNone(machine_metrics(False, 0, 1))

    def test_what_they_tell(self) -> None:
        """The first of the node: what all share. The others: their processes, and own cards."""

        def of(place: Place, **variables: str) -> tuple[set[str], bool]:
            asked: list[Path] = []
            with (
                mock.patch.dict(os.environ, variables),
                mock.patch.object(machine_module, "accelerators", lambda root: asked.append(root) or []),
            ):
                return set(Machine(os.getpid(), place).sample()), bool(asked)

        names, has_cards = of(Place())
        self.assertLessEqual({"memory_percent", "process_threads"}, names)
        self.assertTrue(has_cards)
        for cards, ranks, is_asked in (
            ("0,1,2,3", 4, False),
            ("3", 4, True),
            ("2,3", 4, True),
            ("3", 0, True),
            ("", 4, False),
        ):
            names, has_cards = of(Place(False, ranks), CUDA_VISIBLE_DEVICES=cards)
            self.assertEqual(("memory_percent" in names, "process_threads" in names), (False, True))
            self.assertEqual(is_asked, has_cards, cards)
        self.assertFalse(of(Place(False, 4))[1])

    def test_names(self) -> None:
        self.assertEqual({"system/a": 1.235, "system/c": 2}, named({"a": 1.23456, "b": float("nan"), "c": 2}))


if __name__ == "__main__":
    unittest.main()
