"""Keeps events back until somebody flushes or closes it, and then refuses them."""

from __future__ import annotations

import os
import socket
import time

import event_file


class EventFileWriter:
    def __init__(self, logdir: str, max_queue_size: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        os.makedirs(logdir, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{filename_suffix}"
        self._file = open(os.path.join(logdir, name), "ab", buffering=0)
        self._kept = [event_file.version(time.time())]

    def add_event(self, event: bytes) -> None:
        self._kept.append(event)

    def flush(self) -> None:
        if self._file.closed:
            raise OSError("Writer is closed")
        self._file.write(b"".join(event_file.record(each) for each in self._kept))
        self._kept.clear()

    def close(self) -> None:
        self.flush()
        self._file.close()
