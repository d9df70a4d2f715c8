"""Delivers points and everything else of one spool to the service, each exactly once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .._ground.errors import ConnectionFailed, EventRefused, LosslessError, RequestRefused
from .._ground.wire_numbers import EVENT_PREFIX, EVENTS_PER_REQUEST_MAX
from .._service.retry import is_about_content, is_transient, nothing_ran
from .._service.service import outcomes_of, succeeded
from .._service.session import Session
from .._spool.sent_state import State, Tally
from .._values.records import encode
from .columns import Columns, Outcome
from .point import Point
from .rows import Rows

# Milliseconds by which the service's clock may seem to lag behind its Date header (whole seconds).
_CLOCK_SLACK_MS = 5_000
_BODY_BYTES = 4 * 2**20
_POINTS_AT_ONCE_MIN = 20
# As columns: some 300 KB.
_COLUMNS_AT_ONCE_MAX = 10_000


class Annotation(NamedTuple):
    text: str
    meta: dict[str, Any]


class Delivery:
    """
    Sends one recording. `wait(attempts, error)` is called before a retry, which `may_retry` allows,
    and raises to give up. `keep` writes the state before a write whose repetition would have an
    effect; until the caller clears `attempting_since_ms` and writes it again, everything sent
    counts as one attempt. `tally` counts the outcomes, by default the state itself. `is_unsettled`:
    an earlier process died within such an attempt. `begun_at_ms`: nothing of the recording is
    older; for a rebuilt state each write may have happened since then.
    """

    def __init__(
        self,
        session: Session,
        prefix: str,
        state: State,
        wait: Callable[[int, LosslessError], None],
        keep: Callable[[], None],
        *,
        tally: Tally | None = None,
        may_retry: Callable[[LosslessError], bool] = is_transient,
        is_unsettled: bool = False,
        begun_at_ms: int = 0,
    ) -> None:
        self._session = session
        self._prefix = prefix
        self._state = state
        self._tally = state if tally is None else tally
        self._wait = wait
        self._keep = keep
        self._may_retry = may_retry
        self._is_unsettled = is_unsettled
        self._begun_at_ms = begun_at_ms
        self._columns = Columns(session, prefix)
        self._at_once = _COLUMNS_AT_ONCE_MAX

    def points(self, points: Rows | Iterable[Point]) -> None:
        """
        Sends metrics, and resends them without checking, with their ids: the service stores each id
        once.
        """
        rows = points if isinstance(points, Rows) else Rows.of(points)
        for request in rows.requests(self.points_max, _BODY_BYTES):
            left = _Left(request)
            attempts = 0
            while len(left) > 0:
                attempts += 1
                at_once = min(self._at_once, self.points_max())
                before = len(left)
                try:
                    self._send_points(left.first(at_once), left)
                    attempts = 0
                    self._at_once = min(2 * self._at_once, _COLUMNS_AT_ONCE_MAX)
                except LosslessError as error:
                    if len(left) < before:
                        # For the rest this is the first failure.
                        attempts = 1
                    is_late = isinstance(error, RequestRefused) and error.status == 408
                    if is_late or (isinstance(error, ConnectionFailed) and not error.not_sent):
                        # A network that is slow or breaks often only carries small bodies.
                        self._at_once = max(at_once // 2, _POINTS_AT_ONCE_MIN)
                    self._again(attempts, error)

    def points_max(self) -> int:
        """Returns how many points one request may have."""
        return _COLUMNS_AT_ONCE_MAX if self._columns.is_used else EVENTS_PER_REQUEST_MAX

    def annotations(self, items: Sequence[Annotation]) -> None:
        """Sends annotations in order. After a lost reply they are looked up, not added twice."""
        left = list(items)
        try:
            self.once(lambda: self._send_annotations(left), lambda since_ms: self._strike_stored(left, since_ms))
        except RequestRefused as error:
            if not is_about_content(error):
                raise
            # A request refused as a whole is sent one by one, to save the valid annotations.
            if len(left) == 1:
                self._tally.refuse(1, str(error), annotation=left[0].text[:80])
                return
            for item in list(left):
                self.annotations([item])

    def change(self, event: str, data: Mapping[str, Any], happened: Callable[[Mapping[str, Any], float], bool]) -> None:
        """
        Sends start, done or error. Repeating them would change their times: the record is read
        first.
        """

        def attempt() -> None:
            id, body = self._envelope(event, data)
            succeeded(outcomes_of(self._session.post(body), [id])[0])

        def settle(since_ms: float) -> bool:
            record = self._session.record()
            return record is not None and happened(record, since_ms)

        self.once(attempt, settle)

    def revoke(self) -> None:
        """Ends the token, alone in its request; 401 confirms that it has ended."""
        attempts = 0
        while True:
            attempts += 1
            id, body = self._envelope("experiment.tokenRevoke", {})
            try:
                succeeded(outcomes_of(self._session.post_as_it_is(body), [id])[0])
                return
            except LosslessError as error:
                if isinstance(error, RequestRefused) and error.status == 401:
                    return
                self._again(attempts, error)

    def once(self, attempt: Callable[[], None], settle: Callable[[float], bool]) -> None:
        """
        Makes a write whose repetition would have an effect. `settle` reads whether it has happened
        since that time of the service. This also covers the death of this process: before the
        attempt the state says that an outcome is open.
        """
        state = self._state
        is_stale = state.is_rebuilt or state.stale_at_ms is not None
        is_unknown, self._is_unsettled = self._is_unsettled or is_stale, False
        attempts = 0
        while True:
            attempts += 1
            try:
                since_ms = state.attempting_since_ms
                if state.is_rebuilt:
                    since_ms = self._session.service_time_of(self._begun_at_ms)
                elif state.stale_at_ms is not None:
                    stale_ms = self._session.service_time_of(state.stale_at_ms) - _CLOCK_SLACK_MS
                    since_ms = min(since_ms or stale_ms, stale_ms)
                if is_unknown and since_ms is not None:
                    if settle(since_ms):
                        return
                    is_unknown = False
                is_first = state.attempting_since_ms is None
                if is_first:
                    state.attempting_since_ms = self._session.server_time_ms() - _CLOCK_SLACK_MS
                    self._keep()
                try:
                    attempt()
                    return
                except LosslessError as error:
                    is_unknown = is_transient(error) and not nothing_ran(error)
                    if is_first and not is_unknown:
                        state.attempting_since_ms = None
                    raise
            except LosslessError as error:
                self._again(attempts, error)

    def _again(self, attempts: int, error: LosslessError) -> None:
        if is_about_content(error) or not self._may_retry(error):
            raise error
        self._wait(attempts, error)

    def _send_points(self, points: Rows, left: _Left) -> None:
        """Settles points in `left`. Raises why the rest is not settled."""
        outcome = self._columns.send(points)
        if outcome is not None:
            return self._settle_columns(points, left, outcome)
        each = list(points)
        for at in range(0, len(each), EVENTS_PER_REQUEST_MAX):
            self._send_events(each[at : at + EVENTS_PER_REQUEST_MAX], left)
        self._columns.answered_as_events()

    def _settle_columns(self, points: Rows, left: _Left, outcome: Outcome) -> None:
        again: EventRefused | None = None
        if not outcome.refused:
            left.settle_all(points)
        else:
            for index, point in enumerate(points):
                error = outcome.refused.get(index)
                if error is not None and error.retryable:
                    again = error
                    continue
                left.settle(point)
                if error is not None:
                    self._refuse(point, error)
        self._tally.stored += len(points) - len(outcome.refused)
        self._tally.deduplicated += outcome.deduplicated
        if again is not None:
            raise again

    def _send_events(self, points: list[Point], left: _Left) -> None:
        try:
            body = self._session.post(self._body(points))
        except RequestRefused as error:
            # A proxy in between may refuse bodies of this size.
            if not is_about_content(error) and (error.status != 413 or len(points) == 1):
                raise
            return self._divide(points, left, error)
        try:
            replies = json.loads(body)
            ids = [reply["correlationId"] for reply in replies]
            names = {reply["event"] for reply in replies}
        except (ValueError, TypeError, KeyError):
            raise ConnectionFailed("the reply does not answer the events that were sent") from None
        if ids != [f"{self._prefix}-{point.number}" for point in points]:
            raise ConnectionFailed("the reply does not answer the events that were sent")
        if names == {f"{EVENT_PREFIX}metricRecorded"}:
            self._tally.stored += len(points)
            self._tally.deduplicated += body.count(b'"deduplicated":true')
            for point in points:
                left.settle(point)
            return
        self._settle_each(points, left, outcomes_of(body, ids))

    def _settle_each(self, points: list[Point], left: _Left, outcomes: Sequence[Any]) -> None:
        again: EventRefused | None = None
        for point, outcome in zip(points, outcomes):
            if isinstance(outcome, EventRefused) and outcome.retryable:
                again = outcome
                continue
            left.settle(point)
            if isinstance(outcome, EventRefused):
                self._refuse(point, outcome)
            else:
                self._tally.stored += 1
                self._tally.deduplicated += outcome.get("deduplicated") is True
        if again is not None:
            raise again

    def _divide(self, points: list[Point], left: _Left, error: RequestRefused) -> None:
        """
        Sends halves of a body that was refused as a whole, until the responsible point is found.
        """
        if len(points) == 1:
            left.settle(points[0])
            return self._refuse(points[0], error)
        middle = len(points) // 2
        self._send_events(points[:middle], left)
        self._send_events(points[middle:], left)

    def _refuse(self, point: Point, error: LosslessError) -> None:
        self._tally.refuse(1, str(error), name=point.name, step=point.step)

    def _body(self, points: Sequence[Point]) -> bytes:
        experiment_id = encode(self._session.experiment_id)
        head = f'"event":"{EVENT_PREFIX}experiment.metric","data":{{"experimentId":{experiment_id}'
        prefix = self._prefix
        texts = [
            f'{{"messageId":"{prefix}-{number}",{head},"timestampMs":{timestamp_ms},"step":{step},'
            f'"metricName":{encode(name)},"metricValue":{value!r},"meta":{meta_json}}}}}'
            for number, timestamp_ms, step, name, value, meta_json in points
        ]
        return f"[{','.join(texts)}]".encode("ascii")

    def _send_annotations(self, left: list[Annotation]) -> None:
        """Removes settled annotations from `left`. Raises why the rest is not settled."""
        ids = [str(uuid.uuid4()) for _ in left]
        envelopes = [
            {
                "messageId": id,
                "event": f"{EVENT_PREFIX}experiment.annotate",
                "data": {"experimentId": self._session.experiment_id, "annotation": item.text, "meta": item.meta},
            }
            for id, item in zip(ids, left)
        ]
        outcomes = outcomes_of(self._session.post(json.dumps(envelopes).encode("ascii")), ids)
        kept: list[Annotation] = []
        again: EventRefused | None = None
        for item, outcome in zip(left, outcomes):
            if isinstance(outcome, EventRefused) and outcome.retryable:
                kept.append(item)
                again = outcome
            elif isinstance(outcome, EventRefused):
                self._tally.refuse(1, str(outcome), annotation=item.text[:80])
            else:
                self._tally.annotated(str(outcome["annotationId"]), int(outcome["createdAtMs"]))
        left[:] = kept
        if again is not None:
            raise again

    def _strike_stored(self, left: list[Annotation], since_ms: float) -> bool:
        """
        Removes waiting annotations that are stored, compared by text and meta. True: none is left.
        """
        data = {"experimentId": self._session.experiment_id}
        reply = self._session.service.single("query.annotations", data)
        own = {*self._state.own_annotations, *self._tally.own_annotations}
        stored: dict[str, list[Mapping[str, Any]]] = {}
        for one in reply["annotations"]:
            if one["createdAtMs"] >= since_ms and one["annotationId"] not in own:
                stored.setdefault(one["annotation"], []).append(one)
        for item in list(left):
            equal = stored.get(item.text, [])
            for one in equal:
                if one["meta"] == item.meta:
                    equal.remove(one)
                    left.remove(item)
                    self._tally.annotated(str(one["annotationId"]), int(one["createdAtMs"]))
                    break
        return not left

    def _envelope(self, event: str, data: Mapping[str, Any]) -> tuple[str, bytes]:
        id = str(uuid.uuid4())
        content = {"experimentId": self._session.experiment_id, **data}
        body = [{"messageId": id, "event": f"{EVENT_PREFIX}{event}", "data": content}]
        return id, json.dumps(body).encode("ascii")


class _Left:
    """The points of a request that are not settled. They are taken apart when some of them are."""

    def __init__(self, request: Rows) -> None:
        self._request = request
        self._each: dict[int | str, Point] | None = None

    def __len__(self) -> int:
        return len(self._request if self._each is None else self._each)

    def first(self, count: int) -> Rows:
        if self._each is None and len(self._request) <= count:
            return self._request
        return Rows.of(islice(self._apart().values(), count))

    def settle(self, point: Point) -> None:
        # An id that repeats in one request is settled once.
        self._apart().pop(point.number, None)

    def settle_all(self, points: Rows) -> None:
        if points is self._request:
            self._each = {}
            return
        for point in points:
            self.settle(point)

    def _apart(self) -> dict[int | str, Point]:
        if self._each is None:
            self._each = {point.number: point for point in self._request}
        return self._each
