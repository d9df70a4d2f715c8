"""Readers of this machine: which there are, and under which names their values stand."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from . import amd, apple, ascend, habana, intel, nvidia, tpu
from .containers import Containers
from .disk_space import DiskSpace
from .growth import Growth
from .linux import LinuxNode
from .macos import Mac
from .processes import LinuxProcesses
from .programs import SlowReader, path_of
from .visible import visible_count
from .windows import WindowsNode
from .with_psutil import PsutilNode

Values = dict[str, float]
Read = Callable[[], Values]


class Place(NamedTuple):
    """A process's place among the ranks of its node."""

    # False: another rank of the node tells what all share.
    is_first: bool = True
    # Ranks on this node; 0: unknown.
    ranks: int = 0


class Machine:
    def __init__(self, process_id: int, place: Place | None = None, root: Path = Path("/")) -> None:
        self._growth = Growth()
        self._place = place or Place()
        self._process_id = process_id
        self._root = root
        self._quick: list[Read] = []
        slow: list[Read] = []
        if sys.platform == "linux":
            self._add_linux()
        else:
            self._add_other(slow)
        if self._place.is_first:
            slow.append(DiskSpace(process_id, root).read)
        if self._place.is_first or self._has_own_accelerators():
            slow += accelerators(root)
        self.slow = [SlowReader(read) for read in slow]

    def sample(self) -> Values:
        """Returns what is read at once. Rates begin with the second sample."""
        values: Values = {}
        for read in self._quick:
            # A container may hide files, and the process may have ended.
            with contextlib.suppress(OSError, ValueError, IndexError, KeyError):
                values.update(read())
        return values

    def _add_linux(self) -> None:
        if self._place.is_first:
            self._quick.append(LinuxNode(self._growth, self._root).read)
            self._quick.append(Containers(self._process_id, self._growth, self._root).read)
        self._quick.append(LinuxProcesses(self._process_id, self._growth, self._root).read)

    def _add_other(self, slow: list[Read]) -> None:
        arguments = (self._process_id, self._growth, self._place.is_first)
        with contextlib.suppress(Exception):
            self._quick.append(PsutilNode(importlib.import_module("psutil"), *arguments).read)
            return
        if sys.platform == "darwin":
            slow.append(Mac(*arguments).read)
        elif sys.platform == "win32":
            self._quick.append(WindowsNode(ctypes.WinDLL("kernel32"), *arguments).read)

    def _has_own_accelerators(self) -> bool:
        """
        Whether the launcher gave this rank accelerators of its own: fewer than the node has ranks.
        Otherwise all ranks see the same ones, which the first of the node tells.
        """
        count = visible_count(*_VARIABLES)
        return count is not None and 0 < count < max(2, self._place.ranks)


_VARIABLES = (*nvidia.VARIABLES, *reversed(amd.VARIABLES), *ascend.VARIABLES, *intel.VARIABLES, *habana.VARIABLES)


def named(values: Values) -> Values:
    """Returns the values as metrics; a number that JSON does not have is left out."""
    return {f"system/{name}": round(value, 3) for name, value in values.items() if value - value == 0}


def accelerators(root: Path = Path("/")) -> list[Read]:
    """
    Returns a reader for each family whose program is installed. GPUs are `gpu/0`, …; on a machine
    with cards of several makers those of the first, and the others `gpu/amd0`, `gpu/intel0`.
    """
    found: list[tuple[str, str, Any]] = []
    if program := path_of(nvidia.PROGRAM):
        found.append(("gpu", "nvidia", nvidia.Nvidia(program)))
    amd_smi, rocm_smi = (path_of(name) for name in amd.PROGRAMS)
    if amd_smi or rocm_smi:
        found.append(("gpu", "amd", amd.Amd(amd_smi, rocm_smi)))
    if program := path_of(intel.PROGRAM):
        found.append(("gpu", "intel", intel.Intel(program)))
    if sys.platform == "darwin" and (program := path_of(apple.PROGRAM)):
        found.append(("gpu", "apple", apple.Apple(program)))
    drivers = intel.IntelDrivers(root / "sys")
    # The graphics unit of a processor is told only where nothing else computes.
    if not found and drivers.is_there():
        found.append(("gpu", "intel", drivers))
    for kind, name, maker in (
        ("tpu", tpu.PROGRAM, tpu.Tpu),
        ("npu", ascend.PROGRAM, ascend.Ascend),
        ("hpu", habana.PROGRAM, habana.Habana),
    ):
        if program := path_of(name):
            found.append((kind, kind, maker(program)))
    makers = [maker for kind, maker, _ in found if kind == "gpu"]
    return [_prefixed(reader.read, f"{kind}/{maker if maker in makers[1:] else ''}") for kind, maker, reader in found]


def _prefixed(read: Read, prefix: str) -> Read:
    return lambda: {f"{prefix}{name}": value for name, value in read().items()}
