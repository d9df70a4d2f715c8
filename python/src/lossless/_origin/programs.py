"""Other programs that are asked in the sender's process: git and nvidia-smi, for a bounded time."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

_READ_BYTES = 2**16


class Programs:
    """Asks programs until a deadline; `stop`, of another thread, ends the one that answers."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def ask(
        self, words: Sequence[str], bytes_max: int, more: Mapping[str, str] | None = None, is_cut: bool = False
    ) -> bytes | None:
        """
        Returns what it prints, of a longer answer with `is_cut` the first `bytes_max` bytes and one
        more; None: it is missing, refuses, or took too long.
        """
        program = shutil.which(words[0])
        if program is None:
            return None
        process = self._started([program, *words[1:]], {**os.environ, **(more or {})})
        if process is None:
            return None
        timer = threading.Timer(max(0.0, self._ends - time.monotonic()), _kill, (process,))
        timer.daemon = True
        timer.start()
        try:
            answer = _read(process, bytes_max + 1)
            is_whole = len(answer) <= bytes_max
            if not is_whole:
                _kill(process)
            code = process.wait()
            return answer if (is_whole and code == 0) or (not is_whole and is_cut) else None
        except (OSError, ValueError):
            _kill(process)
            return None
        finally:
            timer.cancel()
            with contextlib.suppress(OSError):
                if process.stdout is not None:
                    process.stdout.close()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                _kill(self._process)

    def _started(self, words: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._is_stopped or time.monotonic() >= self._ends:
                return None
            try:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    # Its own children end with it.
                    start_new_session=sys.platform != "win32",
                )
            except (OSError, ValueError):
                return None
            return self._process


def _read(process: subprocess.Popen[bytes], bytes_max: int) -> bytes:
    assert process.stdout is not None
    answer = bytearray()
    while len(answer) < bytes_max:
        piece = os.read(process.stdout.fileno(), min(_READ_BYTES, bytes_max - len(answer)))
        if not piece:
            break
        answer += piece
    return bytes(answer)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
