"""
The interface of a foreign store: runs, and their content in an order that never changes.

A source reads, and knows nothing of the service. The content of a run may be read any number of
times: the first time it is counted (survey.py), the second time sent (run_import.py). `id` is
unique within a run and made of the stored content, never of today's paths or order of files, so
that an import that is repeated sends the same ids.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .._media.media import Media


class Number(NamedTuple):
    """A value of a metric as the source has it: of any size, finite or not."""

    id: str
    name: str
    step: int
    timestamp_ms: int
    value: float | int


class Text(NamedTuple):
    """A text logged by step, beside the metrics."""

    id: str
    name: str
    step: int
    timestamp_ms: int
    text: str


class Logged(NamedTuple):
    """Pictures, tables and the like that were logged together."""

    id: str
    name: str
    step: int
    timestamp_ms: int
    media: list[Media]


class Note(NamedTuple):
    """Another annotation, such as an alert or the summary."""

    id: str
    text: str
    meta: dict[str, Any]


class Line(NamedTuple):
    """A line of the console."""

    timestamp_ms: int
    stream: str
    text: str
    # Lines of one part are stored by their number in it: a part grows only at its end.
    part: str = ""


Item = Number | Text | Logged | Note | Line


class StoredFile(NamedTuple):
    """A file of the run, and its name in the artifact."""

    path: Path
    name: str


class StoredArtifact(NamedTuple):
    """A version of an artifact that the run has logged, with all its files here."""

    name: str
    meta: dict[str, Any]
    files: list[StoredFile]


@dataclasses.dataclass
class Head:
    """All that is known of a run beside its content; complete only after that was read."""

    name: str | None = None
    notes: str = ""
    group: str | None = None
    job_type: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)
    config: dict[str, Any] = dataclasses.field(default_factory=dict)
    # Definitions of metrics, in the form of _values/metric_definitions.py.
    metrics: dict[str, Any] = dataclasses.field(default_factory=dict)
    # `_source` and `_environment` of the meta.
    origin: dict[str, Any] = dataclasses.field(default_factory=dict)
    # Further facts for the record of the import, such as the times of the run.
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    # "running" (it may still be written), "done", or "error" with its reason.
    status: str = "done"
    error: str = ""


class LeftOut(NamedTuple):
    """Something of the source that is not carried over, and why."""

    what: str
    reason: str


class SourceRun(ABC):
    """One run of a source."""

    # Identifies it in the source for ever, together with the format.
    key: str
    # Its experiment, below the prefix that the user gives.
    slug: str
    head: Head
    # Counted while the content is read.
    left_out: Counter[LeftOut]
    # Damages and other things that people should look at.
    problems: list[str]

    def _reset(self) -> None:
        """Forgets what reading has found, before it begins anew."""
        self.head = Head()
        self.left_out = Counter()
        self.problems = []

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is read from, for people."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Bytes, for an estimate."""

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """Yields the content; makes `head`, `left_out` and `problems` anew each time."""

    def files(self) -> Iterable[StoredFile]:
        """Returns the files of the run, which become one version of an artifact."""
        return []

    def artifacts(self) -> Iterable[StoredArtifact]:
        return []

    def leave_out(self, what: str, reason: str, count: int = 1) -> None:
        self.left_out[LeftOut(what, reason)] += count


class Source(Protocol):
    # "wandb", "mlruns" …: part of ids, so it never changes.
    format: str
    # "W&B", for sentences.
    title: str
    # Places in it that cannot be read as a run, with the reason; known after `runs`.
    skipped: list[str]

    def runs(self) -> Iterable[SourceRun]: ...
