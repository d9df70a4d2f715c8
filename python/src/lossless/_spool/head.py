"""
The head of a recording: `run.json`, repeated in the first line of each file with records, in case a
loss of power has emptied the former.
"""

from __future__ import annotations

import calendar
import dataclasses
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._ground.ownership import NotOurs, opened_to_read, read_own
from .._values.records import encode, line_of, record_of, records_in

HEAD_FILE = "run.json"
_LINE_BYTES_MAX = 2**16
_SEGMENT = re.compile(r"events-(\d{6,9})\.log")
# Names of directories made by SpoolWriter.
_NAME = re.compile(r"(\d{8}-\d{6})-([0-9a-z]{16})")


class HeadDamaged(LosslessError, ValueError):
    """The experiment of a recording is unknown."""


@dataclasses.dataclass(frozen=True)
class RunInfo:
    """Facts that the sender needs before the first record. Never includes a credential."""

    url: str
    slug: str
    # Path of names from the root to the folder of a new experiment; None: the root. An existing one
    # stays where it is, unless the opening in the spool names a folder.
    folder: list[str] | None
    # Prefix of the ids of all points of this process.
    prefix: str
    # Where several ranks record into one experiment, only the first starts and ends it.
    is_primary: bool
    created_at_ms: int
    organization: str | None = None
    # Interval of measuring the machine, in seconds, and the meta of those points; None: not
    # measured.
    system: dict[str, Any] | None = None
    # Whether it continues an experiment, and notes that.
    is_resumed: bool = False
    # The step after the last existing one.
    starting_step: int = 0
    # How what the process prints is captured, and what is said of the process: {mode, rank, host,
    # processId}; None: it is not.
    console: dict[str, Any] | None = None
    # Kinds of facts about source and environment to keep, and what only the process knows of itself
    # (_origin/started.py); None: none are.
    origin: dict[str, Any] | None = None
    # The attempt that the process is part of, and what is said of the process: {id, process}; None:
    # nothing is told.
    attempt: dict[str, Any] | None = None
    format: int = 1

    @property
    def word(self) -> str:
        """A word that distinguishes this recording from others in its experiment."""
        return self.prefix[:8]


def head_line(info: RunInfo) -> bytes:
    return line_of(encode(["h", dataclasses.asdict(info)]))


def read_info(directory: Path) -> RunInfo:
    """Reads the head. Raises HeadDamaged, ValueError for a newer version's, OSError."""
    try:
        return _info_of(json.loads(read_own(directory / HEAD_FILE)), directory)
    except NotOurs:
        raise
    except (FileNotFoundError, _NoHead, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        pass
    for first in _first_records(directory):
        if first[:1] == ["h"] and len(first) == 2:
            try:
                return _info_of(first[1], directory)
            except _NoHead:
                continue
    if not directory.is_dir():
        raise FileNotFoundError(f"there is no directory {directory}")
    raise HeadDamaged(f"{HEAD_FILE} is damaged or missing, and nothing else names its experiment")


def has_head_file(directory: Path) -> bool:
    """Whether it has a readable run.json."""
    try:
        _info_of(json.loads(read_own(directory / HEAD_FILE)), directory)
    except (OSError, ValueError, RecursionError):
        return False
    return True


def is_recording(directory: Path) -> bool:
    """Whether it is the directory of a recording, complete or not."""
    try:
        return (directory / HEAD_FILE).is_file() or bool(segments(directory))
    except OSError:
        return False


def has_records(directory: Path) -> bool:
    """Whether any of its lines can be read."""
    for number in segments(directory):
        with os.fdopen(opened_to_read(segment_path(directory, number)), "rb") as file:
            if any(record is not None and record[:1] != ["h"] for _, record in records_in(file.read())):
                return True
    return False


def info_for(directory: Path, url: str, slug: str) -> RunInfo:
    """
    Reconstructs a head for the experiment that the user names: the directory has the recording's
    name, from which its ids are made, and the time of its beginning.
    """
    named = _NAME.fullmatch(directory.resolve().name)
    if named is not None:
        prefix = named[2]
        seconds: float = calendar.timegm(time.strptime(named[1], "%Y%m%d-%H%M%S"))
    else:
        first = min(segments(directory), default=None)
        path = directory if first is None else segment_path(directory, first)
        with os.fdopen(opened_to_read(path), "rb") as file:
            prefix = hashlib.sha256(file.read(_LINE_BYTES_MAX)).hexdigest()[:16]
        seconds = path.stat().st_mtime
    created_at_ms = min([int(seconds * 1000), *_times(directory)])
    project, _, own = slug.rpartition("/")
    folder = [project] if own and project and "/" not in project else None
    return RunInfo(url, slug, folder, prefix, True, created_at_ms)


def segment_path(directory: Path, number: int) -> Path:
    return directory / f"events-{number:06d}.log"


def segments(directory: Path) -> list[int]:
    """Returns the numbers of the files with records, in order."""
    found = (_SEGMENT.fullmatch(name) for name in os.listdir(directory))
    return sorted(int(each[1]) for each in found if each is not None)


class _NoHead(ValueError):
    pass


def _info_of(content: Any, directory: Path) -> RunInfo:
    """Parses a head. Raises _NoHead for anything else, ValueError for that of a newer version."""
    if not isinstance(content, dict):
        raise _NoHead
    version = content.get("format")
    if type(version) is int and version > 1:
        raise ValueError(f"{directory} was written by a newer version")
    known = {field.name for field in dataclasses.fields(RunInfo)}
    info = RunInfo(
        **{
            "format": 0,
            "url": 0,
            "slug": 0,
            "folder": 0,
            "prefix": 0,
            "is_primary": 0,
            "created_at_ms": "",
            **{name: value for name, value in content.items() if name in known},
        }
    )
    is_whole = (
        info.format == 1
        and all(isinstance(each, str) and each for each in (info.url, info.slug, info.prefix))
        and (
            info.folder is None or (isinstance(info.folder, list) and all(isinstance(one, str) for one in info.folder))
        )
        and isinstance(info.is_primary, bool)
        and isinstance(info.is_resumed, bool)
        and type(info.created_at_ms) is int
        and type(info.starting_step) is int
        and (info.organization is None or isinstance(info.organization, str))
        and all(each is None or isinstance(each, dict) for each in (info.system, info.origin))
        and (info.attempt is None or _is_attempt(info.attempt))
    )
    if not is_whole:
        raise _NoHead
    return info


def _is_attempt(attempt: Any) -> bool:
    return isinstance(attempt, dict) and isinstance(attempt.get("id"), str) and isinstance(attempt.get("process"), dict)


def _first_records(directory: Path) -> Iterator[list[Any]]:
    """Yields the first record of each file that has a complete first line."""
    try:
        numbers = segments(directory)
    except FileNotFoundError:
        return
    for number in numbers:
        with os.fdopen(opened_to_read(segment_path(directory, number)), "rb") as file:
            line = file.readline(_LINE_BYTES_MAX)
        record = record_of(line[:-1]) if line.endswith(b"\n") else None
        if record is not None:
            yield record


def _times(directory: Path) -> Iterator[int]:
    """Yields the time of the first point of each file."""
    for number in segments(directory):
        with os.fdopen(opened_to_read(segment_path(directory, number)), "rb") as file:
            for _, record in records_in(file.read(_LINE_BYTES_MAX)):
                if record is not None and record[:1] == ["m"]:
                    yield int(record[2])
                    break
