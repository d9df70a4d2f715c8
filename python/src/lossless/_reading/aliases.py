"""Aliases of the versions of artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._ground import endpoints

if TYPE_CHECKING:
    from ..wire import AliasChange, SetAliasReply, VersionAlias

Ask = Callable[[str, str, Any], Any]
# The default of `expected`: None means that there is no such alias.
ANY: Any = object()


def listed_aliases(ask: Ask, artifact: str) -> list[VersionAlias]:
    aliases: list[VersionAlias] = ask(*endpoints.list_aliases(artifact=artifact), None)["aliases"]
    return aliases


def alias_set(ask: Ask, artifact: str, alias: str, version: str, expected: Any) -> SetAliasReply:
    body: Mapping[str, Any] = {"version": version, **({} if expected is ANY else {"expected": expected})}
    reply: SetAliasReply = ask(*endpoints.set_alias(artifact=artifact, alias=alias), body)
    return reply


def alias_changes(ask: Ask, artifact: str, alias: str | None) -> Iterator[AliasChange]:
    before: str | None = None
    while True:
        page = ask(*endpoints.list_alias_changes(artifact=artifact, alias=alias, before=before), None)
        yield from page["changes"]
        before = page["next"]
        if before is None:
            return
