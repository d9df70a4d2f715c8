"""Limits of a container, a job or a service, and how near they are: control groups, v1 and v2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .growth import Growth

# Version 1 has a number for "no limit", near 2^63 and rounded to pages.
_NO_LIMIT = 2**60


class Containers:
    """
    The limits that hold for one process. A group without limits tells nothing; of nested limits the
    tightest counts, with the use of its own group.
    """

    def __init__(self, process_id: int, growth: Growth, root: Path = Path("/")) -> None:
        self._proc = root / "proc"
        self._mount = root / "sys" / "fs" / "cgroup"
        self._process_id = process_id
        self._growth = growth

    def read(self) -> dict[str, float]:
        groups = self._groups()
        values = self._memory(groups)
        values.update(self._cpu(groups))
        return values

    def _memory(self, groups: dict[str, str]) -> dict[str, float]:
        found = [
            (limit, directory, is_new)
            for directory, is_new in self._directories(groups, "memory")
            if (limit := _number(directory / ("memory.max" if is_new else "memory.limit_in_bytes"))) is not None
        ]
        limit, directory, is_new = min(found, default=(_NO_LIMIT, self._mount, True), key=lambda each: each[0])
        if limit >= _NO_LIMIT or limit <= 0:
            return {}
        used = _number(directory / ("memory.current" if is_new else "memory.usage_in_bytes"))
        if used is None:
            return {}
        # Files that the kernel keeps and would drop are no need for memory.
        used -= _field(directory / "memory.stat", "inactive_file" if is_new else "total_inactive_file") or 0
        used = max(0, used)
        values = {
            "container_memory_used_bytes": used,
            "container_memory_limit_bytes": limit,
            "container_memory_percent": 100 * used / limit,
        }
        kills = _field(directory / ("memory.events" if is_new else "memory.oom_control"), "oom_kill")
        if kills is not None:
            values["container_oom_kills"] = kills
        return values

    def _cpu(self, groups: dict[str, str]) -> dict[str, float]:
        found = [
            (share, directory, is_new)
            for directory, is_new in self._directories(groups, "cpu")
            if (share := _quota(directory, is_new)) is not None
        ]
        if not found:
            return {}
        share, directory, is_new = min(found, key=lambda each: each[0])
        values = {"container_cpu_limit_percent": 100 * share}
        if is_new:
            used = _field(directory / "cpu.stat", "usage_usec")
        else:
            nanoseconds = self._used_nanoseconds(groups)
            used = None if nanoseconds is None else nanoseconds / 1000
        grown = None if used is None else self._growth.grown("container_cpu", used)
        if grown is not None:
            values["container_cpu_percent"] = 100 * grown[0] / 10**6 / grown[1]
        periods, throttled = (_field(directory / "cpu.stat", f"nr_{name}") for name in ("periods", "throttled"))
        if periods is not None and throttled is not None:
            all_of_them = self._growth.grown("container_periods", periods)
            stopped = self._growth.grown("container_throttled", throttled)
            if all_of_them is not None and stopped is not None:
                values["container_throttled_percent"] = 100 * stopped[0] / all_of_them[0] if all_of_them[0] else 0.0
        return values

    def _used_nanoseconds(self, groups: dict[str, str]) -> float | None:
        directories = self._directories(groups, "cpuacct")
        return next((used for place, _ in directories if (used := _number(place / "cpuacct.usage")) is not None), None)

    def _groups(self) -> dict[str, str]:
        """Returns the path of the process's group by controller; "" is version 2."""
        groups: dict[str, str] = {}
        for line in (self._proc / str(self._process_id) / "cgroup").read_text("utf-8", "replace").splitlines():
            _, controllers, path = line.split(":", 2)
            groups.update({controller: path for controller in controllers.split(",")})
        return groups

    def _directories(self, groups: dict[str, str], controller: str) -> Iterator[tuple[Path, bool]]:
        """Yields the group's directory and those around it, and whether they are of version 2."""
        is_new = controller not in groups
        if is_new and "" not in groups:
            return
        path = PurePosixPath(groups[""] if is_new else groups[controller])
        mount = self._mount if is_new else self._mount / controller
        # Inside of a container the path may be that of the host, and the mount its group.
        for each in (path, *path.parents):
            directory = mount / str(each).lstrip("/")
            if directory.is_dir():
                yield directory, is_new


def _quota(directory: Path, is_new: bool) -> float | None:
    """Returns how many processors the group may use; None: as many as there are."""
    if is_new:
        words = _text(directory / "cpu.max").split()
        quota, period = (words[0], words[1]) if len(words) == 2 else ("max", "1")
    else:
        quota, period = _text(directory / "cpu.cfs_quota_us"), _text(directory / "cpu.cfs_period_us")
    if not quota.isdigit() or not period.isdigit() or int(period) == 0:
        return None
    return int(quota) / int(period)


def _number(path: Path) -> float | None:
    text = _text(path)
    return int(text) if text.isdigit() else None


def _field(path: Path, name: str) -> float | None:
    """Returns the number behind a name in a file with a line for each."""
    lines = [line.split() for line in _text(path).splitlines()]
    return next((int(words[1]) for words in lines if len(words) == 2 and words[0] == name and words[1].isdigit()), None)


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""
