"""Reads, once before a recording begins, whether its experiment exists and where it stopped."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import ConnectionFailed, LosslessError, SettingsError
from .._ground.ownership import check_own_directory, opened_to_read, read_own
from .._ground.settings import Settings, default_spool
from .._ground.warning import say
from .._reading.series import checked_chunks
from .._reading.stored_summary import StoredSummary
from .._service.client import retried
from .._service.login import LoginCredential
from .._service.service import Service
from .._service.session import Session
from .._spool.head import read_info, segment_path, segments
from .._spool.sent_state import read_state
from .._spool.spool import write_whole
from .._values.records import records_in

MODES = ("allow", "must", "never", "auto")
# Seconds to wait for a reply, and where a training must not begin without one.
_SECONDS = 10.0
_SECONDS_OF_REFUSALS = 30.0
# Seconds for reading the steps of an existing experiment.
_READING_SECONDS = 60.0


@dataclasses.dataclass
class Found:
    """The state of an experiment; empty where there is none."""

    is_there: bool = False
    # The meta of the experiment, with config, name, tags and group.
    meta: dict[str, Any] = dataclasses.field(default_factory=dict)
    notes: str = ""
    # Points and summary, at the service and waiting on this machine.
    stored: StoredSummary = dataclasses.field(default_factory=StoredSummary)

    def add(self, later: Found) -> None:
        """Adds what was recorded later."""
        self.meta = later.meta or self.meta
        self.notes = later.notes or self.notes
        self.stored.add(later.stored)


def mode_of_resume(resume: Any) -> str | None:
    """Parses a script's mode; None: a recording of its own. Raises SettingsError."""
    if resume is True:
        return "auto"
    # Only words are compared: comparing a script's values may have any effect.
    if resume is None or resume is False or resume == "":
        return None
    if not isinstance(resume, str) or resume.lower() not in MODES:
        raise SettingsError(f"resume is allow, must, never or auto, not {resume!r}")
    return resume.lower()


def resumed(
    mode: str | None, slug: str, settings: Settings, is_offline: bool, is_primary: bool, is_wanted: bool
) -> Found | None:
    """
    Returns the state of the experiment `slug`, as `mode` requires; None: there is none, or it is
    unknown. `is_wanted`: it may exist, because the script has named it or another process of this
    launch has begun it. Raises SettingsError for what `must` and `never` refuse, ConnectionFailed
    where they cannot be answered.
    """
    if mode is None or not is_wanted:
        if mode == "must":
            raise SettingsError("resume='must' needs the id (or slug) of the run to continue")
        return None
    local = None if settings.spool is None else _local(settings.spool, slug, is_offline)
    found, problem = (None, "this recording is offline") if is_offline else _asked(mode, slug, settings)
    is_there = (found is not None and found.is_there) or local is not None
    if mode == "never" and is_primary:
        if is_there:
            raise SettingsError(f"{slug} exists already, and resume='never' does not continue it: give another id")
        if found is None and not is_offline:
            raise _unanswered(mode, slug, settings, problem)
    if mode == "must" and not is_there:
        if found is None and not is_offline:
            raise _unanswered(mode, slug, settings, problem)
        where = "on this machine" if is_offline else f"at {settings.url}"
        raise SettingsError(f"there is no {slug} {where}, and resume='must' does not begin a new one")
    if mode == "never" or not is_there:
        if found is None and is_primary:
            say(f"lossless: whether {slug} exists already is unknown ({problem}): steps count from 0")
        return None
    found = found or Found()
    found.is_there = True
    if local is not None:
        # These points have not been sent yet.
        found.add(local)
    return found


def _unanswered(mode: str, slug: str, settings: Settings, problem: str) -> LosslessError:
    return ConnectionFailed(
        f"resume={mode!r}: whether {slug} exists cannot be found out from {settings.url} ({problem.rstrip('.')})"
    )


def _asked(mode: str, slug: str, settings: Settings) -> tuple[Found | None, str]:
    """Returns what the service has; on failure nothing, and the reason."""
    seconds = _SECONDS_OF_REFUSALS if mode in ("must", "never") else _SECONDS
    key = str(settings.credential)
    credential = LoginCredential(settings.url) if settings.organization is not None else lambda: key
    service = Service(settings.url, credential, settings.organization, timeout=seconds)
    ends = time.monotonic() + seconds
    try:
        record = retried(Session(service, slug, "", {}).record, seconds, gives_up=lambda: time.monotonic() >= ends)
        if record is None or mode == "never":
            return Found(is_there=record is not None), ""
        found = Found(True, meta=dict(record["meta"]), notes=str(record["description"]))
        experiment_id = str(record["experimentId"])
        try:
            _read_points(service, experiment_id, found.stored)
            notes = service.single("query.annotations", {"experimentId": experiment_id})
            found.stored.take_notes(notes["annotations"])
        except LosslessError as error:
            say(f"lossless: not all of {slug} could be read ({error}): steps count from {found.stored.next_step}")
        return found, ""
    except LosslessError as error:
        return None, str(error)
    finally:
        service.close()


def _read_points(service: Service, experiment_id: str, found: StoredSummary) -> None:
    """Reads the series: the service has no shorter way to the last step."""
    ends = time.monotonic() + _READING_SECONDS
    query = {"experimentId": experiment_id, "filter": [], "xAxis": "step"}
    records = service.stream("query.experimentseries", query)
    try:
        for chunk in checked_chunks(records, experiment_id):
            found.take_chunk(chunk)
            if time.monotonic() >= ends:
                raise ConnectionFailed(f"reading its steps takes longer than {_READING_SECONDS:.0f} seconds")
    finally:
        records.close()


def _local(root: Path, slug: str, is_offline: bool) -> Found | None:
    """Returns what waits on this machine; None: nothing does."""
    found: Found | None = None
    with contextlib.suppress(OSError):
        for directory in sorted(root.iterdir()):
            try:
                check_own_directory(directory)
                if read_info(directory).slug == slug:
                    found = found or Found(True)
                    found.add(_waiting(directory, is_offline))
            except (OSError, ValueError, TypeError):
                continue
    return found


def _waiting(directory: Path, is_offline: bool) -> Found:
    found, notes, state = Found(), list[dict[str, Any]](), read_state(directory)
    for number in segments(directory):
        # What is sent meanwhile is removed.
        with (
            contextlib.suppress(FileNotFoundError),
            os.fdopen(opened_to_read(segment_path(directory, number)), "rb") as file,
        ):
            for end, record in records_in(file.read()):
                # The service has the others, too.
                is_first = is_offline or (number, end) > (state.segment, state.offset)
                if record is None:
                    continue
                if record[0] == "m":
                    place = int(record[3]), int(record[2])
                    for name, value in record[4].items():
                        found.stored.take(str(name), place, place, (value,), is_first)
                elif record[0] == "a" and isinstance(record[2], dict):
                    notes.append({"meta": record[2], "createdAtMs": 0})
                elif record[0] == "o" and is_first:
                    found.meta = record[1].get("meta", found.meta)
                    found.notes = record[1].get("description", found.notes)
    found.stored.take_notes(notes[::-1])
    return found


class LastRun:
    """The last run of this directory and project, for `resume="auto"`: a good end forgets it."""

    def __init__(self, project: str | None) -> None:
        place = json.dumps([os.path.realpath(os.getcwd()), project or ""])
        name = hashlib.sha256(place.encode("utf-8", "replace")).hexdigest()[:24]
        self._path = default_spool().parent / "resume" / f"{name}.json"

    @classmethod
    def of(cls, project: str | None) -> LastRun | None:
        """None: there is nowhere to write it, or the working directory is gone."""
        try:
            return cls(project)
        except OSError:
            return None

    def slug(self) -> str | None:
        try:
            content = json.loads(read_own(self._path))
        except (OSError, ValueError):
            return None
        slug = content.get("slug") if isinstance(content, Mapping) else None
        return slug if isinstance(slug, str) else None

    def keep(self, slug: str) -> None:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path, {"slug": slug})

    def forget(self, slug: str) -> None:
        if self.slug() == slug:
            with contextlib.suppress(OSError):
                self._path.unlink()
