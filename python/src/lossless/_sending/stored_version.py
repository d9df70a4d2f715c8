"""Stores files of a recording or an import as the next version of an artifact of the experiment."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._artifacts import versions
from .._artifacts.calls import ArtifactCalls
from .._artifacts.checksums import with_checksums
from .._artifacts.prepared_files import PreparedFile, prepared, prepared_bytes
from .._artifacts.upload import VersionUpload
from .._artifacts.version_rivals import despite_rivals
from .._artifacts.writer_place import place_of
from .._ground.settings import Settings
from .._service.client import Client

_PARALLEL = 4
# The caller tries again later.
_RETRY_SECONDS = 10.0


def stored_version(
    settings: Settings, artifact: str, meta: dict[str, Any], files: Sequence[tuple[Path | bytes, str]]
) -> str:
    """
    Stores files, or contents, under these paths; returns the name of the version. Raises
    LosslessError.
    """
    client = Client(settings, _RETRY_SECONDS)
    try:
        stop = threading.Event()
        checked = [
            prepared_bytes(path, file) if isinstance(file, bytes) else prepared(path, file, stop)
            for file, path in files
        ]
        # Another recording of the same experiment may send its own.
        return despite_rivals(lambda: _next_version(client, artifact, *with_checksums(meta, checked)))
    finally:
        client.close()


def _next_version(client: Client, artifact: str, meta: dict[str, Any], files: list[PreparedFile]) -> str:
    place = place_of(None)
    writer = versions.opened(client, artifact, "auto", None, place)
    name = versions.next_version(None if writer.latest is None else str(writer.latest["version"]))
    upload = VersionUpload(ArtifactCalls(client), artifact, name, writer.epoch, place, files, meta, _PARALLEL, None)
    return upload.run().version
