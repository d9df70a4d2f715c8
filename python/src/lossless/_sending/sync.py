"""`lossless sync`: sends recordings left on this machine."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from .._ground.errors import EventRefused, LosslessError, SettingsError
from .._ground.interpreter import sync_command
from .._ground.lock import SENDER, Busy, Lock, is_recorded
from .._ground.ownership import NotOurs, check_own_directory, check_place
from .._ground.settings import Settings
from .._ground.warning import counted
from .._service.login import LoginCredential
from .._service.service import Service
from .._spool.cleanup import remove, remove_if_sent
from .._spool.head import HeadDamaged, RunInfo, has_records, info_for, is_recording, read_info, segment_path, segments
from .._spool.report import clock_told
from .._spool.sent_state import read_state, reason_of
from .handover import mark_path
from .sender import Sender

_HANDOVER_SECONDS = 3.0


def spools(root: Path, left: Callable[[NotOurs], None]) -> list[Path]:
    """
    Returns the waiting recordings, oldest first. Those that another user made or can write to are
    left out, and reported to `left`. Raises NotOurs for a root that another user can change,
    OSError.
    """
    if is_recording(root):
        check_own_directory(root.resolve())
        return [root]
    try:
        check_place(root)
        return sorted(path for path in root.iterdir() if is_recording(path) and _is_own(path, left))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_own(directory: Path, left: Callable[[NotOurs], None]) -> bool:
    try:
        check_own_directory(directory)
        return True
    except NotOurs as error:
        left(error)
        return False


def sync(
    directories: Iterable[Path],
    settings: Settings,
    out: TextIO,
    patience: float = 60.0,
    url: str | None = None,
    slug: str | None = None,
) -> int:
    """
    Sends each recording, exactly once whatever was sent before; returns the number of incomplete
    ones. Of one that is still recorded the present part is sent, and nothing is ended or removed;
    one that another process sends is skipped. `patience`: seconds without any reply before it gives
    up. `url` replaces the address for which it was recorded; `slug` names the experiment of one
    whose head is lost.
    """
    incomplete = 0
    for directory in directories:
        try:
            is_complete, told = _synced(directory, settings, patience, url, slug)
        except Exception as error:
            is_complete, told = _is_gone(directory), reason_of(error)
            if is_complete:
                told = "was sent by another process"
        incomplete += not is_complete
        print(f"{directory.name}: {told}", file=out)
    return incomplete


class _Left:
    """A leftover recording: its retries last no longer than `patience`."""

    def __init__(self, directory: Path, patience: float) -> None:
        self._directory = directory
        self._patience = patience

    def lives(self) -> bool:
        return is_recorded(self._directory)

    def is_ending(self) -> bool:
        return True

    def give_up_at(self, trying_since: float) -> float:
        return trying_since + self._patience


def _synced(
    directory: Path, settings: Settings, patience: float, url: str | None, slug: str | None
) -> tuple[bool, str]:
    lock = _taken(directory)
    if lock is None:
        return False, "is being sent by another process"
    try:
        info = _info(directory, settings, url, slug)
        if info is None:
            return _without_records(directory)
        address = _address(info, settings, url)
        sender = Sender(
            directory,
            _credential(settings, address),
            settings.organization,
            _Left(directory, patience),
            address,
            is_followed=False,
            info=info,
        )
        is_over = sender.run()
        told = _told(directory)
        if is_over:
            remove_if_sent(directory)
        is_whole = is_over and sender.state.console_stopped is None
        return is_whole, told if is_over else f"{told}; it is still being recorded"
    finally:
        lock.release()


def _is_gone(directory: Path) -> bool:
    """Whether its sender has removed it since we saw it, just before our lock."""
    if is_recording(directory):
        return False
    with contextlib.suppress(OSError):
        (directory / SENDER).unlink(missing_ok=True)
        directory.rmdir()
    return True


def _info(directory: Path, settings: Settings, url: str | None, slug: str | None) -> RunInfo | None:
    """Returns the recording's head, or one made for `slug`. None: there is nothing to send."""
    address = url or settings.url
    try:
        info = read_info(directory)
    except HeadDamaged as error:
        if not is_recording(directory):
            raise FileNotFoundError(f"{directory} no longer exists") from None
        if not has_records(directory):
            return None
        slug = slug or _slug_at_service(directory, settings, address)
        if slug is not None:
            return info_for(directory, address, slug)
        raise LosslessError(f"{error}. To send it: {sync_command(directory, address)} --slug NAME") from None
    if slug is not None and slug != info.slug:
        raise SettingsError(f"it belongs to {info.slug}: --slug is for a recording whose own note of it is lost")
    return info


def _slug_at_service(directory: Path, settings: Settings, url: str) -> str | None:
    """Returns the experiment into which a part of it was sent; None: unknown."""
    experiment_id = read_state(directory).experiment_id
    if experiment_id is None:
        return None
    service = Service(url, _credential(settings, url), settings.organization)
    try:
        return str(service.single("query.experiment", {"experimentId": experiment_id})["slug"])
    except EventRefused:
        return None
    finally:
        service.close()


def _without_records(directory: Path) -> tuple[bool, str]:
    """
    Removes a directory with neither a head nor records; one that just begins has its lock held.
    """
    if is_recorded(directory):
        return False, "it is still being recorded"
    if any(segment_path(directory, number).read_bytes().strip(b"\0") for number in segments(directory)):
        return False, f"none of its lines can be read, so there is nothing to send; remove {directory}"
    remove(directory)
    return True, "nothing was recorded in it: removed"


def _address(info: RunInfo, settings: Settings, url: str | None) -> str:
    """
    Returns the address to send to: a credential goes where its user says, never to an address that
    only a file names.
    """
    recorded_for = info.url.rstrip("/")
    if url is not None:
        return url
    if settings.url != recorded_for:
        raise SettingsError(
            f"it was recorded for {recorded_for}, and the credential is for {settings.url}: give "
            f"--url {recorded_for} and its key, or --url {settings.url} to send it there"
        )
    return settings.url


def _credential(settings: Settings, url: str) -> Callable[[], str]:
    if settings.organization is not None:
        return LoginCredential(url)
    key = settings.credential
    return lambda: str(key)


def _taken(directory: Path) -> Lock | None:
    """Takes the lock; a sender that only waits is asked to hand over the spool."""
    mark = mark_path(directory)
    try:
        end = time.monotonic() + _HANDOVER_SECONDS
        while True:
            try:
                return Lock(directory, SENDER)
            except Busy:
                if time.monotonic() >= end:
                    return None
                mark.touch()
                time.sleep(0.1)
    finally:
        mark.unlink(missing_ok=True)


def _told(directory: Path) -> str:
    state = read_state(directory)
    refused = f", {state.refused} refused (see {directory}{os.sep}state.json)" if state.refused else ""
    damaged = f", {_lines(state.damaged, 'damaged ')} left out" if state.damaged else ""
    if state.damaged > state.damaged_last:
        damaged += f" (it stays in {directory} until you remove it)"
    if state.behind_end:
        kind = "damaged " if state.behind_end_whole == 0 else ""
        damaged += f", {_lines(state.behind_end, kind)} after its end left out"
    if state.console_stopped is not None:
        damaged += f"; the console is not whole: {state.console_stopped.rstrip('.')}"
    rebuilt = "; its state was damaged, so everything was looked up or sent again" if state.is_rebuilt else ""
    clock = clock_told(state.clock_ahead_seconds)
    newer = "; a newer recording of this name exists, whose config and status stay" if state.is_superseded else ""
    told = f"; {clock}" if clock else ""
    return f"{counted(state.stored, 'point')} stored{refused}{damaged}{newer}{rebuilt}{told}"


def _lines(count: int, kind: str) -> str:
    return f"{count} {kind}{'line' if count == 1 else 'lines'}"
