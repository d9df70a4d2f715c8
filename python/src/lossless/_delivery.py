"""Brings points and everything else of one spool to the service, each exactly once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ._errors import ConnectionFailed, EventRefused, LosslessError, RequestRefused
from ._records import encode
from ._retry import is_transient, nothing_ran
from ._service import outcomes_of, succeeded
from ._session import Session
from ._state import State
from ._wire import EVENT_PREFIX

# The service's clock may seem to lag behind its Date header, which has whole seconds.
_CLOCK_SLACK_MS = 5_000
_ABOUT_CONTENT = (400, 413, 422)


class Point(NamedTuple):
    number: int
    timestamp_ms: int
    step: int
    name: str
    value: float | int
    meta_json: str


class Annotation(NamedTuple):
    text: str
    meta: dict[str, Any]


class Delivery:
    """
    `wait(attempts, error)` is called before something is tried again, and raises to give up. `keep` writes the state
    down: before a write whose repetition would have an effect, and after it.
    """

    def __init__(
        self,
        session: Session,
        prefix: str,
        state: State,
        wait: Callable[[int, LosslessError], None],
        keep: Callable[[], None],
    ) -> None:
        self._session = session
        self._prefix = prefix
        self._state = state
        self._wait = wait
        self._keep = keep

    def points(self, points: Sequence[Point]) -> None:
        """At most 1,000. Metrics may be sent again blindly, with their ids: the service stores each id once."""
        open_points = list(points)
        attempts = 0
        while open_points:
            attempts += 1
            try:
                open_points, again = self._attempt(open_points)
                if again is not None:
                    raise again
            except LosslessError as error:
                if not is_transient(error):
                    raise
                self._wait(attempts, error)

    def annotations(self, items: Sequence[Annotation]) -> None:
        """In order. A lost reply is looked up among the stored ones, so that none is added twice."""
        left = list(items)

        def attempt() -> None:
            outcomes = self._annotate(left)
            kept: list[Annotation] = []
            again: EventRefused | None = None
            for item, outcome in zip(left, outcomes):
                if isinstance(outcome, EventRefused) and outcome.retryable:
                    kept.append(item)
                    again = outcome
                elif isinstance(outcome, EventRefused):
                    self._state.refuse(1, str(outcome), annotation=item.text[:80])
                else:
                    self._state.annotated(str(outcome["annotationId"]))
            left[:] = kept
            if again is not None:
                raise again

        def settle(since_ms: float) -> bool:
            self._strike_stored(left, since_ms)
            return not left

        try:
            self.once(attempt, settle)
        except RequestRefused as error:
            if error.status not in _ABOUT_CONTENT:
                raise
            # A body that is refused as a whole must not take the good ones with it.
            if len(left) == 1:
                self._state.refuse(1, str(error), annotation=left[0].text[:80])
                return
            for item in list(left):
                self.annotations([item])

    def change(self, event: str, data: Mapping[str, Any], happened: Callable[[Mapping[str, Any], float], bool]) -> None:
        """start, done, error: repeated, they would move their times, so the record is read before that."""

        def attempt() -> None:
            id, body = self._envelope(event, data)
            succeeded(outcomes_of(self._session.post(body), [id])[0])

        def settle(since_ms: float) -> bool:
            record = self._session.record()
            return record is not None and happened(record, since_ms)

        self.once(attempt, settle)

    def revoke(self) -> None:
        """Ends the token, alone in its request; 401 says that it has ended."""
        attempts = 0
        while True:
            attempts += 1
            id, body = self._envelope("experiment.tokenRevoke", {})
            try:
                succeeded(outcomes_of(self._session.post_as_it_is(body), [id])[0])
                return
            except RequestRefused as error:
                if error.status == 401:
                    return
                if not is_transient(error):
                    raise
                self._wait(attempts, error)
            except LosslessError as error:
                if not is_transient(error):
                    raise
                self._wait(attempts, error)

    def once(self, attempt: Callable[[], None], settle: Callable[[float], bool]) -> None:
        """
        A write whose repetition would have an effect. `settle` reads whether it has happened since that time of the
        service. Also after the death of this process: that an outcome is open is written down before the attempt.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                since_ms = self._state.attempting_since_ms
                if since_ms is not None:
                    if settle(since_ms):
                        self._state.attempting_since_ms = None
                        return
                    self._state.attempting_since_ms = None
                self._state.attempting_since_ms = self._session.server_time_ms() - _CLOCK_SLACK_MS
                self._keep()
                try:
                    attempt()
                except LosslessError as error:
                    if not is_transient(error) or nothing_ran(error):
                        self._state.attempting_since_ms = None
                    raise
                self._state.attempting_since_ms = None
                return
            except LosslessError as error:
                if not is_transient(error):
                    raise
                self._wait(attempts, error)

    def _attempt(self, points: list[Point]) -> tuple[list[Point], EventRefused | None]:
        """What is still open afterwards, and why."""
        try:
            body = self._session.post(self._body(points))
        except RequestRefused as error:
            if error.status not in _ABOUT_CONTENT:
                raise
            return self._divide(points, error)
        try:
            replies = json.loads(body)
            ids = [reply["correlationId"] for reply in replies]
            names = {reply["event"] for reply in replies}
        except (ValueError, TypeError, KeyError):
            raise ConnectionFailed("the reply does not answer the events that were sent") from None
        if ids != [f"{self._prefix}-{point.number}" for point in points]:
            raise ConnectionFailed("the reply does not answer the events that were sent")
        if names == {f"{EVENT_PREFIX}metricRecorded"}:
            self._state.stored += len(points)
            self._state.deduplicated += body.count(b'"deduplicated":true')
            return [], None
        return self._settle_each(points, outcomes_of(body, ids))

    def _settle_each(self, points: list[Point], outcomes: Sequence[Any]) -> tuple[list[Point], EventRefused | None]:
        left: list[Point] = []
        again: EventRefused | None = None
        for point, outcome in zip(points, outcomes):
            if not isinstance(outcome, EventRefused):
                self._state.stored += 1
                self._state.deduplicated += outcome.get("deduplicated") is True
            elif outcome.retryable:
                left.append(point)
                again = outcome
            else:
                self._refuse(point, outcome)
        return left, again

    def _divide(self, points: list[Point], error: RequestRefused) -> tuple[list[Point], EventRefused | None]:
        """The body was refused as a whole: halves are tried until the point is found that does it."""
        if len(points) == 1:
            self._refuse(points[0], error)
            return [], None
        middle = len(points) // 2
        left, again = self._attempt(points[:middle])
        more, again_too = self._attempt(points[middle:])
        return left + more, again or again_too

    def _refuse(self, point: Point, error: LosslessError) -> None:
        self._state.refuse(1, str(error), name=point.name, step=point.step)

    def _body(self, points: Sequence[Point]) -> bytes:
        head = (
            f'"event":"{EVENT_PREFIX}experiment.metric","data":{{"experimentId":{encode(self._session.experiment_id)}'
        )
        prefix = self._prefix
        texts = [
            f'{{"messageId":"{prefix}-{number}",{head},"timestampMs":{timestamp_ms},"step":{step},'
            f'"metricName":{encode(name)},"metricValue":{value!r},"meta":{meta_json}}}}}'
            for number, timestamp_ms, step, name, value, meta_json in points
        ]
        return f"[{','.join(texts)}]".encode("ascii")

    def _annotate(self, items: Sequence[Annotation]) -> list[Any]:
        ids = [str(uuid.uuid4()) for _ in items]
        envelopes = [
            {
                "messageId": id,
                "event": f"{EVENT_PREFIX}experiment.annotate",
                "data": {"experimentId": self._session.experiment_id, "annotation": item.text, "meta": item.meta},
            }
            for id, item in zip(ids, items)
        ]
        return outcomes_of(self._session.post(json.dumps(envelopes).encode("ascii")), ids)

    def _strike_stored(self, left: list[Annotation], since_ms: float) -> None:
        """Each stored annotation accounts for one waiting one of equal text and meta."""
        data = {"experimentId": self._session.experiment_id}
        reply = self._session.service.single("query.annotations", data)
        own = set(self._state.own_annotations)
        stored = [
            one for one in reply["annotations"] if one["createdAtMs"] >= since_ms and one["annotationId"] not in own
        ]
        for item in list(left):
            for one in stored:
                if one["annotation"] == item.text and one["meta"] == item.meta:
                    stored.remove(one)
                    left.remove(item)
                    self._state.annotated(str(one["annotationId"]))
                    break

    def _envelope(self, event: str, data: Mapping[str, Any]) -> tuple[str, bytes]:
        id = str(uuid.uuid4())
        content = {"experimentId": self._session.experiment_id, **data}
        body = [{"messageId": id, "event": f"{EVENT_PREFIX}{event}", "data": content}]
        return id, json.dumps(body).encode("ascii")
