"""Artifacts that a run has logged offline: their files are copies in W&B's own directories."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ..._artifacts.names import safe_name
from ..source import LeftOut, StoredArtifact, StoredFile
from . import record as records

# Tables that were logged: they are media.
_TABLES = "run_table"


def artifact_of(content: bytes, left_out: Counter[LeftOut]) -> StoredArtifact | None:
    """Returns an artifact whose files are all here; what is missing is counted as left out."""
    texts = records.text_members(content)
    name, kind = (texts.get(number, [""])[-1] for number in (5, 4))
    if kind == _TABLES:
        return None
    what = f"artifact {name}"
    manifest = records.member(content, 12)
    listed = records.text_members(manifest).get(5, [""])[-1]
    entries = _entries_of_file(Path(listed)) if listed else _entries(manifest)
    if entries is None:
        left_out[LeftOut(what, f"its list of files is missing: {listed}")] += 1
        return None
    files: list[StoredFile] = []
    for path, local, reference in entries:
        if reference:
            left_out[LeftOut(f"{what}: {path}", f"it is only a reference to {reference}")] += 1
        elif not local or not Path(local).is_file():
            left_out[LeftOut(what, f"the copy of {path} is not on this machine: {local or 'it has no place'}")] += 1
            return None
        else:
            files.append(StoredFile(Path(local), path))
    if not files:
        left_out[LeftOut(what, "it has no files")] += 1
        return None
    meta: dict[str, Any] = {"type": kind, "aliases": texts.get(11, [])}
    if texts.get(7):
        meta["description"] = texts[7][-1]
    metadata = _json(texts.get(8, [""])[-1])
    if metadata:
        meta["metadata"] = metadata
    return StoredArtifact(safe_name(name), meta, files)


def _entries(manifest: bytes) -> list[tuple[str, str, str]]:
    found = []
    for entry in records.members(manifest, 4):
        texts = records.text_members(entry)
        found.append(tuple(texts.get(number, [""])[-1] for number in (1, 6, 3)))
    return [(path, local, reference) for path, local, reference in found]


def _entries_of_file(path: Path) -> list[tuple[str, str, str]] | None:
    """Returns the entries of a large manifest, which is a file of its own."""
    import gzip

    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError):
        return None
    return [
        (str(each.get("path", "")), str(each.get("localPath", each.get("local_path", ""))), str(each.get("ref", "")))
        for each in lines
    ]


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text
