"""A node with Linux: processors, memory, disks, networks and temperature, from /proc and /sys."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from .growth import Growth

_SECTOR_BYTES = 512
# InfiniBand counts words of four bytes.
_WORD_BYTES = 4
# The traffic of these devices is counted for others already.
_NOT_DISKS = ("loop", "ram", "zram", "dm-", "md", "sr", "fd")
_NOT_NETWORKS = ("lo", "veth", "docker", "br-", "virbr", "cni", "flannel", "cali", "tun", "tap")
# Sensors of processors: Intel, AMD, ARM boards.
_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "x86_pkg_temp")


class LinuxNode:
    def __init__(self, growth: Growth, root: Path = Path("/")) -> None:
        self._proc = root / "proc"
        self._sys = root / "sys"
        self._growth = growth

    def read(self) -> dict[str, float]:
        values: dict[str, float] = {}
        parts: tuple[Callable[[dict[str, float]], None], ...] = (
            self._cpu,
            self._memory,
            self._disks,
            self._networks,
            self._infiniband,
            self._temperature,
        )
        for part in parts:
            try:
                part(values)
            except (OSError, ValueError, IndexError, KeyError):
                # A container hides the file, or a kernel has another form of it.
                continue
        return values

    def _cpu(self, values: dict[str, float]) -> None:
        values["load_average"] = float((self._proc / "loadavg").read_text("ascii").split()[0])
        with open(self._proc / "stat", encoding="ascii") as file:
            # user nice system idle iowait irq softirq steal; the rest is included in user.
            ticks = [int(word) for word in file.readline().split()[1:9]]
        total, idle = self._growth.grown("cpu_total", sum(ticks)), self._growth.grown("cpu_idle", ticks[3] + ticks[4])
        if total is not None and idle is not None and total[0] > 0:
            values["cpu_percent"] = min(100.0, max(0.0, 100 * (1 - idle[0] / total[0])))

    def _memory(self, values: dict[str, float]) -> None:
        lines = (self._proc / "meminfo").read_text("ascii").splitlines()
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines if ":" in line}
        total, free = kilobytes["MemTotal"], kilobytes["MemAvailable"]
        values["memory_used_bytes"] = (total - free) * 1024
        values["memory_percent"] = 100 * (total - free) / total
        swap = kilobytes.get("SwapTotal", 0)
        if swap > 0:
            values["swap_used_bytes"] = (swap - kilobytes["SwapFree"]) * 1024
            values["swap_percent"] = 100 * (swap - kilobytes["SwapFree"]) / swap

    def _disks(self, values: dict[str, float]) -> None:
        own = {name for name in os.listdir(self._sys / "block") if not name.startswith(_NOT_DISKS)}
        read = written = 0
        for line in (self._proc / "diskstats").read_text("ascii").splitlines():
            words = line.split()
            if words[2] in own:
                read += int(words[5])
                written += int(words[9])
        self._growth.per_second(values, "disk_read_bytes_per_second", read, _SECTOR_BYTES)
        self._growth.per_second(values, "disk_written_bytes_per_second", written, _SECTOR_BYTES)

    def _networks(self, values: dict[str, float]) -> None:
        received = sent = 0
        for line in (self._proc / "net" / "dev").read_text("ascii").splitlines()[2:]:
            name, _, numbers = line.partition(":")
            if not name.strip().startswith(_NOT_NETWORKS):
                words = numbers.split()
                received += int(words[0])
                sent += int(words[8])
        self._growth.per_second(values, "network_received_bytes_per_second", received)
        self._growth.per_second(values, "network_sent_bytes_per_second", sent)

    def _infiniband(self, values: dict[str, float]) -> None:
        for way, name in (("received", "port_rcv_data"), ("sent", "port_xmit_data")):
            ports = list((self._sys / "class" / "infiniband").glob(f"*/ports/*/counters/{name}"))
            if ports:
                words = sum(int(port.read_text("ascii")) for port in ports)
                self._growth.per_second(values, f"infiniband_{way}_bytes_per_second", words, _WORD_BYTES)

    def _temperature(self, values: dict[str, float]) -> None:
        found = list(self._temperatures())
        if found:
            values["cpu_temperature_celsius"] = max(found)

    def _temperatures(self) -> Iterator[float]:
        """Yields the temperatures of processors; a virtual machine has none."""
        places = [
            *((path / "name", path.glob("temp*_input")) for path in (self._sys / "class" / "hwmon").glob("hwmon*")),
            *((path / "type", path.glob("temp")) for path in (self._sys / "class" / "thermal").glob("thermal_zone*")),
        ]
        for name, sensors in places:
            if name.read_text("ascii").strip() in _SENSORS:
                for sensor in sensors:
                    yield int(sensor.read_text("ascii")) / 1000
