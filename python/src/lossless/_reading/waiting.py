"""Waits until a condition holds for an experiment; the service tells when."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from .._ground.endpoints import wait_until
from .._ground.errors import LosslessError, SettingsError
from .._ground.warning import say
from .._ground.wire_numbers import CHANGES_WAIT_MS_MAX
from .._service.retry import delay, is_transient
from .._service.service import Service
from .._values.nonfinite import number_in

if TYPE_CHECKING:
    from .._service.client import Client
    from ..wire import MissingMetric, WaitReply

# Seconds allowed for the answer beyond the wait.
_ANSWER_SECONDS = 30.0


@dataclasses.dataclass(frozen=True)
class Waited:
    """
    `outcome`: "holds": the condition does; "ended": the run has ended without it; "timeout":
    neither in the given time. True in a condition if it holds. `values` has what the condition
    tests, as it was then; `missing` the metrics of which the run has recorded nothing, with similar
    names.
    """

    outcome: Literal["holds", "ended", "timeout"]
    slug: str
    status: str
    error: str | None
    points: int
    values: dict[str, Any]
    missing: list[MissingMetric]
    reply: WaitReply

    def __bool__(self) -> bool:
        return self.outcome == "holds"


def waited_for(client: Client, experiment_id: str, until: str, timeout: float | None) -> Waited:
    if timeout is not None and not timeout >= 0:
        raise SettingsError(f"timeout must not be negative, but is {timeout!r}")
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    body: dict[str, Any] = {"experimentId": experiment_id, "until": until, "waitMs": 0}
    # The first answer says whether there is such a service, and an experiment to wait for.
    reply = cast("WaitReply", client.call(*wait_until(), body).json())
    # With a connection of its own: other calls may come while it waits.
    service = client.new_service()
    try:
        while reply["outcome"] == "waiting":
            if deadline <= time.monotonic():
                return _waited(reply, "timeout")
            found = _asked(service, body, deadline)
            reply = reply if found is None else found
        return _waited(reply, reply["outcome"])
    finally:
        service.close()


def _asked(service: Service, body: Mapping[str, Any], deadline: float) -> WaitReply | None:
    """Sends one request, again while the service is away; None: it was away until the deadline."""
    attempts = 0
    while True:
        try:
            # After an outage less time is left than before it.
            left = max(0.0, deadline - time.monotonic())
            wait_ms = math.ceil(min(CHANGES_WAIT_MS_MAX, left * 1000))
            asked = {**body, "waitMs": wait_ms}
            reply = service.call(*wait_until(), asked, timeout=wait_ms / 1000 + _ANSWER_SECONDS).json()
            if attempts > 0:
                say("lossless: the service answers again")
            return cast("WaitReply", reply)
        except LosslessError as error:
            if not is_transient(error):
                raise
            attempts += 1
            if attempts == 1:
                say(f"lossless: {error}; waiting until it answers again")
            wait = delay(attempts, error)
        left = deadline - time.monotonic()
        time.sleep(max(0.0, min(wait, left)))
        if wait >= left:
            return None


def _waited(reply: WaitReply, outcome: Any) -> Waited:
    return Waited(
        outcome,
        reply["slug"],
        reply["status"],
        reply["error"],
        reply["points"],
        {each["field"]: number_in(each["value"]) for each in reply["values"]},
        reply["missing"],
        reply,
    )
