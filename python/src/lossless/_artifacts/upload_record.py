"""
A file that records one upload for the next process, in the format and place of the command line's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._ground.settings import default_spool
from .._ground.warning import warn

_SAVE_EVERY_SECONDS = 1.0


def upload_directory() -> Path:
    """Returns `$XDG_STATE_HOME/lossless/uploads`, by default `~/.local/state/lossless/uploads`."""
    return default_spool().parent / "uploads"


class UploadRecord:
    """
    Records the files and the parts that have arrived, without credentials or addresses. It is
    replaced as a whole, at most once a second: parts that it misses are sent again.
    """

    def __init__(self, identity: Sequence[str], directory: Path | None = None) -> None:
        text = json.dumps(list(identity), separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
        self._name = f"{digest[:32]}.json"
        self._directory = directory
        self._lock = threading.Lock()
        self._state: dict[str, Any] | None = None
        self._saved_at = float("-inf")
        self._is_broken = False

    @property
    def _path(self) -> Path:
        """Path of the record. Raises OSError where there is no directory for it."""
        return (self._directory or upload_directory()) / self._name

    def load(self) -> dict[str, Any] | None:
        """Loads what an earlier process left; an unreadable record counts as none."""
        try:
            state = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return state if isinstance(state, dict) and state.get("format") == 1 else None

    def begin(self, state: Mapping[str, Any]) -> None:
        """Starts recording; the caller changes `sent` of the state and calls `touch`."""
        with self._lock:
            self._state = {"format": 1, **state, "process": _own_process()}
            self._flush()

    def touch(self) -> None:
        with self._lock:
            if time.monotonic() - self._saved_at >= _SAVE_EVERY_SECONDS:
                self._flush()

    def release(self) -> None:
        """Ends writing; the record stays."""
        with self._lock:
            if self._state is not None:
                self._state["process"] = {"host": socket.gethostname(), "id": 0}
                self._flush()
                self._state = None

    def remove(self) -> None:
        with self._lock:
            self._state = None
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._state is None or self._is_broken:
            return
        self._saved_at = time.monotonic()
        try:
            path = self._path
            partial = path.with_name(f"{path.name}.{os.getpid()}")
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                # `json.dump` uses the slow encoder.
                out.write(json.dumps(self._state, separators=(",", ":")))
            os.replace(partial, path)
        except OSError as error:
            # A save goes on even if it cannot be resumed.
            self._is_broken = True
            warn("upload record", f"an upload cannot be resumed after an interruption: {error}")


def other_process(state: Mapping[str, Any]) -> int | None:
    """
    Returns the id of another process of this machine that uses the record. After a restart of the
    machine or the container an unrelated process may have the same number, or we may: the time of
    its start distinguishes them.
    """
    process = state.get("process") or {}
    id = process.get("id")
    if process.get("host") != socket.gethostname() or not isinstance(id, int) or id in (0, os.getpid()):
        return None
    started = process.get("started")
    is_other = started is not None and started != _started(id)
    return id if not is_other and _lives(id) else None


def _own_process() -> dict[str, Any]:
    started = _started(os.getpid())
    return {"host": socket.gethostname(), "id": os.getpid(), **({} if started is None else {"started": started})}


def _started(process: int) -> str | None:
    """Returns when a process was started: the machine's boot, and ticks since; None: unknown."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        with open(f"/proc/{process}/stat", "rb") as file:
            # The program's name is in brackets, and may contain any character.
            fields = file.read().rpartition(b")")[2].split()
        return f"{boot} {int(fields[19])}"
    except (OSError, ValueError, IndexError):
        return None


def _lives(process: int) -> bool:
    if os.name == "nt":
        # os.kill of Windows has no signal 0, and would end the process.
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
