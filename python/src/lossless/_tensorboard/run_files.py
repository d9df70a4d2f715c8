"""Pictures and audio of a run's event files, on their way into the run's artifact."""

from __future__ import annotations

import time
from collections.abc import Callable

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._sending.delivery import Annotation
from .._sending.stored_version import stored_version
from .._service.retry import is_about_content
from .event_file import EventFile
from .logged_notes import LoggedFile

# A version is stored as a whole, so files are sent in batches.
_FILES = 100
_BYTES = 64 * 2**20
_SECONDS = 60.0


class RunFiles:
    """
    `until_done` repeats an attempt while the service is away. While event files are followed, files
    wait for others for a minute.
    """

    def __init__(
        self, slug: str, settings: Settings, until_done: Callable[[Callable[[], None]], None], is_live: bool
    ) -> None:
        self._slug = slug
        self._artifact = f"{slug}/media"
        self._settings = settings
        self._until_done = until_done
        self._is_live = is_live
        self._waiting: list[tuple[EventFile, LoggedFile]] = []
        self._bytes = 0
        self._since = 0.0

    def add(self, file: EventFile, files: list[LoggedFile]) -> None:
        """Adds those that do not wait already, as of a file that was rewritten meanwhile."""
        if not self._waiting:
            self._since = time.monotonic()
        known = {each.note.meta["imported"] for _, each in self._waiting}
        new = [each for each in files if each.note.meta["imported"] not in known]
        self._waiting += [(file, each) for each in new]
        self._bytes += sum(len(each.content) for each in new)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= _FILES or self._bytes >= _BYTES

    @property
    def is_due(self) -> bool:
        is_late = not self._is_live or time.monotonic() >= self._since + _SECONDS
        return bool(self._waiting) and (self.is_full or is_late)

    def send(self) -> list[tuple[EventFile, Annotation]]:
        """
        Stores the files, and returns their annotations, now complete. Files that the service does
        not take count as refused.
        """
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        sent: list[tuple[EventFile, Annotation]] = []
        for start in range(0, len(waiting), _FILES):
            sent += self._stored(waiting[start : start + _FILES])
        return sent

    def _stored(self, some: list[tuple[EventFile, LoggedFile]]) -> list[tuple[EventFile, Annotation]]:
        # A file may have the same content as another one at the same place.
        contents = {each.path: each.content for _, each in some}
        meta = {"experiment": self._slug, "kind": "media"}
        version = ""

        def attempt() -> None:
            nonlocal version
            files = [(content, path) for path, content in contents.items()]
            version = stored_version(self._settings, self._artifact, meta, files)

        try:
            self._until_done(attempt)
        except LosslessError as error:
            if not is_about_content(error):
                raise
            for file, each in some:
                file.tally.refuse(1, f"its file cannot be stored: {error}", name=each.note.meta["_media"]["name"])
            return []
        return [(file, each.stored(self._artifact, version)) for file, each in some]
