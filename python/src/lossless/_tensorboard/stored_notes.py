"""
Notes of non-finite values that an experiment had before an import or got by it. The service has no
ids of notes, so they are in the metas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .._ground.endpoints import read_new_annotations
from .._sending.delivery import Annotation
from .._service.session import Session

ID_PREFIX = "event"


class StoredNotes:
    def __init__(self) -> None:
        self._ids: set[str] = set()
        # Notes by version 0.1.0, whose ids were made of file names.
        self._earlier: Counter[tuple[Any, ...]] = Counter()
        # Whether the service returned all notes.
        self.is_whole = True

    def read(self, session: Session) -> None:
        address = read_new_annotations(experimentId=session.experiment_id)
        # Without the bins of histograms, which would be too large together.
        reply = session.service.call(*address).json()
        metas = [note["meta"] for note in reply["annotations"] if "imported" in note["meta"]]
        self._ids = {str(meta["imported"]) for meta in metas}
        self._earlier = Counter(_content(meta) for meta in metas if not str(meta["imported"]).startswith(ID_PREFIX))
        self.is_whole = not reply["truncated"]

    def takes(self, note: Annotation) -> bool:
        """Whether the note is stored. One of an earlier version then takes its id."""
        id, content = note.meta["imported"], _content(note.meta)
        if id not in self._ids and self._earlier[content] > 0:
            self._earlier[content] -= 1
            self._ids.add(id)
        return id in self._ids

    def add(self, notes: Iterable[Annotation]) -> None:
        self._ids.update(note.meta["imported"] for note in notes)


def _content(meta: Mapping[str, Any]) -> tuple[Any, ...]:
    return meta.get("metricName"), meta.get("step"), meta.get("value"), meta.get("tag")
