"""`lossless.load_artifact`: what the recording of the last `init` loads is in its lineage."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .._artifacts.versions import PARALLEL
from .._artifacts.versions import load_artifact as load
from .current import current

if TYPE_CHECKING:
    from .._artifacts.restore import LoadedVersion


def load_artifact(
    name: str,
    directory: str | os.PathLike[str],
    version: str | int = "latest",
    *,
    replace: bool = False,
    verify: bool = True,
    place: Mapping[str, str] | None = None,
    parallel: int = PARALLEL,
    url: str | None = None,
    api_key: str | None = None,
    role: str = "",
) -> LoadedVersion:
    """
    Restores a version: fetches its files in ranges, several at once, checks sizes and SHA-256, and
    then makes `directory` appear as a whole. A non-empty directory is refused, or replaced as a
    whole. A number as `version` has 12 digits, as `save_artifact` counts; a text that is no
    version's name may be an alias (`@best` or `best`), or `v3`, as in W&B's scripts.

    The recording of the last `init` notes that it used the version, as `role` if there is one
    (`validation`); not from another service or organization, which `url` or `api_key` name.

    Raises IntegrityError, StoreFailed, RequestRefused (`not_found`), ConnectionFailed.
    """
    loaded = load(
        name,
        directory,
        version,
        replace=replace,
        verify=verify,
        place=place,
        parallel=parallel,
        url=url,
        api_key=api_key,
    )
    recording = current()
    is_own = url is None and api_key is None
    if recording is not None and not recording.disabled and is_own:
        recording._note_use(loaded.artifact, loaded.version, str(version), role)
    return loaded
