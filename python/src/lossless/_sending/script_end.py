"""How the process that records has ended, as far as anything tells: evidence, and no guess."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import platform
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .._ground.boot_id import boot_id
from .._spool.head import HEAD_FILE, RunInfo
from .._spool.spool import TERMINATED_FILE

# Seconds in which the parent of an ended process notes the end, which the kernel then tells.
_SECONDS = 2.0
_AGAIN_SECONDS = 0.01
# ioctl of a pidfd: the exit status of a process that is not our child (Linux 6.15).
_GET_INFO = 0xC040FF0B
_WITH_EXIT = 1 << 3
# Its first 64 bytes: the mask first, the exit status last.
_INFO_BYTES = 64
_STATUS_AT = 60
# The flag of a process that is ending, in /proc/<pid>/stat.
_ENDING = 0x4


@dataclasses.dataclass(frozen=True)
class Ending:
    how: str
    exit_code: int | None = None
    signal: int | None = None
    error: str | None = None
    evidence: tuple[str, ...] = ()


def told_ending(error: str | None) -> Ending:
    """The end that the recording itself has told."""
    if error is None:
        return Ending("finished", evidence=("The script said so: finish(), or its end without an error.",))
    line = error.strip().partition("\n")[0][:500]
    code = line.removeprefix("exit code ")
    if code != line and code.lstrip("-").isdigit() and abs(int(code)) < 2**31:
        return Ending("exited", exit_code=int(code), evidence=(f"The script said so: exit code {code}.",))
    return Ending("exited", error=line, evidence=("The script said so: an exception, or finish(error=…).",))


class LeftScript:
    """The process of a recording that `lossless sync` found. `lives`: whether it still records."""

    def __init__(self, directory: Path, info: RunInfo, lives: Callable[[], bool]) -> None:
        self._directory = directory
        self._info = info
        self._lives = lives
        self._seen_ms = _last_written_ms(directory)

    def ago_ms(self) -> int:
        """Milliseconds since it was seen alive last."""
        return 0 if self._lives() else max(0, int(time.time() * 1000) - self._seen_ms)

    def ending(self) -> Ending | None:
        """None: it has not ended."""
        if self._lives():
            return None
        evidence = ["`lossless sync` found the recording without its process, and without an end."]
        about = (self._info.attempt or {}).get("process", {})
        is_here = about.get("host") == platform.node()
        if is_here and about.get("bootId") and about["bootId"] != boot_id():
            evidence.append("The machine was started again since: its boot id is another one.")
        return _with_mark(self._directory, None, evidence)


class WatchedScript:
    """
    The process that has started this one, and given us its pidfd where there are any. It is not our
    child, so its exit status is not ours to wait for: newer kernels tell it through the pidfd,
    others only until its parent has noted the end.
    """

    def __init__(self, directory: Path, process_id: int, gone_at: Callable[[], float | None]) -> None:
        self._directory = directory
        self._process_id = process_id
        self._gone_at = gone_at
        self._descriptor = _given_descriptor(process_id)
        self._began = _stat(process_id)[19:20]
        self._oom_kills = oom_kills()
        self._ending: Ending | None = None

    def ago_ms(self) -> int:
        """Milliseconds since it was seen alive last."""
        gone_at = self._gone_at()
        return 0 if gone_at is None else int((time.monotonic() - gone_at) * 1000)

    def ending(self) -> Ending | None:
        """None: it has not ended, though it may have closed its socket."""
        if self._ending is None and self._gone_at() is not None:
            status = self._status()
            if status is None and self._lives():
                return None
            self._ending = self._ending_of(status)
        return self._ending

    def _ending_of(self, status: int | None) -> Ending:
        evidence = ["The script's process is gone, without finish()."]
        if status is not None:
            evidence.append(f"The kernel told how process {self._process_id} ended: {_status_text(status)}.")
        oom_kills_now = oom_kills()
        if self._oom_kills is not None and oom_kills_now is not None and oom_kills_now > self._oom_kills:
            evidence.append(
                "The kernel ended processes of its control group for want of memory meanwhile: oom_kill went from "
                f"{self._oom_kills} to {oom_kills_now}."
            )
        return _with_mark(self._directory, status, evidence)

    def _status(self) -> int | None:
        """Returns the wait status; None: it is not known, or there is none yet."""
        ends = time.monotonic() + _SECONDS
        while True:
            status = self._status_of_ending()
            if status is None:
                status = _status_of_ended(self._descriptor)
            left = ends - time.monotonic()
            if status is not None or left <= 0 or self._descriptor is None:
                return status
            ready = select.poll()
            ready.register(self._descriptor, select.POLLIN)
            if ready.poll(left * 1000):
                time.sleep(_AGAIN_SECONDS)

    def _status_of_ending(self) -> int | None:
        """Reads it from a process whose parent has not yet taken note of its end."""
        fields = _stat(self._process_id)
        if len(fields) < 50 or fields[19:20] != self._began:
            return None
        is_ending = fields[0] == "Z" or int(fields[6]) & _ENDING
        return int(fields[49]) if is_ending else None

    def _lives(self) -> bool:
        if self._descriptor is not None:
            ready = select.poll()
            ready.register(self._descriptor, select.POLLIN)
            return not ready.poll(0)
        return sys.platform != "win32" and os.getppid() == self._process_id


def oom_kills(root: Path = Path("/")) -> int | None:
    """Returns how many processes of our control group the kernel has ended for want of memory."""
    with contextlib.suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            below = path.lstrip("/")
            file = None
            if kinds == "":
                file = root / "sys/fs/cgroup" / below / "memory.events"
            elif "memory" in kinds.split(","):
                file = root / "sys/fs/cgroup/memory" / below / "memory.oom_control"
            if file is not None and file.is_file():
                for each in file.read_text().splitlines():
                    name, _, count = each.partition(" ")
                    if name == "oom_kill":
                        return int(count)
    return None


def _with_mark(directory: Path, status: int | None, evidence: list[str]) -> Ending:
    is_marked = False
    with contextlib.suppress(OSError):
        is_marked = (directory / TERMINATED_FILE).stat().st_size > 0
    if is_marked:
        evidence.append("SIGTERM left its mark when it ended the process.")
    told = tuple(evidence)
    if status is None:
        return (
            Ending("killed", signal=int(signal.SIGTERM), evidence=told) if is_marked else Ending("gone", evidence=told)
        )
    if os.WIFSIGNALED(status):
        return Ending("killed", signal=os.WTERMSIG(status), evidence=told)
    return Ending("exited", exit_code=os.WEXITSTATUS(status), evidence=told)


def _status_text(status: int) -> str:
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"


def _given_descriptor(process_id: int) -> int | None:
    """Returns the descriptor that the script has given us of itself; None: it has none."""
    try:
        descriptor = int(os.environ.get("LOSSLESS_SENDER_PROCESS", ""))
        about = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
    except (OSError, ValueError):
        return None
    # The number may be another file's here. The kernel says -1 of a process that is gone by now.
    is_its = re.search(rf"^Pid:\s+(-1|{process_id})$", about, re.MULTILINE)
    return descriptor if is_its else None


def _status_of_ended(descriptor: int | None) -> int | None:
    if descriptor is None:
        return None
    import fcntl

    asked = bytearray(_INFO_BYTES)
    struct.pack_into("=Q", asked, 0, _WITH_EXIT)
    try:
        fcntl.ioctl(descriptor, _GET_INFO, asked)
    except OSError:
        return None
    (mask,) = struct.unpack_from("=Q", asked)
    return int(struct.unpack_from("=i", asked, _STATUS_AT)[0]) if mask & _WITH_EXIT else None


def _stat(process_id: int) -> list[str]:
    """The fields of /proc/<pid>/stat from the state on; empty: there is none."""
    try:
        with open(f"/proc/{process_id}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may contain any character.
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def _last_written_ms(directory: Path) -> int:
    """Returns when the recording process wrote last, by this machine's clock."""
    latest = 0.0
    with contextlib.suppress(OSError):
        for entry in os.scandir(directory):
            if entry.name.endswith(".log") or entry.name in (HEAD_FILE, TERMINATED_FILE):
                with contextlib.suppress(OSError):
                    latest = max(latest, entry.stat(follow_symlinks=False).st_mtime)
    return int(latest * 1000)
