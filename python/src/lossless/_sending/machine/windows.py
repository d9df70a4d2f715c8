"""A node with Windows without psutil, and the training process, by calls of its libraries."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

from .growth import Growth

# Times are counted in tenths of a microsecond.
_TICKS_A_SECOND = 10**7
_QUERY_LIMITED_INFORMATION = 0x1000
_VM_READ = 0x0010


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX"""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("page_total", ctypes.c_uint64),
        ("page_available", ctypes.c_uint64),
        ("virtual_total", ctypes.c_uint64),
        ("virtual_available", ctypes.c_uint64),
        ("extended_available", ctypes.c_uint64),
    ]


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS"""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("faults", ctypes.c_uint32),
        ("peak_resident", ctypes.c_size_t),
        ("resident", ctypes.c_size_t),
        ("quotas", ctypes.c_size_t * 4),
        ("page_file", ctypes.c_size_t),
        ("peak_page_file", ctypes.c_size_t),
    ]


class WindowsNode:
    """`kernel`: kernel32 of the system."""

    def __init__(self, kernel: Any, process_id: int, growth: Growth, is_node: bool) -> None:
        self._kernel = kernel
        self._growth = growth
        self._is_node = is_node
        kernel.OpenProcess.restype = ctypes.c_void_p
        # It stays open, so that the id is not given to another process.
        self._process = kernel.OpenProcess(_QUERY_LIMITED_INFORMATION | _VM_READ, False, process_id)

    def read(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for part in (*((self._cpu, self._memory) if self._is_node else ()), self._script):
            with contextlib.suppress(OSError):
                part(values)
        return values

    def _cpu(self, values: dict[str, float]) -> None:
        # The kernel's time includes the idle time.
        idle, kernel, user = self._times(self._kernel.GetSystemTimes, 3)
        total, unused = self._growth.grown("cpu_total", kernel + user), self._growth.grown("cpu_idle", idle)
        if total is not None and unused is not None and total[0] > 0:
            values["cpu_percent"] = min(100.0, max(0.0, 100 * (1 - unused[0] / total[0])))

    def _memory(self, values: dict[str, float]) -> None:
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        _check(self._kernel.GlobalMemoryStatusEx(ctypes.byref(status)))
        used = status.total - status.available
        values["memory_used_bytes"], values["memory_percent"] = used, 100 * used / status.total

    def _script(self, values: dict[str, float]) -> None:
        process = ctypes.c_void_p(self._process)
        counters = _MemoryCounters(size=ctypes.sizeof(_MemoryCounters))
        _check(self._kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.size))
        values["process_resident_bytes"] = counters.resident
        handles = ctypes.c_uint32()
        _check(self._kernel.GetProcessHandleCount(process, ctypes.byref(handles)))
        values["process_open_files"] = handles.value
        _, _, kernel, user = self._times(self._kernel.GetProcessTimes, 4, process)
        self._growth.per_second(values, "process_cpu_percent", (kernel + user) / _TICKS_A_SECOND, 100)

    def _times(self, call: Any, count: int, *arguments: Any) -> list[int]:
        """Returns the times that a call fills in, each as two halves."""
        times = [(ctypes.c_uint32 * 2)() for _ in range(count)]
        _check(call(*arguments, *(ctypes.byref(time) for time in times)))
        return [time[0] + (time[1] << 32) for time in times]


def _check(result: int) -> None:
    if not result:
        raise OSError("the system did not tell")
