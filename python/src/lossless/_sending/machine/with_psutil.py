"""A node that is not Linux, and the training's processes, by psutil where it is installed."""

from __future__ import annotations

import contextlib
import os
from types import ModuleType
from typing import Any

from .growth import Growth


class PsutilNode:
    """`psutil`: the module, which is imported here only where no file system tells the same."""

    def __init__(self, psutil: ModuleType | Any, process_id: int, growth: Growth, is_node: bool) -> None:
        self._psutil = psutil
        self._process = psutil.Process(process_id)
        self._growth = growth
        self._is_node = is_node
        self._has_children = False

    def read(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for part in (*((self._node, self._traffic) if self._is_node else ()), self._script, self._children):
            # A system does not tell everything, and not to every user.
            with contextlib.suppress(Exception):
                part(values)
        return values

    def _node(self, values: dict[str, float]) -> None:
        times = self._psutil.cpu_times()
        total, idle = self._growth.grown("cpu_total", sum(times)), self._growth.grown("cpu_idle", times.idle)
        if total is not None and idle is not None and total[0] > 0:
            values["cpu_percent"] = min(100.0, max(0.0, 100 * (1 - idle[0] / total[0])))
        memory, swap = self._psutil.virtual_memory(), self._psutil.swap_memory()
        values["memory_used_bytes"] = memory.total - memory.available
        values["memory_percent"] = 100 * (memory.total - memory.available) / memory.total
        if swap.total > 0:
            values["swap_used_bytes"], values["swap_percent"] = swap.used, 100 * swap.used / swap.total
        if hasattr(os, "getloadavg"):
            values["load_average"] = os.getloadavg()[0]

    def _traffic(self, values: dict[str, float]) -> None:
        network = self._psutil.net_io_counters()
        self._growth.per_second(values, "network_received_bytes_per_second", network.bytes_recv)
        self._growth.per_second(values, "network_sent_bytes_per_second", network.bytes_sent)
        disks = self._psutil.disk_io_counters()
        self._growth.per_second(values, "disk_read_bytes_per_second", disks.read_bytes)
        self._growth.per_second(values, "disk_written_bytes_per_second", disks.write_bytes)

    def _script(self, values: dict[str, float]) -> None:
        values["process_resident_bytes"] = self._process.memory_info().rss
        values["process_threads"] = self._process.num_threads()
        self._growth.per_second(values, "process_cpu_percent", _seconds(self._process), 100)
        count = self._process.num_handles if hasattr(self._process, "num_handles") else self._process.num_fds
        values["process_open_files"] = count()

    def _children(self, values: dict[str, float]) -> None:
        children = [child for child in self._process.children(recursive=True) if child.pid != os.getpid()]
        self._has_children = self._has_children or bool(children)
        if not self._has_children:
            return
        found: list[tuple[int, int, float]] = []
        for child in children:
            # It may have ended meanwhile.
            with contextlib.suppress(Exception):
                grown = self._growth.grown(f"seconds of {child.pid} {child.create_time()}", _seconds(child))
                share = 0.0 if grown is None else 100 * grown[0] / grown[1]
                found.append((child.num_threads(), child.memory_info().rss, share))
        values["children"] = len(found)
        for place, name in enumerate(("children_threads", "children_resident_bytes", "children_cpu_percent")):
            values[name] = sum(each[place] for each in found)


def _seconds(process: Any) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
