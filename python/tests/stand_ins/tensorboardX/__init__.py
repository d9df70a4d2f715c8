"""SummaryWriter, with an event file for each directory."""

from __future__ import annotations

import time

import event_file

from .event_file_writer import EventFileWriter


class SummaryWriter:
    def __init__(self, logdir: str, filename_suffix: str = "") -> None:
        self._writer = EventFileWriter(logdir, 10, 120, filename_suffix=filename_suffix)

    def add_scalar(self, tag: str, value: float, step: int, walltime: float | None = None) -> None:
        self._writer.add_event(event_file.scalar(tag, value, step, time.time() if walltime is None else walltime))

    def add_text(self, tag: str, text: str) -> None:
        self._writer.add_event(event_file.tensor_scalar(tag, 7, text.encode(), 0, time.time(), plugin="text"))

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()
