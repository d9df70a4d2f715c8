"""Rows of W&B's history and its summary, as items; the same from a file and from the service."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._values.config import jsonable
from ..._values.size_limit import smaller
from ..source import Item, LeftOut, Logged, Note, Number, Text
from ..tree import leaves, number_or_text
from .logged_media import Unmapped, media_in

# Members of a row that say when, and nothing else.
OWN = ("_step", "_timestamp", "_runtime", "_wandb")
_OF_PICTURES = ("boxes", "masks", "all_boxes", "all_masks")
_SUMMARY_BYTES = 60_000


class History:
    def __init__(self, left_out: Counter[LeftOut]) -> None:
        self._left_out = left_out
        # The last value of each name, with which the summary is compared.
        self._last: dict[str, Any] = {}

    def items(self, row: Mapping[str, Any], id: str, step: int, timestamp_ms: int, files: Path) -> Iterator[Item]:
        for name, inner, value in leaves({name: value for name, value in row.items() if name not in OWN}):
            own = f"{id}-{inner}"
            value = self._last[name] = number_or_text(value)
            if isinstance(value, (bool, int, float)):
                yield Number(own, name, step, timestamp_ms, int(value) if isinstance(value, bool) else value)
            elif isinstance(value, str):
                yield Text(own, name, step, timestamp_ms, value)
            elif isinstance(value, dict):
                for part in _OF_PICTURES:
                    if value.get(part):
                        reason = "pictures have none here; their files are among the files of the run"
                        self._left_out[LeftOut(f"{part} of {name}", reason)] += 1
                try:
                    yield Logged(own, name, step, timestamp_ms, media_in(value, files))
                except Unmapped as error:
                    self._left_out[LeftOut(f"{value['_type']} of {name}", str(error))] += 1
            elif value is None:
                self._left_out[LeftOut(f"null of {name}", "it is no value")] += 1
            else:
                yield Text(own, name, step, timestamp_ms, json.dumps(jsonable(value), ensure_ascii=False))

    def summary(self, content: Mapping[str, Any]) -> Iterator[Note]:
        """Yields the summary, if the script has set anything in it beside what it has logged."""
        whole = {name: value for name, value in content.items() if name not in OWN}
        own = {
            name: number_or_text(value)
            for name, _, value in leaves(whole)
            if not isinstance(value, dict) and self._last.get(name) != number_or_text(value)
        }
        own = {name: value for name, value in own.items() if value == value or name not in self._last}
        if own:
            kept, left_out = smaller(
                jsonable({name: whole[name] for name in whole if _is_shown(whole[name])}), _SUMMARY_BYTES
            )
            for name in left_out:
                self._left_out[LeftOut(f"summary of {name}", f"a summary has {_SUMMARY_BYTES} bytes")] += 1
            digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]
            yield Note(f"summary-{digest}", "summary of the run", {"kind": "summary", "summary": kept})


def _is_shown(value: Any) -> bool:
    """Media are in the history already."""
    return not (isinstance(value, dict) and "_type" in value)
