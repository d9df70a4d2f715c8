"""Moving experiments to the trash, and restoring them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from .._ground.endpoints import list_trash, restore_trash, trash_experiments, trash_series
from .._ground.errors import SettingsError
from .._ground.wire_numbers import TRASHED_AT_ONCE_MAX

if TYPE_CHECKING:
    from ..wire import TrashEntry, TrashListReply, TrashReply

Ask = Callable[[str, str, Any], Any]


def trashed(ask: Ask, ids: Sequence[str]) -> list[TrashEntry]:
    return _trashed(ids, lambda part: ask(*trash_experiments(), {"experimentIds": part}))


def trashed_series(ask: Ask, experiment_id: str, names: Sequence[str]) -> list[TrashEntry]:
    """Trashes series."""
    return _trashed(names, lambda part: ask(*trash_series(), {"experimentId": experiment_id, "seriesNames": part}))


def _trashed(words: Sequence[str], ask: Callable[[list[str]], Any]) -> list[TrashEntry]:
    entries: list[TrashEntry] = []
    for start in range(0, len(words), TRASHED_AT_ONCE_MAX):
        reply = cast("TrashReply", ask(list(words[start : start + TRASHED_AT_ONCE_MAX])))
        entries.extend(reply["entries"])
    return entries


def restored(ask: Ask, slugs: Sequence[str]) -> list[TrashEntry]:
    """Restores experiments; if any is not in the trash, none is restored."""
    return _restored(ask, slugs, lambda entry: entry["name"] if entry["kind"] == "experiment" else None)


def restored_series(ask: Ask, experiment_id: str, names: Sequence[str]) -> list[TrashEntry]:
    """Restores series; if any is not in the trash, none is restored."""
    return _restored(ask, names, lambda entry: entry["series"] if entry["subject"] == experiment_id else None)


def _restored(ask: Ask, names: Sequence[str], name_of: Callable[[TrashEntry], str | None]) -> list[TrashEntry]:
    wanted = set(names)
    found = [entry for entry in _entries(ask) if name_of(entry) in wanted]
    missing = wanted.difference(str(name_of(entry)) for entry in found)
    if missing:
        raise SettingsError(f"not in the trash: {', '.join(sorted(missing))}")
    ids = [entry["id"] for entry in found]
    for start in range(0, len(ids), TRASHED_AT_ONCE_MAX):
        ask(*restore_trash(), {"ids": ids[start : start + TRASHED_AT_ONCE_MAX]})
    return found


def _entries(ask: Ask) -> Iterator[TrashEntry]:
    before: str | None = None
    while True:
        page = cast("TrashListReply", ask(*list_trash(before=before), None))
        yield from page["entries"]
        before = page["next"]
        if before is None:
            return
