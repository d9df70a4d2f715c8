"""Recordings of one name that begin at once: the experiment has one config, notes the others."""

from __future__ import annotations

import json
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from scripts import Scripts

from lossless._sending.experiment_opening import Opening
from lossless._sending.lifecycle import Lifecycle
from lossless._sending.sender import Sender

_RECORD = """
    import lossless, sys
    for lr in (1, 2, 3):
        run = lossless.init(id=sys.argv[1], config={"lr": lr}, mode=sys.argv[2], reinit="create_new")
        run.log({"x": float(lr)}, step=lr)
    """


class _Training:
    """A recording that is still going on."""

    def lives(self) -> bool:
        return True

    def is_ending(self) -> bool:
        return False

    def give_up_at(self, _trying_since: float) -> None:
        return None


class Simultaneous(Scripts):
    def test_a_cell_that_is_run_again_and_again(self) -> None:
        for number in range(2):
            slug = f"cell/{number}"
            self.good_file(_RECORD, slug, "online")
            self.sync_until_sent()
            self.assert_no_config_is_lost(slug)

    def test_all_have_read_the_record_before_the_first_one_opens(self) -> None:
        self.good_file(_RECORD, "read", "offline")
        barrier = threading.Barrier(3)
        plan = Opening._plan

        def plan_together(opening: Opening, given: Any) -> None:
            plan(opening, given)
            barrier.wait(60)

        with mock.patch.object(Opening, "_plan", plan_together):
            self.sent_together(self.spools())
        self.assert_no_config_is_lost("read")

    def test_all_are_opened_before_the_first_one_starts(self) -> None:
        self.good_file(_RECORD, "start", "offline")
        barrier = threading.Barrier(3)
        start = Lifecycle.start

        def start_together(lifecycle: Lifecycle) -> None:
            barrier.wait(60)
            start(lifecycle)

        with mock.patch.object(Lifecycle, "start", start_together):
            self.sent_together(self.spools())
        self.assert_no_config_is_lost("start")

    def test_one_that_is_over_notes_nothing_where_others_did(self) -> None:
        text = """
            import lossless
            first = lossless.init(id="noted", config={"lr": 1})
            first.log({"x": 1.0})
            print("first", flush=True); input()
            second = lossless.init(id="noted", config={"lr": 2}, reinit="create_new")
            print(second.finish(quiet=True).went_on, flush=True)
            print(first.finish(quiet=True).went_on, flush=True)
            """
        script = self.started(text)
        script.line()
        self.until(lambda: self.stored("noted", "x"), "the first one has begun")
        script.go_on()
        self.assertEqual(["True", "False"], [script.line(), script.line()])
        self.assertEqual([{"lr": 1}], self.notes("noted"))
        self.assertEqual({"lr": 2}, self.record("noted")["meta"])

    def sent_together(self, spools: list[Path]) -> None:
        senders = [Sender(spool, lambda: self.service.key, None, _Training()) for spool in spools]
        threads = [threading.Thread(target=sender.run) for sender in senders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)

    def notes(self, slug: str) -> list[Any]:
        return [one["meta"]["config"] for one in self.service.annotations(slug) if one["meta"]["kind"] == "config"]

    def assert_no_config_is_lost(self, slug: str) -> None:
        configs = [self.record(slug)["meta"], *self.notes(slug)]
        self.assertEqual({f'{{"lr": {lr}}}' for lr in (1, 2, 3)}, {json.dumps(config) for config in configs})
        self.assertEqual([(lr, float(lr)) for lr in (1, 2, 3)], self.stored(slug, "x"))


if __name__ == "__main__":
    unittest.main()
