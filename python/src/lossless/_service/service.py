"""Calls of the metrics interface (v2): one attempt each, with checked replies."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from http.client import HTTPResponse
from typing import Any

from .._ground import endpoints
from .._ground.address import Endpoint
from .._ground.errors import ConnectionFailed, EventRefused, RequestRefused
from .._ground.wire_numbers import EVENT_PREFIX
from .column_records import MEDIA_TYPE, VERSION, StreamChanged, column_records
from .http import Http, Reply

Outcome = Mapping[str, Any] | EventRefused
_LINES = "application/x-ndjson"


class Service:
    """One service, seen by one organization, for one thread at a time."""

    def __init__(
        self, url: str, credential: Callable[[], str], organization: str | None = None, timeout: float = 30.0
    ) -> None:
        self.http = Http(url, timeout)
        self._credential = credential
        self._organization = organization
        # Whether series are asked for as columns.
        self.asks_for_columns = True

    def events(self, events: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[list[Outcome], Reply]:
        """
        Sends organization events in one request; failed events are outcomes, and raise nothing.
        """
        ids = [str(uuid.uuid4()) for _ in events]
        body = [
            {"messageId": id, "event": f"{EVENT_PREFIX}{event}", "data": data} for id, (event, data) in zip(ids, events)
        ]
        reply = self.http.request(
            *endpoints.organization_events(),
            credential=self._credential(),
            organization=self._organization,
            body=json.dumps(body).encode("ascii"),
        )
        return outcomes_of(reply.body, ids), reply

    def single(self, event: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends one organization event. Raises EventRefused too."""
        outcomes, _ = self.events([(event, data)])
        return succeeded(outcomes[0])

    def of_experiment(
        self, endpoint: Endpoint, token: str, body: bytes, content_type: str = "application/json"
    ) -> bytes:
        """Sends a request with the token of an experiment; returns the reply's text."""
        return self.http.request(
            *endpoint, credential=token, body=body, content_type=content_type, may_be_gzip=True
        ).body

    def stream(self, event: str, data: Mapping[str, Any]) -> Generator[Mapping[str, Any], None, None]:
        """
        Yields the parsed records of a series stream as they arrive: lines of JSON, or columns where
        the service has them (`column_records`). Where something on the way refuses or changes
        columns, lines alone are asked for from then on.
        """
        id = str(uuid.uuid4())
        envelope = {"messageId": id, "event": f"{EVENT_PREFIX}{event}", "data": data}
        body = json.dumps(envelope).encode("ascii")
        if self.asks_for_columns:
            try:
                yield from self._records(id, body, f"{MEDIA_TYPE}; version={VERSION}, {_LINES};q=0.9")
                return
            except StreamChanged:
                self.asks_for_columns = False
                raise
            except RequestRefused as error:
                # A proxy's, before any record: the service refuses no type.
                if not (error.code.startswith("http_") and error.status in (400, 403, 406, 415)):
                    raise
                self.asks_for_columns = False
        yield from self._records(id, body, _LINES)

    def _records(self, id: str, body: bytes, accept: str) -> Iterator[Mapping[str, Any]]:
        method, path = endpoints.query_series()
        credential, organization = self._credential(), self._organization
        with self.http.streamed(
            method, path, credential=credential, organization=organization, body=body, accept=accept
        ) as response:
            type = response.headers.get_content_type()
            is_columns = type == MEDIA_TYPE
            if not is_columns and type != _LINES and accept != _LINES:
                raise StreamChanged(f"the stream came as {type}, which the service does not send")
            for record in column_records(response.read) if is_columns else _lines(response):
                if record.get("correlationId") != id:
                    raise _not_ours()
                yield record

    def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, timeout: float | None = None
    ) -> Reply:
        """Makes a call of the artifacts interface (v1)."""
        content = raw if raw is not None else None if body is None else json.dumps(body).encode("ascii")
        return self.http.request(
            method,
            path,
            credential=self._credential(),
            organization=self._organization,
            body=content,
            content_type="application/json" if raw is None else "application/octet-stream",
            timeout=timeout,
        )

    def pieces(self, method: str, path: str) -> Iterator[bytes]:
        """Yields the bytes of a file as they arrive."""
        yield from self.http.pieces(method, path, credential=self._credential(), organization=self._organization)

    def close(self) -> None:
        self.http.close()


def outcomes_of(body: bytes, ids: Sequence[str]) -> list[Outcome]:
    """Returns the outcome of each event, in the order of their ids."""
    try:
        replies = json.loads(body)
    except ValueError:
        replies = None
    if not isinstance(replies, list) or len(replies) != len(ids):
        raise ConnectionFailed("the reply does not answer the events that were sent: this is not the service")
    outcomes: list[Outcome] = []
    for id, reply in zip(ids, replies):
        if not isinstance(reply, dict) or reply.get("correlationId") != id or not isinstance(reply.get("data"), dict):
            raise ConnectionFailed("the reply does not answer the events that were sent: this is not the service")
        data = reply["data"]
        outcomes.append(event_refused(data) if reply.get("event") == f"{EVENT_PREFIX}error" else data)
    return outcomes


def event_refused(data: Mapping[str, Any]) -> EventRefused:
    return EventRefused(
        str(data.get("message", "an event failed")),
        int(data.get("status", 500)),
        str(data.get("code", "unknown")),
        data.get("retryable") is True,
        data.get("details") or {},
    )


def succeeded(outcome: Outcome) -> Mapping[str, Any]:
    if isinstance(outcome, EventRefused):
        raise outcome
    return outcome


def _lines(response: HTTPResponse) -> Iterator[Mapping[str, Any]]:
    while line := response.readline():
        if not line.endswith(b"\n"):
            raise ConnectionFailed("the stream ended within a line")
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise _not_ours()
        yield record


def _not_ours() -> ConnectionFailed:
    return ConnectionFailed("the stream has a line that is not a record: this is not the service")
