"""The training process and its children, such as the workers of a data loader, from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .growth import Growth

# A script that starts more is measured by the first of them.
_CHILDREN_MAX = 1_000


class _Process(NamedTuple):
    """The line of a process in /proc."""

    ticks: int
    threads: int
    started: int
    resident_pages: int


class LinuxProcesses:
    """Our own process, the sender, is a child as well, and not counted."""

    def __init__(self, process_id: int, growth: Growth, root: Path = Path("/"), own_id: int | None = None) -> None:
        self._proc = root / "proc"
        self._process_id = process_id
        self._own_id = os.getpid() if own_id is None else own_id
        self._growth = growth
        self._has_children = False

    def read(self) -> dict[str, float]:
        script = self._process(self._process_id)
        values: dict[str, float] = {
            "process_resident_bytes": script.resident_pages * _page_bytes(),
            "process_threads": script.threads,
        }
        share = self._cpu_percent(self._process_id, script)
        if share is not None:
            values["process_cpu_percent"] = share
        with contextlib.suppress(OSError):
            values["process_open_files"] = len(os.listdir(self._proc / str(self._process_id) / "fd"))
        self._add_children(values)
        return values

    def _add_children(self, values: dict[str, float]) -> None:
        children = dict(self._children())
        # A script without children has no such series; after the last one ended they are zero.
        self._has_children = self._has_children or bool(children)
        if not self._has_children:
            return
        values["children"] = len(children)
        values["children_threads"] = sum(child.threads for child in children.values())
        values["children_resident_bytes"] = sum(child.resident_pages for child in children.values()) * _page_bytes()
        shares = [self._cpu_percent(process_id, child) for process_id, child in children.items()]
        values["children_cpu_percent"] = sum(share for share in shares if share is not None)

    def _cpu_percent(self, process_id: int, process: _Process) -> float | None:
        """Returns the share of one processor. An id can be that of another process later."""
        grown = self._growth.grown(f"ticks of {process_id} {process.started}", process.ticks)
        return None if grown is None else 100 * grown[0] / os.sysconf("SC_CLK_TCK") / grown[1]

    def _children(self) -> Iterator[tuple[int, _Process]]:
        waiting = [self._process_id]
        count = 0
        while waiting:
            for child in self._children_of(waiting.pop()):
                if child == self._own_id or count >= _CHILDREN_MAX:
                    continue
                try:
                    process = self._process(child)
                except (OSError, ValueError, IndexError):
                    # It has ended meanwhile.
                    continue
                count += 1
                waiting.append(child)
                yield child, process

    def _children_of(self, process_id: int) -> list[int]:
        """
        Returns the children of all threads: the kernel lists them without a walk over all processes
        of the node.
        """
        children: list[int] = []
        tasks = self._proc / str(process_id) / "task"
        with contextlib.suppress(OSError):
            for task in os.listdir(tasks):
                # A thread may end meanwhile.
                with contextlib.suppress(OSError):
                    text = (tasks / task / "children").read_text("ascii")
                    children += [int(word) for word in text.split()]
        return children

    def _process(self, process_id: int) -> _Process:
        text = (self._proc / str(process_id) / "stat").read_text("utf-8", "replace")
        # The name in brackets may contain any character.
        words = text[text.rindex(")") + 2 :].split()
        return _Process(
            ticks=int(words[11]) + int(words[12]),
            threads=int(words[17]),
            started=int(words[19]),
            resident_pages=int(words[21]),
        )


def _page_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE")
