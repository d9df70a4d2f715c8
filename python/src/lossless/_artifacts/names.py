"""
Translates W&B's names of artifacts. `team/digits/numbers:v3` is version `000000000003` of the
artifact `digits/numbers`: project and name. An alias is the service's: `digits/numbers:best` is the
version that `@best` points to.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._ground.errors import LosslessError, RequestRefused
from .._ground.warning import warn
from .._ground.wire_numbers import PATH_SEGMENT_BYTES_MAX, VERSION_NAME_CHARACTERS_MAX
from .calls import ArtifactCalls, is_missing
from .file_names import file_name_problem

if TYPE_CHECKING:
    from ..wire import VersionAlias

_ALIAS = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{VERSION_NAME_CHARACTERS_MAX - 1}}}")
_NOT_IN_NAMES = re.compile(r"[:\\\x00-\x1f\x7f-\x9f]")
_LABEL = re.compile(r"v(\d{1,12})")
_RESERVED = re.compile(r"latest|v\d+", re.IGNORECASE)
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
    for each in [] if alias == "latest" or alias.startswith("@") else _versions(alias):
        record = None if each == alias else _read(calls, artifact, each)
        if record is not None:
            return str(record["version"])
    return None


def found(calls: ArtifactCalls, name: str, project: str) -> Found:
    """Finds the version that a name refers to. Raises LosslessError if there is none."""
    path, colon, alias = name.rpartition(":") if ":" in name else (name, "", "")
    paths = _paths(path, project)
    # Other clients, and version 0.1.0, allow names that contain a colon.
    wholes = _paths(name, project) if colon else []
    for artifact, chosen in [*((each, alias or "latest") for each in paths), *((each, "latest") for each in wholes)]:
        for version in _versions(chosen):
            record = _read(calls, artifact, version)
            if record is not None:
                return Found(artifact, str(record["version"]), record)
    registered = _registered(calls, path, alias or "latest")
    if registered is not None:
        return registered
    for artifact in paths:
        latest = None if alias in ("", "latest") else _read(calls, artifact, "latest")
        if latest is not None:
            raise LosslessError(
                f"{artifact} has no version or alias {alias!r}; its latest is {label_of(str(latest['version']))}"
            )
    raise LosslessError(f"there is no artifact {name!r} here (looked for as {' and '.join(paths)})")


def model_name(path: str) -> str:
    """The registered model of a path in W&B's registry: its last word."""
    return path.rpartition("/")[2].replace(":", "_")


def _registered(calls: ArtifactCalls, path: str, alias: str) -> Found | None:
    """The version of a registered model: W&B's v0 is the first one, number 1."""
    label = _LABEL.fullmatch(alias)
    version = alias if alias == "latest" else str(int(label[1]) + 1) if label is not None else f"@{alias}"
    try:
        linked = calls.model_version(model_name(path), version)
    except RequestRefused as error:
        if error.status == 400 or is_missing(error):
            return None
        raise
    artifact, named = linked["artifact"], linked["artifactVersion"]
    record = None if artifact is None or named is None else _read(calls, artifact, named)
    if record is None or artifact is None:
        raise LosslessError(
            f"{linked['model']} version {linked['version']} is {linked['source']}, which is no artifact"
        )
    return Found(artifact, str(record["version"]), record)


def _paths(path: str, project: str) -> list[str]:
    """
    The paths to look at: in the run's project, as given, and without the entity that W&B puts
    first.
    """
    parts = path.split("/")
    paths = [f"{project}/{path}"] if len(parts) == 1 and project else []
    return list(dict.fromkeys([*paths, path, *(["/".join(parts[1:])] if len(parts) == 3 else [])]))


def _versions(alias: str) -> list[str]:
    """The versions that may be meant, in the order of lookup."""
    label = _LABEL.fullmatch(alias)
    if alias == "latest":
        return [alias]
    if label is not None:
        return [label[1].zfill(12), alias]
    return [f"@{alias}", alias] if _ALIAS.fullmatch(alias) else [alias]


def aliases_of(listed: Iterable[VersionAlias]) -> dict[str, list[str]]:
    """The aliases of each version that has some."""
    found: dict[str, list[str]] = {}
    for one in listed:
        found.setdefault(one["version"], []).append(one["alias"])
    return found


def set_aliases(calls: ArtifactCalls, artifact: str, version: str, aliases: list[str]) -> None:
    for alias in _valid(aliases):
        calls.set_alias(artifact, alias, version)


def link(calls: ArtifactCalls, model: str, artifact: str, version: str, aliases: list[str]) -> int:
    """Makes it a version of a registered model, with aliases there; returns its number."""
    number = calls.link(model, artifact, version)["version"]
    for alias in _valid(aliases):
        calls.set_model_alias(model, alias, number)
    return number


def _valid(aliases: list[str]) -> Iterator[str]:
    for alias in aliases:
        if alias == "latest":
            # `latest` is always the highest version.
            continue
        if not _ALIAS.fullmatch(alias) or _RESERVED.fullmatch(alias):
            warn(
                f"alias {alias}",
                f"{alias!r} is not an alias: an alias has letters, digits, '.', '_', '-', begins with a letter or "
                "digit, and does not look like a version such as v3",
            )
            continue
        yield alias


def _read(calls: ArtifactCalls, artifact: str, version: str) -> Mapping[str, Any] | None:
    """
    Returns the version; None: there is none. Raises LosslessError for an alias whose version was
    deleted, since another version of that name is not meant.
    """
    try:
        return calls.read(artifact, version)
    except RequestRefused as error:
        if error.status != 400 and not is_missing(error):
            raise
        missing = error
    if version.startswith("@") and any(f"@{one['alias']}" == version for one in calls.aliases(artifact)):
        raise LosslessError(f"{artifact}: {missing}") from None
    return None
