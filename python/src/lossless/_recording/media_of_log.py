"""Pictures, tables and the like among the values of `log`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._values.size_limit import short
from .._values.values import storable, with_point_meta

if TYPE_CHECKING:
    from .._media.logged_media import LoggedMedia

# Packages whose figures, pictures, tables and arrays are logged directly.
_FIGURES = frozenset({"matplotlib", "plotly", "PIL", "pandas", "numpy", "torch"})


class MediaOfLog:
    """
    The media of one recording. Without a directory they are lost, and counted by `lose`. Nothing is
    imported before the first one.
    """

    def __init__(
        self,
        directory: Path | None,
        warn: Callable[[str, str], None],
        refuse: Callable[[int, str], None],
        lose: Callable[[int], None],
    ) -> None:
        self._directory = directory
        self._warn = warn
        self._refuse = refuse
        self._lose = lose
        self._media: LoggedMedia | None = None

    def take(self, name: str, value: Any, step: int, now_ms: int, partition_of: Callable[[], str | None]) -> bool:
        """Takes a value that becomes a file; False: it is none."""
        if not _may_be_media(value):
            return False
        from .._media.logged_media import TOGETHER_MAX, LoggedMedia
        from .._media.media import Media, media_of

        given = value if isinstance(value, (list, tuple)) else (value,)
        media: list[Media] = []
        for each in given[:TOGETHER_MAX]:
            made = media_of(each)
            if made is None:
                return False
            media.append(made)
        if media[0]._kind == "histogram" and media[0] is not given[0]:
            self._warn(f"histogram {name}", f"{short(name)}: an array is recorded as its histogram")
        partition = partition_of()
        if partition is None:
            return True
        if self._media is None:
            if self._directory is None:
                self._lose(len(given))
                return True
            self._media = LoggedMedia(self._directory, self._refuse)
        at = {"step": step, "timestampMs": now_ms}
        self._media.take(storable(name), media, len(given), at, with_point_meta({}, partition))
        return True

    def write_kept(self) -> bool:
        """Writes what waits in memory; returns whether nothing waits."""
        return self._media is None or self._media.write_kept()

    def give_up(self) -> None:
        """Refuses what still waits."""
        if self._media is not None:
            self._media.give_up()


def _may_be_media(value: Any) -> bool:
    """Whether a value may be a medium, judged by the module of its class, without imports."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return (
        getattr(type(first), "_is_lossless_media", False) is True
        or type(first).__module__.partition(".")[0] in _FIGURES
        or callable(getattr(first, "savefig", None))
    )
