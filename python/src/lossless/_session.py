"""One experiment on the service: its id, and a token that is always good."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ._errors import EventRefused, LosslessError, RequestRefused
from ._retry import is_transient
from ._service import Service, succeeded

_REFRESH_AGAIN_SECONDS = 5.0


class Session:
    """
    A token lives 24 hours: it is refreshed with the first request after half of its life, and when it has expired or
    was revoked the slug is opened again, with the same description and meta. Times are measured on the monotonic
    clock from the service's own, so that a wrong local clock does no harm.
    """

    def __init__(self, service: Service, slug: str, description: str, meta: Mapping[str, Any]) -> None:
        self.service = service
        self.slug = slug
        self.description = description
        self.meta = meta
        self.experiment_id = ""
        self._token = ""
        self._granted_at = 0.0
        self._server_ms_at_grant = 0
        self._refresh_at = 0.0

    def server_time_ms(self) -> float:
        """The service's clock now, within a second or so."""
        return self._server_ms_at_grant + (time.monotonic() - self._granted_at) * 1000

    def open(self, description: str | None = None, meta: Mapping[str, Any] | None = None) -> None:
        """One attempt. Opening again with the same content changes nothing but gives another token."""
        if description is not None:
            self.description = description
        if meta is not None:
            self.meta = meta
        data = {"slug": self.slug, "description": self.description, "meta": self.meta}
        outcomes, reply = self.service.events([("experiment.open", data)])
        self._accept(succeeded(outcomes[0]), reply.server_time_ms)

    def record(self) -> Mapping[str, Any] | None:
        """What the service knows of the slug; None: nobody has opened it."""
        try:
            return self.service.single("query.experiment", {"experimentSlug": self.slug})
        except EventRefused as error:
            if error.code == "experiment_not_found":
                return None
            raise

    def post(self, body: bytes) -> bytes:
        """
        One attempt; a 401 is answered by opening the slug again and asking once more, which is safe for every event:
        a refused request ran nothing.
        """
        if time.monotonic() >= self._refresh_at:
            self._refresh()
        try:
            return self._post(body)
        except RequestRefused as error:
            if error.status != 401:
                raise
        self.open()
        return self._post(body)

    def post_as_it_is(self, body: bytes) -> bytes:
        """Neither refreshed nor opened again: for the end of the token."""
        return self._post(body)

    def _post(self, body: bytes) -> bytes:
        return self.service.experiment_events(self.experiment_id, self._token, body)

    def _refresh(self) -> None:
        """Failing is no harm while the token lives: it is tried again later, or the slug is opened on 401."""
        data = {"experimentId": self.experiment_id, "experimentToken": self._token}
        try:
            outcomes, reply = self.service.events([("experiment.tokenRefresh", data)])
            self._accept(succeeded(outcomes[0]), reply.server_time_ms)
        except LosslessError as error:
            if is_transient(error):
                self._refresh_at = time.monotonic() + _REFRESH_AGAIN_SECONDS
            else:
                self.open()

    def _accept(self, grant: Mapping[str, Any], server_time_ms: int) -> None:
        experiment_id = str(grant["experimentId"])
        if self.experiment_id not in ("", experiment_id):
            raise LosslessError(
                f"{self.slug!r} was {self.experiment_id} and is {experiment_id} now: not the same experiment"
            )
        self.experiment_id = experiment_id
        self._token = str(grant["experimentToken"])
        self._granted_at = time.monotonic()
        self._server_ms_at_grant = server_time_ms
        life_seconds = (int(grant["expiresAtMs"]) - server_time_ms) / 1000
        self._refresh_at = self._granted_at + life_seconds / 2
