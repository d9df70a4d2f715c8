"""Calls of the artifacts interface (v1). All are safe to repeat, and are retried."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from .._ground import endpoints
from .._ground.errors import ConnectionFailed, RequestRefused
from .._service.client import Client
from .._service.http import Reply

if TYPE_CHECKING:
    from ..wire import (
        AliasList,
        CommitUploadReply,
        OpenArtifactReply,
        UploadReply,
        VersionAlias,
        VersionLineage,
        VersionRecord,
        ViewedModelVersion,
        Whoami,
    )

# Seconds for calls in which the service sends thousands of requests to a store.
_LONG_TIMEOUT = 300.0
# Seconds of retries during a transfer: as long as for stores.
_TRANSFER_RETRY_SECONDS = 300.0
# Seconds of retries for the commit of a version whose parts are all sent.
_COMMIT_RETRY_SECONDS = 900.0


class ArtifactCalls:
    def __init__(self, client: Client) -> None:
        self._client = client

    def organization(self, retry_seconds: float | None = None) -> str:
        """
        Returns the id of the caller's organization. 0 seconds: asks once whether the service
        replies.
        """
        reply = self._client.call(*endpoints.whoami(), retry_seconds=retry_seconds, timeout=10.0)
        return cast("Whoami", _object(reply))["orgId"]

    def open(self, artifact: str, mode: str, place: Mapping[str, str], source: str | None) -> OpenArtifactReply:
        body = {"mode": mode, "place": place, **({} if source is None else {"source": source})}
        reply = self._client.call(*endpoints.open_artifact(artifact=artifact), body)
        return cast("OpenArtifactReply", _object(reply))

    def begin(self, artifact: str, version: str, body: Mapping[str, Any]) -> tuple[UploadReply, float]:
        """
        Returns the upload, and the lifetime of its addresses in seconds, by the service's clock.
        """
        endpoint = endpoints.begin_version(artifact=artifact, version=version)
        content, seconds = _signed(self._client.call(*endpoint, body, timeout=_LONG_TIMEOUT))
        return cast("UploadReply", content), seconds

    def resign(self, artifact: str, upload: str, epoch: int) -> tuple[UploadReply, float]:
        endpoint = endpoints.resign_upload(artifact=artifact, upload=upload)
        retry = self._patient(_TRANSFER_RETRY_SECONDS)
        reply = self._client.call(*endpoint, {"epoch": epoch}, timeout=_LONG_TIMEOUT, retry_seconds=retry)
        content, seconds = _signed(reply)
        return cast("UploadReply", content), seconds

    def commit(self, artifact: str, upload: str, body: Mapping[str, Any]) -> CommitUploadReply:
        """
        Commits the version. Repeating the call gives the same reply, even after it was superseded.
        """
        endpoint = endpoints.commit_upload(artifact=artifact, upload=upload)
        retry = self._patient(_COMMIT_RETRY_SECONDS)
        reply = self._client.call(*endpoint, body, timeout=_LONG_TIMEOUT, retry_seconds=retry)
        return cast("CommitUploadReply", _object(reply))

    def latest(self, artifact: str) -> VersionRecord:
        with _naming(artifact, "latest"):
            return self.read(artifact, "latest")

    def read(self, artifact: str, version: str) -> VersionRecord:
        """Reads a version, without addresses of its files."""
        endpoint = endpoints.read_version(artifact=artifact, version=version)
        return cast("VersionRecord", _object(self._client.call(*endpoint)))

    def aliases(self, artifact: str) -> list[VersionAlias]:
        reply = self._client.call(*endpoints.list_aliases(artifact=artifact))
        return cast("AliasList", _object(reply))["aliases"]

    def lineage(self, artifact: str, version: str) -> VersionLineage:
        """Reads which run made a version, and which used it."""
        endpoint = endpoints.read_version_lineage(artifact=artifact, version=version)
        return cast("VersionLineage", _object(self._client.call(*endpoint)))

    def model_version(self, model: str, version: str) -> ViewedModelVersion:
        """Reads a version of a registered model: its number, `latest` or `@alias`."""
        reply = self._client.call(*endpoints.read_model_version(model=model, version=version))
        return cast("ViewedModelVersion", _object(reply))

    def link(self, model: str, artifact: str, version: str) -> ViewedModelVersion:
        """Makes it a version of a registered model, once; the model too, if there is none."""
        body = {"artifact": artifact, "version": version}
        reply = self._client.call(*endpoints.link_version(model=model), body)
        return cast("ViewedModelVersion", _object(reply))

    def set_model_alias(self, model: str, alias: str, version: int) -> None:
        endpoint = endpoints.set_model_alias(model=model, alias=alias)
        self._client.call(*endpoint, {"version": version})

    def set_alias(self, artifact: str, alias: str, version: str) -> None:
        """Sets the alias, wherever it points to."""
        self._client.call(*endpoints.set_alias(artifact=artifact, alias=alias), {"version": version})

    def read_signed(
        self, artifact: str, version: str, place: Mapping[str, str], is_under_way: bool = False
    ) -> tuple[VersionRecord, float]:
        """Reads a version, by name, `latest` or `@alias`, with an address for every file."""
        endpoint = endpoints.read_version(artifact=artifact, version=version, urls="1", **place)
        retry = self._patient(_TRANSFER_RETRY_SECONDS) if is_under_way else None
        with _naming(artifact, version):
            content, seconds = _signed(self._client.call(*endpoint, retry_seconds=retry))
        return cast("VersionRecord", content), seconds

    def _patient(self, seconds: float) -> float:
        return max(self._client.retry_seconds, seconds) if self._client.retry_seconds else 0.0


def is_missing(error: RequestRefused) -> bool:
    """Whether the service has no such item; at a wrong address the error names LOSSLESS_URL."""
    return error.code == "not_found" and "LOSSLESS_URL" not in str(error)


@contextlib.contextmanager
def _naming(artifact: str, version: str) -> Iterator[None]:
    """Adds the artifact and the version to errors of missing items."""
    try:
        yield
    except RequestRefused as error:
        if is_missing(error) and version == "latest":
            error.args = (f"There is no artifact {artifact!r}, or it has no version.",)
        elif is_missing(error):
            error.args = (f"{error} ({artifact!r}, version {version!r})",)
        raise


def _object(reply: Reply) -> dict[str, Any]:
    content = reply.json()
    if not isinstance(content, dict):
        raise ConnectionFailed("the reply is not the service's")
    return content


def _signed(reply: Reply) -> tuple[dict[str, Any], float]:
    content = _object(reply)
    expires = content.get("expires")
    if expires is None:
        # The reply has no signatures; callers that need an address fail on it.
        return content, 0.0
    # Python 3.10 does not parse the letter Z.
    ends = datetime.datetime.fromisoformat(str(expires).replace("Z", "+00:00"))
    return content, ends.timestamp() - reply.server_time_ms / 1000
