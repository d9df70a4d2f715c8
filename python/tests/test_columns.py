"""Points as columns: their bytes, and that each point is stored once wherever they do not pass."""

from __future__ import annotations

import json
import random
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from fault_proxy import FaultProxy
from service import WithService

from lossless._ground.errors import ConnectionFailed, LosslessError, RequestRefused
from lossless._sending.columns import columns_body, outcome_of
from lossless._sending.delivery import Delivery
from lossless._sending.point import Point
from lossless._sending.rows import Row, Rows, rows_of
from lossless._service.service import Service
from lossless._service.session import Session
from lossless._spool.sent_state import State


def point(number: int | str, step: int = 0, name: str = "loss", value: float = 1.0, meta: str = "{}") -> Point:
    return Point(number, 1, step, name, value, meta)


def _rows(chance: random.Random, count: int) -> Iterator[Row]:
    """Rows of one point to twelve, with numbers that go on, jump or are texts."""
    number = chance.randrange(100)
    for at in range(count):
        size = chance.choice([1, 2, 3, 12])
        names = tuple(f"{name}{'x' * chance.choice([0, 0, 90])}" for name in range(size))
        meta = chance.choice(["{}", '{"rank":"1"}'])
        values = tuple(chance.random() for _ in names)
        if size == 1 and chance.random() < 0.3:
            yield Row(f"text {at}", at, at, names, values, meta)
            continue
        number += chance.choice([0, 0, 7])
        yield Row(number, at, at, names, values, meta)
        number += size


class Bytes(unittest.TestCase):
    def test_golden_bytes(self) -> None:
        """Those of the service's own test."""
        points = [
            Point(7, 1_700_000_000_000, 0, "loss", 0.1, "{}"),
            Point(8, 1_700_000_000_001, 1, "a", -0.0, "{}"),
            Point("é-x-", 0, 2**53 - 2, "loss", 5e-324, "{}"),
        ]
        head = b'{"partitions":[{"metricName":"loss","meta":{}},{"metricName":"a","meta":{}}],"prefixes":["p"]}  '
        expected = (
            "4c436f6c01000000030000006000000002000000010000000700000000000000"
            + head.hex()
            + "0000000000000000000000000000f03ffeffffffffff3f43"
            + "00008056febc784200108056febc78420000000000000000"
            + "9a9999999999b93f00000000000000800100000000000000"
            + "0000000000001c4002000000000000000000000000000000"
            + "01000000ffffffff000000000100000000000000"
            + "0700702dc3a92d782d"
        )
        body = columns_body("p", Rows.of(points))
        assert body is not None
        self.assertEqual(expected, body[:-4].hex())

    def test_a_body_that_the_service_does_not_take_is_left_to_events(self) -> None:
        self.assertIsNone(columns_body("p", Rows.of([point(0, value=10**400)])))
        self.assertIsNone(columns_body("p", Rows.of(point(n, name=f"{n}{'x' * 240}") for n in range(600))))
        self.assertIsNone(columns_body("p", Rows.of(point(n) for n in range(65_537))))

    def test_rows_are_the_same_bytes_as_their_points(self) -> None:
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        for _ in range(200):
            rows = Rows(_rows(chance, chance.randrange(1, 30)))
            apart = Rows.of(rows)
            self.assertEqual(list(rows), list(apart), f"seed {seed}")
            self.assertEqual(columns_body("p", rows), columns_body("p", apart), f"seed {seed}")

    def test_requests_hold_all_points_in_order_within_their_bounds(self) -> None:
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        for _ in range(300):
            rows = Rows(_rows(chance, chance.randrange(30)))
            most, bytes_max = chance.choice([1, 3, 10, 100]), chance.choice([100, 500, 3_000, 10**6])
            requests = list(rows.requests(lambda most=most: most, bytes_max))
            self.assertEqual(list(rows), [each for request in requests for each in request], f"seed {seed}")
            for request in requests:
                size = sum(220 + len(each.name) + len(each.meta_json) for each in request)
                self.assertTrue(0 < len(request) <= most, f"seed {seed}")
                self.assertTrue(len(request) == 1 or size <= bytes_max, f"seed {seed}")

    def test_a_value_that_a_later_one_has_replaced_is_no_point(self) -> None:
        record = ["m", 5, 1, 2, {"a": None, "b": 1.5, "c": 2}, {"x": 1}]
        self.assertEqual(
            [Point(6, 1, 2, "b", 1.5, '{"x":1}'), Point(7, 1, 2, "c", 2, '{"x":1}')], list(Rows(rows_of(record)))
        )

    def test_another_answer_is_no_acknowledgement(self) -> None:
        good: dict[str, Any] = {"points": 3, "stored": 1, "deduplicated": 1, "refused": [{"code": "x", "points": [2]}]}
        self.assertEqual("x", outcome_of(json.dumps(good).encode(), 3).refused[2].code)
        for more in ({"points": 4}, {"stored": 2}, {"refused": []}, {"refused": [{"points": [7]}]}, {"refused": 1}):
            with self.assertRaises(ConnectionFailed):
                outcome_of(json.dumps({**good, **more}).encode(), 3)
        for text in (b"<html>", b"[]", b"1"):
            with self.assertRaises(ConnectionFailed):
                outcome_of(text, 3)


class Sending(WithService):
    def setUp(self) -> None:
        self.calls = Service(self.service.url, lambda: self.service.key)
        self.addCleanup(self.calls.close)
        self.session = Session(self.calls, f"columns/{self._testMethodName}", "", {})
        self.session.open()
        self.state = State()
        # Requests with points, `c` or `e` each.
        self.sent = ""
        self.waits: list[str] = []
        # The failures before each of these pauses.
        self.attempts: list[int] = []
        request = self.calls.http.request
        self.fault: Callable[[], LosslessError | None] = lambda: None
        self.faults_of_events: list[LosslessError | None] = []

        def watched(method: str, path: str, **others: Any) -> Any:
            is_columns = path.endswith("/columns")
            self.sent += "c" if is_columns else "e" if "/experiments/" in path else ""
            error = self.fault() if is_columns else None
            if self.sent.endswith("e") and self.faults_of_events:
                error = self.faults_of_events.pop()
            if error is not None:
                raise error
            return request(method, path, **others)

        self.calls.http.request = watched  # type: ignore[method-assign]

    def delivery(self) -> Delivery:
        def wait(attempts: int, error: LosslessError) -> None:
            self.attempts.append(attempts)
            self.waits.append(str(error))

        return Delivery(self.session, "p", self.state, wait, lambda: None)

    def points(self, count: int, first: int = 0) -> list[Point]:
        meta = ["{}", '{"rank":"1"}']
        return [point(n, n, f"metric_{n % 2}", n / 7, meta[n % 2]) for n in range(first, first + count)]

    def expect(self, count: int) -> None:
        """Each point is stored once, with its value."""
        self.assertEqual((count, 0), (self.state.stored, self.state.refused))
        stored = [(step, value) for each in self.service.points(self.session.slug).values() for step, value, _ in each]
        self.assertEqual([(n, n / 7) for n in range(count)], sorted(stored))

    def test_many_points_go_in_few_requests_and_few_as_events(self) -> None:
        delivery = self.delivery()
        delivery.points(self.points(12_000))
        self.assertEqual("cc", self.sent)
        delivery.points(self.points(99, 12_000))
        self.assertEqual("cce", self.sent)
        self.expect(12_099)

    def test_they_are_compressed_where_events_are(self) -> None:
        with FaultProxy(self.service.url) as proxy:
            calls = Service(proxy.url, lambda: self.service.key)
            self.addCleanup(calls.close)
            calls.http._is_near = False
            self.session.service = calls
            self.delivery().points(self.points(1_000))
            self.assertEqual((1, 1), (proxy.count("/columns HTTP"), proxy.count("Content-Encoding: gzip")))
        self.expect(1_000)

    def test_ids_of_every_kind_are_those_of_events(self) -> None:
        points = [
            *self.points(60),
            *(one._replace(number=f"text {one.number}") for one in self.points(60, 60)),
            *(one._replace(number=str(2 * one.number)) for one in self.points(60, 120)),  # type: ignore[operator]
            *self.points(60, 180)[::2],
        ]
        self.delivery().points(points)
        self.assertEqual("c", self.sent)
        self.session.column_versions = ()
        self.delivery().points(points)
        self.assertEqual("ce", self.sent)
        self.assertEqual((420, 210), (self.state.stored, self.state.deduplicated))

    def test_a_service_that_does_not_say_so_gets_events(self) -> None:
        self.session.column_versions = (2,)
        self.delivery().points(self.points(1_500))
        self.assertEqual("ee", self.sent)
        self.expect(1_500)

    def test_events_for_good_behind_a_proxy_that_refuses_them(self) -> None:
        self.fault = lambda: RequestRefused("Forbidden", 403, "http_403")
        delivery = self.delivery()
        for first in (0, 500, 1_000):
            delivery.points(self.points(500, first))
        self.assertEqual("ceee", self.sent)
        self.expect(1_500)

    def test_events_for_good_where_each_of_them_breaks_the_connection(self) -> None:
        self.fault = lambda: ConnectionFailed("reset")
        delivery = self.delivery()
        for first in range(0, 2_500, 500):
            delivery.points(self.points(500, first))
        self.assertEqual("cececeee", self.sent)
        self.expect(2_500)

    def test_events_for_good_where_each_of_them_arrives_too_slowly(self) -> None:
        faults = [RequestRefused("slow", 408, "request_timeout")] * 9
        self.fault = lambda: faults.pop() if faults else None
        delivery = self.delivery()
        for first in range(0, 2_500, 500):
            delivery.points(self.points(500, first))
        self.assertEqual(("cececeee", []), (self.sent, self.waits))
        self.expect(2_500)

    def test_events_for_good_where_each_of_them_arrives_changed(self) -> None:
        """By a proxy: plain or as gzip."""
        faults = [RequestRefused("changed", 400, code) for code in ("checksum_mismatch", "malformed_json")] * 2
        self.fault = lambda: faults.pop() if faults else None
        delivery = self.delivery()
        for first in range(0, 2_500, 500):
            delivery.points(self.points(500, first))
        self.assertEqual("cececeee", self.sent)
        self.expect(2_500)

    def test_events_that_arrive_too_slowly_are_sent_in_halves(self) -> None:
        self.session.column_versions = ()
        self.faults_of_events = [RequestRefused("slow", 408, "request_timeout")]
        self.delivery().points(self.points(600))
        self.assertEqual(("eee", ["slow"]), (self.sent, self.waits))
        self.expect(600)

    def test_a_failure_behind_a_part_that_has_arrived_is_the_first_of_the_rest(self) -> None:
        self.fault = lambda: ConnectionFailed("reset")
        lost = ConnectionFailed("lost")
        self.faults_of_events = [lost, lost, None, lost, None]
        self.delivery().points(self.points(4_000))
        self.assertEqual([1, 1, 2], self.attempts)
        self.expect(4_000)

    def test_what_the_service_asks_to_send_later_stays_columns(self) -> None:
        faults = [RequestRefused("wait", 503, "overloaded"), RequestRefused("what", 400, "validation_failed")]
        self.fault = lambda: faults.pop(0) if faults else None
        delivery = self.delivery()
        delivery.points(self.points(500))
        self.assertEqual(("cce", ["wait"]), (self.sent, self.waits))
        delivery.points(self.points(500, 500))
        self.assertEqual("ccec", self.sent)
        self.expect(1_000)

    def test_points_that_are_refused_are_counted_once(self) -> None:
        self.delivery().points(self.points(200))
        changed = [one._replace(value=-1.0) if one.number == 7 else one for one in self.points(300)]
        state = self.state = State()
        self.delivery().points(changed)
        self.assertEqual((299, 199, 1), (state.stored, state.deduplicated, state.refused))
