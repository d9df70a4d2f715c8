"""What runs log beside numbers, by name and step: media, texts and histograms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from .._ground import endpoints
from .._ground.errors import SettingsError
from .._ground.wire_numbers import FILE_PART_BYTES_MAX, LOGGED_ITEMS_MAX

if TYPE_CHECKING:
    from ..wire import (
        FoundLoggedSeries,
        LoggedHistogramsReply,
        LoggedItem,
        LoggedItemsReply,
        LoggedNamesReply,
        LoggedNearestReply,
        LoggedStepsReply,
        LoggedTextLane,
        LoggedTextsReply,
        NearestLoggedItem,
    )

# Kinds of series; a text is one, too.
KINDS = ("image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text")


class Logged:
    """
    Experiments are given by a slug or an id, or by several of them. A range of steps is `start` to
    before `end`. An item is a dict with `experimentId`, `step`, `timestampMs`, `metadata`, its
    place among those of one call (`index` of `count`), and its `text` or `file`.
    """

    def __init__(
        self, ask: Callable[[str, str, Any], Any], content: Callable[[str, str], bytes], id_of: Callable[[str], str]
    ) -> None:
        self._ask = ask
        self._content = content
        self._id_of = id_of

    def names(
        self, slugs: str | Sequence[str], *, kinds: Sequence[str] | None = None, text: str = ""
    ) -> list[FoundLoggedSeries]:
        """
        Returns the series by name: `kind`, `name`, the number of `items` and of `experiments` that
        have it, and its first and last step. `text` are words in the name in any order, a pattern
        with `*`, or `/a regular expression/`.
        """
        body = {**self._of(slugs), "text": text, **({} if kinds is None else {"kinds": list(kinds)})}
        return cast("LoggedNamesReply", self._ask(*endpoints.read_logged_names(), body))["series"]

    def steps(
        self, slugs: str | Sequence[str], name: str, *, kind: str = "image", start: int = 0, end: int | None = None
    ) -> list[int]:
        """Returns the steps at which something was logged: of more than 5,000 an even choice."""
        body = {**self._of(slugs), "series": [_series(kind, name)], **_range(start, end)}
        return cast("LoggedStepsReply", self._ask(*endpoints.read_logged_steps(), body))["steps"]

    def nearest(
        self, slugs: str | Sequence[str], name: str, step: int, *, kind: str = "image"
    ) -> list[NearestLoggedItem]:
        """Returns what each experiment logged at the step nearest to this one."""
        body = {**self._of(slugs), "series": [_series(kind, name)], "step": step}
        return cast("LoggedNearestReply", self._ask(*endpoints.read_logged_nearest(), body))["items"]

    def items(
        self,
        slugs: str | Sequence[str],
        name: str,
        *,
        kind: str = "image",
        start: int = 0,
        end: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[LoggedItem]:
        """Yields what was logged, by experiment, then by step, page by page."""
        body = {**self._of(slugs), **_series(kind, name), **_range(start, end), "newestFirst": newest_first}
        after: str | None = None
        while True:
            page = {"limit": LOGGED_ITEMS_MAX, **({} if after is None else {"after": after})}
            reply = cast("LoggedItemsReply", self._ask(*endpoints.read_logged_items(), {**body, **page}))
            yield from reply["items"]
            after = reply["next"]
            if after is None:
                return

    def texts(
        self, slugs: str | Sequence[str], name: str, *, start: int = 0, end: int | None = None
    ) -> list[LoggedTextLane]:
        """
        Returns a text over steps: for each experiment and metadata the `states`, each from its
        `step` to its `endStep`. Texts are cut after 256 characters; `items` has whole ones.
        """
        lanes: dict[tuple[str, tuple[tuple[str, str], ...]], LoggedTextLane] = {}
        at: int | None = start
        while at is not None:
            body = {**self._of(slugs), "name": name, **_range(at, end)}
            reply = cast("LoggedTextsReply", self._ask(*endpoints.read_logged_texts(), body))
            for lane in reply["lanes"]:
                key = (lane["experimentId"], tuple(sorted(lane["metadata"].items())))
                known = lanes.setdefault(key, {**lane, "states": []})["states"]
                for state in lane["states"]:
                    # The state at the start of a part is the last one of the part before.
                    if known and known[-1]["step"] == state["step"]:
                        known.pop()
                    known.append(state)
            at = reply["end"]
        return list(lanes.values())

    def histograms(
        self,
        slugs: str | Sequence[str],
        name: str,
        *,
        start: int = 0,
        end: int | None = None,
        columns: int = 256,
        bins: int = 64,
        low: float | None = None,
        high: float | None = None,
    ) -> LoggedHistogramsReply:
        """
        Returns histograms on one grid of `bins` from `low` to `high`, by default of all their
        values. Counts are divided by area; neighbouring steps are summed beyond `columns`.
        """
        edges = {**({} if low is None else {"low": low}), **({} if high is None else {"high": high})}
        chosen = {"name": name, "columns": columns, "bins": bins, **edges}
        body = {**self._of(slugs), **_range(start, end), **chosen}
        return cast("LoggedHistogramsReply", self._ask(*endpoints.read_logged_histograms(), body))

    def read(self, item: LoggedItem | NearestLoggedItem) -> bytes:
        """
        Returns the content of an item's file, or its text as UTF-8. Raises RequestRefused with the
        code `not_found` when its version was deleted.
        """
        if "file" not in item:
            return item.get("text", "").encode()
        file = item["file"]
        content = b""
        while True:
            part = {"offset": str(len(content)), "length": str(FILE_PART_BYTES_MAX)}
            if "owner" in file:
                address = endpoints.read_run_file_part(owner=file["owner"], file=file["path"], **part)
            else:
                # A file is of a run or of a version.
                artifact, version = file.get("artifact", ""), file.get("version", "")
                address = endpoints.read_file_part(artifact=artifact, version=version, file=file["path"], **part)
            piece = self._content(*address)
            content += piece
            if len(piece) < FILE_PART_BYTES_MAX:
                return content

    def _of(self, slugs: str | Sequence[str]) -> dict[str, Any]:
        chosen = [slugs] if isinstance(slugs, str) else slugs
        return {"experimentIds": [self._id_of(slug) for slug in chosen]}


def _series(kind: str, name: str) -> dict[str, str]:
    if kind not in KINDS:
        raise SettingsError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    return {"kind": kind, "name": name}


def _range(start: int, end: int | None) -> dict[str, int]:
    return {"start": start, **({} if end is None else {"end": end})}
