"""A Mac without psutil, and the training's processes, by its own programs and without root."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re

from .apple import registry_of
from .growth import Growth
from .numbers import bytes_of, number_of
from .programs import answer_of

# Question to `host_statistics`: ticks of user, system, idle and nice of all processors together.
_HOST_CPU_LOAD_INFO = 3
_STATES = 4
_IDLE = 2
_PAGES = re.compile(r"Pages ([a-z ]+):\s+(\d+)\.")
_PAGE_BYTES = re.compile(r"page size of (\d+) bytes")
_SWAP = re.compile(r"total = ([\d.,]+)([KMGT])\s+used = ([\d.,]+)([KMGT])")


class Mac:
    """Our own process, the sender, is a child of the training as well, and not counted."""

    def __init__(self, process_id: int, growth: Growth, is_node: bool, own_id: int | None = None) -> None:
        self._process_id = process_id
        self._own_id = os.getpid() if own_id is None else own_id
        self._growth = growth
        self._is_node = is_node
        self._has_children = False

    def read(self) -> dict[str, float]:
        values: dict[str, float] = {}
        node = (self._cpu, self._memory, self._swap, self._networks, self._disks) if self._is_node else ()
        for part in (*node, self._processes):
            # A program that is missing, or prints something else, costs its own metrics only.
            with contextlib.suppress(Exception):
                part(values)
        return values

    def _cpu(self, values: dict[str, float]) -> None:
        values["load_average"] = os.getloadavg()[0]
        ticks = _ticks()
        total, idle = self._growth.grown("cpu_total", sum(ticks)), self._growth.grown("cpu_idle", ticks[_IDLE])
        if total is not None and idle is not None and total[0] > 0:
            values["cpu_percent"] = min(100.0, max(0.0, 100 * (1 - idle[0] / total[0])))

    def _memory(self, values: dict[str, float]) -> None:
        """Adds the memory that is neither free nor kept for files, as the system's monitor does."""
        text = answer_of("vm_stat")
        page, pages = _PAGE_BYTES.search(text), dict(_PAGES.findall(text))
        total = number_of(answer_of("sysctl", "-n", "hw.memsize"))
        if page is None or not total:
            return
        free = sum(int(pages.get(name, 0)) for name in ("free", "inactive", "speculative", "purgeable"))
        used = max(0.0, total - free * int(page.group(1)))
        values["memory_used_bytes"], values["memory_percent"] = used, 100 * used / total

    def _swap(self, values: dict[str, float]) -> None:
        found = _SWAP.search(answer_of("sysctl", "-n", "vm.swapusage"))
        if found is None:
            return
        total, used = bytes_of(found.group(1), found.group(2)), bytes_of(found.group(3), found.group(4))
        if total and used is not None:
            values["swap_used_bytes"], values["swap_percent"] = used, 100 * used / total

    def _networks(self, values: dict[str, float]) -> None:
        received = sent = 0
        for line in answer_of("netstat", "-ibn").splitlines():
            words = line.split()
            # One line of an interface has its totals. Its address may be missing.
            if len(words) >= 10 and words[2].startswith("<Link#") and words[0].startswith("en"):
                received += int(words[-5])
                sent += int(words[-2])
        self._growth.per_second(values, "network_received_bytes_per_second", received)
        self._growth.per_second(values, "network_sent_bytes_per_second", sent)

    def _disks(self, values: dict[str, float]) -> None:
        statistics = [each.get("Statistics") for each in registry_of("ioreg", "IOBlockStorageDriver")]
        for name, key in (("read", "Bytes (Read)"), ("written", "Bytes (Write)")):
            count = sum(number_of(each.get(key)) or 0 for each in statistics if isinstance(each, dict))
            self._growth.per_second(values, f"disk_{name}_bytes_per_second", count)

    def _processes(self, values: dict[str, float]) -> None:
        rows = [line.split() for line in answer_of("ps", "-A", "-o", "pid=,ppid=,rss=,time=").splitlines()]
        found = {int(row[0]): row for row in rows if len(row) == 4}
        script = found[self._process_id]
        values["process_resident_bytes"] = int(script[2]) * 1024
        self._growth.per_second(values, "process_cpu_percent", _seconds(script[3]), 100)
        children = self._children({process_id: int(row[1]) for process_id, row in found.items()})
        self._has_children = self._has_children or bool(children)
        if not self._has_children:
            return
        grown = [self._growth.grown(f"seconds of {child}", _seconds(found[child][3])) for child in children]
        values["children"] = len(children)
        values["children_resident_bytes"] = sum(int(found[child][2]) for child in children) * 1024
        values["children_cpu_percent"] = sum(100 * each[0] / each[1] for each in grown if each is not None)

    def _children(self, parents: dict[int, int]) -> list[int]:
        found: list[int] = []
        waiting = [self._process_id]
        while waiting:
            parent = waiting.pop()
            own = [each for each, above in parents.items() if above == parent and each != self._own_id]
            found += own
            waiting += own
        return found


def _ticks() -> list[int]:
    """Returns the ticks of all processors, which no program prints."""
    system = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
    system.mach_host_self.restype = ctypes.c_uint
    ticks = (ctypes.c_uint * _STATES)()
    count = ctypes.c_uint(_STATES)
    result = system.host_statistics(
        ctypes.c_uint(system.mach_host_self()), _HOST_CPU_LOAD_INFO, ctypes.byref(ticks), ctypes.byref(count)
    )
    if result != 0:
        raise OSError(f"host_statistics: {result}")
    return list(ticks)


def _seconds(text: str) -> float:
    """Returns the seconds of a time of `ps`: [[dd-]hh:]mm:ss.hundredths."""
    days, _, rest = text.rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds + int(days or 0) * 86_400
