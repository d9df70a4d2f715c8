"""
Translates W&B's names of artifacts. `team/digits/numbers:v3` is version `000000000003` of the
artifact `digits/numbers`: project and name. An alias is a note of the artifact, `alias.<alias>`,
which holds the version's name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._ground.errors import LosslessError, RequestRefused
from .._ground.warning import warn
from .._ground.wire_numbers import PATH_SEGMENT_BYTES_MAX
from .calls import ArtifactCalls, is_missing
from .file_names import file_name_problem

_ALIAS = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NOT_IN_NAMES = re.compile(r"[:\\\x00-\x1f\x7f-\x9f]")
_LABEL = re.compile(r"v(\d{1,12})")
_NUMBER = re.compile(r"\d{12}")
FIRST_VERSION = "0" * 12


@dataclasses.dataclass(frozen=True)
class Found:
    artifact: str
    version: str
    record: Mapping[str, Any]


def label_of(version: str) -> str:
    """Turns a number into `v3`; any other name stays."""
    return f"v{int(version)}" if _NUMBER.fullmatch(version) else version


def artifact_name(name: str) -> str:
    """
    Returns the name of an artifact to log. Raises ValueError for a name under which it could not be
    found: a colon begins the version, and the service refuses some others. W&B allows fewer
    characters.
    """
    problem = 'has ":", which begins a version or an alias' if ":" in name else file_name_problem(name)
    if problem is not None:
        raise ValueError(f"the artifact name {name!r} {problem}")
    return name


def safe_name(name: str) -> str:
    """Returns the nearest allowed name, for names that no user has chosen."""
    plain = _NOT_IN_NAMES.sub("_", name).encode("utf-8", "replace")
    return plain[:PATH_SEGMENT_BYTES_MAX].decode("utf-8", "ignore")


def version_meant(calls: ArtifactCalls, artifact: str, alias: str) -> str | None:
    """Returns the version that an alias or a label refers to; None: there is none."""
    names = [] if alias == "latest" else _versions(calls, artifact, alias)
    return next((each for each in names if each != alias and _read(calls, artifact, each) is not None), None)


def found(calls: ArtifactCalls, name: str, project: str) -> Found:
    """Finds the version that a name refers to. Raises LosslessError if there is none."""
    path, colon, alias = name.rpartition(":") if ":" in name else (name, "", "")
    paths = _paths(path, project)
    # Other clients, and version 0.1.0, allow names that contain a colon.
    wholes = _paths(name, project) if colon else []
    for artifact, chosen in [*((each, alias or "latest") for each in paths), *((each, "latest") for each in wholes)]:
        for version in _versions(calls, artifact, chosen):
            record = _read(calls, artifact, version)
            if record is not None:
                return Found(artifact, str(record["version"]), record)
    for artifact in paths:
        latest = None if alias in ("", "latest") else _read(calls, artifact, "latest")
        if latest is not None:
            raise LosslessError(
                f"{artifact} has no version or alias {alias!r}; its latest is {label_of(str(latest['version']))}"
            )
    raise LosslessError(f"there is no artifact {name!r} here (looked for as {' and '.join(paths)})")


def _paths(path: str, project: str) -> list[str]:
    """
    The paths to look at: in the run's project, as given, and without the entity that W&B puts
    first.
    """
    parts = path.split("/")
    paths = [f"{project}/{path}"] if len(parts) == 1 and project else []
    return list(dict.fromkeys([*paths, path, *(["/".join(parts[1:])] if len(parts) == 3 else [])]))


def _versions(calls: ArtifactCalls, artifact: str, alias: str) -> list[str]:
    """The versions that may be meant, in the order of lookup."""
    label = _LABEL.fullmatch(alias)
    if alias == "latest":
        return [alias]
    if label is not None:
        return [label[1].zfill(12), alias]
    noted = alias_of(calls, artifact, alias)
    return [alias] if noted is None else [noted]


def alias_of(calls: ArtifactCalls, artifact: str, alias: str) -> str | None:
    if not _ALIAS.fullmatch(alias):
        return None
    try:
        return calls.note(artifact, f"alias.{alias}").decode("utf-8", "replace").strip()
    except RequestRefused as error:
        if not is_missing(error):
            raise
        return None


def aliases_of(calls: ArtifactCalls, artifact: str, notes: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The aliases of each version that has some; reading each alias is a request."""
    found: dict[str, list[str]] = {}
    for note in notes:
        beginning, _, alias = str(note["note"]).partition(".")
        version = alias_of(calls, artifact, alias) if beginning == "alias" else None
        if version is not None:
            found.setdefault(version, []).append(alias)
    return found


def set_aliases(calls: ArtifactCalls, artifact: str, version: str, aliases: list[str]) -> None:
    for alias in aliases:
        if alias == "latest":
            # `latest` is always the highest version.
            continue
        if not _ALIAS.fullmatch(alias) or _LABEL.fullmatch(alias):
            warn(
                f"alias {alias}",
                f"{alias!r} is not an alias: an alias has letters, digits, '.', '_', '-', and does "
                "not look like a version such as v3",
            )
            continue
        calls.put_note(artifact, f"alias.{alias}", version.encode("utf-8"))


def _read(calls: ArtifactCalls, artifact: str, version: str) -> Mapping[str, Any] | None:
    try:
        return calls.read(artifact, version)
    except RequestRefused as error:
        if error.status == 400 or is_missing(error):
            return None
        raise
