"""A file that remembers one upload for the next process, in the command line's form and place."""

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
    """`$XDG_STATE_HOME/lossless/uploads`, by default `~/.local/state/lossless/uploads`."""
    return default_spool().parent / "uploads"


class UploadRecord:
    """
    Which files there are and which parts have arrived, without credentials or addresses. It is
    replaced as a whole, at most once a second: what it does not know of is sent again.
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
        """Raises OSError where there is no directory for it."""
        return (self._directory or upload_directory()) / self._name

    def load(self) -> dict[str, Any] | None:
        """What an earlier process has left. What cannot be read is as good as not there."""
        try:
            state = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return state if isinstance(state, dict) and state.get("format") == 1 else None

    def begin(self, state: Mapping[str, Any]) -> None:
        """Remembers this from now on; the caller changes its `sent` and calls `touch`."""
        with self._lock:
            self._state = {"format": 1, **state, "process": _own_process()}
            self._flush()

    def touch(self) -> None:
        with self._lock:
            if time.monotonic() - self._saved_at >= _SAVE_EVERY_SECONDS:
                self._flush()

    def release(self) -> None:
        """Ends writing here, but what was written stays."""
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
                # `dump` is the slow encoder.
                out.write(json.dumps(self._state, separators=(",", ":")))
            os.replace(partial, path)
        except OSError as error:
            # A save that cannot be resumed is still a save.
            self._is_broken = True
            warn("upload record", f"an upload cannot be continued when it is interrupted: {error}")


def other_process(state: Mapping[str, Any]) -> int | None:
    """
    The id of another process of this machine that is at it. After a restart of the machine or the
    container the same number may be that of a process that has nothing to do with it, or ours: when
    it was started tells.
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
    """When a process was started: the machine's start, and ticks since. None: it cannot be told."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        with open(f"/proc/{process}/stat", "rb") as file:
            # The program's name stands in brackets, and may have anything in it.
            fields = file.read().rpartition(b")")[2].split()
        return f"{boot} {int(fields[19])}"
    except (OSError, ValueError, IndexError):
        return None


def _lives(process: int) -> bool:
    if os.name == "nt":
        # Asking would end it there: os.kill of Windows has no signal 0.
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
