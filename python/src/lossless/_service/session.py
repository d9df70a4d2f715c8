"""One experiment on the service: its id, and a token that is always valid."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from .._ground.address import Endpoint
from .._ground.endpoints import experiment_events
from .._ground.errors import EventRefused, LosslessError, RequestRefused
from .._values.origin import origin_of, with_origin
from .http import Reply
from .retry import is_transient, nothing_ran
from .service import Service, succeeded

_REFRESH_AGAIN_SECONDS = 5.0
# Openings that are refused because another client has changed the experiment since it was read;
# after these one is sent that is not. Many ranks open at one moment.
_CHECKED_OPENINGS = 6
_AGAIN_SECONDS = 0.02

Content = dict[str, Any]


class Session:
    """
    The session of an experiment. A token lives 24 hours: it is refreshed with the first request
    after half of its life, and when it has expired or was revoked the slug is opened again. An
    opening replaces description and meta: the record is read before each, and unchanged parts are
    sent as they stand there; the service refuses an opening if another client has changed the
    record since, and it is read again. Times are measured on the monotonic clock: a wrong local
    clock does no harm.

    `description` and `meta` are those of an experiment that does not exist yet; `experiment_id`,
    when known, keeps a recording from continuing in another experiment of that name.
    """

    def __init__(
        self, service: Service, slug: str, description: str, meta: Mapping[str, Any], experiment_id: str = ""
    ) -> None:
        self.service = service
        self.slug = slug
        self.description = description
        self.meta = meta
        self.experiment_id = experiment_id
        self._token = ""
        self._told_server_ms = 0.0
        self._told_at = 0.0
        self._refresh_at = 0.0
        # Seconds by which this machine's clock was ahead of the service's at the last reply.
        self.clock_ahead_seconds = 0
        # The content before an opening whose reply was lost.
        self._unanswered: Content | None = None
        # A service of version 0.1 knows no `seenUpdatedAtMs`.
        self._is_checked = True
        # Versions of points as columns that the service reads (extension).
        self.column_versions: tuple[int, ...] = ()
        # The content of the last opening.
        self.content: Content = {}

    @property
    def is_open(self) -> bool:
        return self._token != ""

    def server_time_ms(self) -> float:
        """The service's current time, accurate to about a second."""
        return self._told_server_ms + (time.monotonic() - self._told_at) * 1000

    def service_time_of(self, local_ms: float) -> float:
        """Converts a time of this machine's clock to the service's, rather a second too early."""
        return self.server_time_ms() + local_ms - time.time() * 1000

    def open(
        self, given: Mapping[str, Any] | None = None, origin: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any] | None:
        """
        Makes one attempt. `given` may have a description and a meta, `origin` the meta's source and
        environment; absent members stay. Returns the record as it was before; None: the experiment
        is new.
        """
        for refused in range(_CHECKED_OPENINGS):
            try:
                return self._open(given, origin, is_checked=self._is_checked)
            except EventRefused as error:
                if error.code != "experiment_changed":
                    raise
                time.sleep(random.uniform(0, _AGAIN_SECONDS * 2**refused))
            except RequestRefused as error:
                if not self._is_checked or "seenUpdatedAtMs" not in str(error):
                    raise
                self._is_checked = False
        return self._open(given, origin, is_checked=False)

    def _open(
        self, given: Mapping[str, Any] | None, origin: Mapping[str, Any] | None, *, is_checked: bool
    ) -> Mapping[str, Any] | None:
        record = self.record()
        known = None if record is None else str(record["experimentId"])
        if self.experiment_id not in ("", known):
            raise self._is_another(known)
        before: Content = {"description": self.description, "meta": self.meta}
        if record is not None:
            before = {"description": record["description"], "meta": record["meta"]}
        content = {**before, **{name: each for name, each in (given or {}).items() if name in before}}
        kept = {**origin_of(before["meta"]), **origin_of(content["meta"]), **(origin or {})}
        if kept != origin_of(content["meta"]):
            content["meta"] = with_origin(content["meta"], kept)
        self.content = content
        if self._unanswered is not None and before not in (self._unanswered, content):
            # Another client has changed it after our opening, if that arrived: the other content
            # stays.
            content = before
        seen = {"seenUpdatedAtMs": None if record is None else record["updatedAtMs"]} if is_checked else {}
        try:
            outcomes, reply = self.service.events([("experiment.open", {"slug": self.slug, **content, **seen})])
            grant = succeeded(outcomes[0])
        except LosslessError as error:
            if is_transient(error) and not nothing_ran(error) and record is not None:
                self._unanswered = self._unanswered or before
            raise
        self._unanswered = None
        self._accept(grant, reply)
        return record

    def record(self) -> Mapping[str, Any] | None:
        """Returns the record of the slug; None: it was never opened."""
        outcomes, reply = self.service.events([("query.experiment", {"experimentSlug": self.slug})])
        self._take_time(reply.server_time_ms)
        try:
            return succeeded(outcomes[0])
        except EventRefused as error:
            if error.code == "experiment_not_found":
                return None
            raise

    def move(self, folder: list[str]) -> None:
        """Moves the experiment into a folder, which is created where it does not exist."""
        parent: str | None = None
        for name in folder:
            try:
                parent = str(self.service.single("folder.create", {"name": name, "parentFolderId": parent})["folderId"])
            except EventRefused as error:
                if error.code != "folder_already_exists":
                    raise
                parent = str(error.details["folderId"])
        self.service.single("experiment.move", {"experimentSlug": self.slug, "folderId": parent})

    def post(
        self,
        body: bytes,
        endpoint: Callable[[str], Endpoint] = experiment_events,
        content_type: str = "application/json",
    ) -> bytes:
        """
        Makes one attempt; after a 401 it opens the slug again and repeats the request, which is
        safe for every event: a refused request ran nothing. `endpoint` makes the address of the
        experiment's id.
        """
        if time.monotonic() >= self._refresh_at:
            self._refresh()
        try:
            return self._post(body, endpoint, content_type)
        except RequestRefused as error:
            if error.status != 401:
                raise
        self.open()
        return self._post(body, endpoint, content_type)

    def post_as_it_is(self, body: bytes) -> bytes:
        """Sends it without refreshing or opening again: for the end of the token."""
        return self._post(body)

    def _post(
        self,
        body: bytes,
        endpoint: Callable[[str], Endpoint] = experiment_events,
        content_type: str = "application/json",
    ) -> bytes:
        return self.service.of_experiment(endpoint(self.experiment_id), self._token, body, content_type)

    def _refresh(self) -> None:
        """
        Renews the token; failures are harmless while it lives: later attempts, or a 401, recover.
        """
        data = {"experimentId": self.experiment_id, "experimentToken": self._token}
        try:
            outcomes, reply = self.service.events([("experiment.tokenRefresh", data)])
            self._accept(succeeded(outcomes[0]), reply)
        except LosslessError as error:
            if is_transient(error):
                self._refresh_at = time.monotonic() + _REFRESH_AGAIN_SECONDS
            else:
                self.open()

    def _accept(self, grant: Mapping[str, Any], reply: Reply) -> None:
        server_time_ms = reply.server_time_ms
        experiment_id = str(grant["experimentId"])
        if self.experiment_id not in ("", experiment_id):
            raise self._is_another(experiment_id)
        self.experiment_id = experiment_id
        self._token = str(grant["experimentToken"])
        told = str(reply.headers.get("lossless-columns", ""))
        self.column_versions = tuple(int(word) for word in told.replace(" ", "").split(",") if word.isdecimal())
        self._take_time(server_time_ms)
        life_seconds = (int(grant["expiresAtMs"]) - server_time_ms) / 1000
        self._refresh_at = self._told_at + life_seconds / 2

    def _take_time(self, server_time_ms: int) -> None:
        self._told_at = time.monotonic()
        self._told_server_ms = server_time_ms
        self.clock_ahead_seconds = round(time.time() - server_time_ms / 1000)

    def _is_another(self, found: str | None) -> LosslessError:
        there = "is not there" if found is None else f"is {found} there"
        return LosslessError(
            f"{self.slug!r} was {self.experiment_id} and {there} now: the credential belongs to "
            "another organization, or the experiment was deleted and may be in the trash"
        )
