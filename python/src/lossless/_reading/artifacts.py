"""Lists of artifacts, and the content of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from .._ground.endpoints import read_sent_bytes, view_artifact, view_artifacts
from .._ground.wire_numbers import LISTED_ARTIFACTS_MAX, VERSIONS_PER_PAGE_MAX

if TYPE_CHECKING:
    from ..wire import ArtifactListReply, ArtifactReply, ListedArtifact, SentBytesReply

Ask = Callable[[str, str, Any], Any]

# Matches any text: with a search the service looks into all folders.
_ANY = "*"


def listed_artifacts(ask: Ask, under: str, search: str, newest: bool, limit: int | None) -> Iterator[ListedArtifact]:
    """Yields artifacts below a prefix, page by page."""
    after: str | None = None
    left = limit
    while left is None or left > 0:
        most = LISTED_ARTIFACTS_MAX if left is None else min(left, LISTED_ARTIFACTS_MAX)
        sort = "newest" if newest else "name"
        method, path = view_artifacts(
            under=under or None, search=search or _ANY, sort=sort, after=after, limit=str(most)
        )
        reply = cast("ArtifactListReply", ask(method, path, None))
        yield from reply["artifacts"]
        after = reply["next"]
        if after is None:
            return
        if left is not None:
            left -= len(reply["artifacts"])


def found_artifact(ask: Ask, artifact: str, limit: int | None) -> ArtifactReply:
    """Returns an artifact with its newest versions, collected from as many pages as needed."""
    whole: ArtifactReply | None = None
    after: str | None = None
    while True:
        left = VERSIONS_PER_PAGE_MAX if limit is None else limit - (len(whole["versions"]) if whole else 0)
        most = max(1, min(left, VERSIONS_PER_PAGE_MAX))
        method, path = view_artifact(artifact=artifact, after=after, limit=str(most), metas="1")
        page = cast("ArtifactReply", ask(method, path, None))
        if whole is None:
            whole = page
        else:
            whole["versions"].extend(page["versions"])
            whole["next"] = page["next"]
        after = page["next"]
        if after is None or (limit is not None and len(whole["versions"]) >= limit):
            return whole


def found_sent_bytes(ask: Ask, artifact: str, upload: str) -> SentBytesReply:
    method, path = read_sent_bytes(artifact=artifact, upload=upload)
    return cast("SentBytesReply", ask(method, path, None))
