"""The start and the end of an experiment, and notes of the recordings that share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._service.session import Session
from .._spool.head import RunInfo
from .._spool.sent_state import State
from .._values.records import encode
from .delivery import Annotation, Delivery
from .experiment_opening import Opening
from .newer_recording import NewerRecording

# An annotation has room for 64 KiB.
_EARLIER_CONFIG_BYTES_MAX = 65_000


class Lifecycle:
    def __init__(
        self,
        session: Session,
        info: RunInfo,
        state: State,
        opening: Opening,
        newer: NewerRecording,
        delivery: Delivery,
        keep: Callable[[], None],
    ) -> None:
        self._session = session
        self._info = info
        self._state = state
        self._opening = opening
        self._newer = newer
        self._delivery = delivery
        self._keep = keep

    def open(self, given: Mapping[str, Any]) -> None:
        """Sends an opening of the spool."""
        self._opening.apply(given)
        self._note_config("the config of earlier recordings")
        if self._state.is_superseded:
            self._note_recording()

    def start(self) -> None:
        if not self._info.is_primary or self._state.is_superseded:
            return
        self._opening.ensure()
        if self._state.started_within is None:
            self._opening.look_for_others()
        self._note_recording()
        now_ms = self._session.server_time_ms()
        within = self._state.started_within = [(self._state.started_within or [now_ms])[0], now_ms]
        self._delivery.change(
            "experiment.start",
            {},
            lambda known, since: (
                (known["status"] == "running" or self._state.is_rebuilt) and (known["startedAtMs"] or 0) >= since
            ),
        )
        within[1] = self._session.server_time_ms()
        self._newer.note_own()
        self._state.is_started = True

    def end(self, status: str, message: str | None, meta: Mapping[str, Any], is_left: bool = False) -> None:
        if self._info.is_primary and self._state.finished is None:
            self._opening.ensure()
            self._opening.look_for_newer()
            if not self._state.is_superseded:
                self._opening.confirm()
            self._note_lost_config()
        if self._info.is_primary and self._state.finished is None and not self._state.is_superseded:
            if message is None:
                self._delivery.change(
                    "experiment.done",
                    {},
                    lambda known, since: known["status"] == "done" and (known["doneAtMs"] or 0) >= since,
                )
            else:
                self._delivery.change(
                    "experiment.error",
                    {"error": message, "meta": meta},
                    lambda known, since: (
                        known["status"] == "error" and known["error"] == message and (known["errorAtMs"] or 0) >= since
                    ),
                )
        self._state.finished = status
        self._state.is_left = is_left
        self._state.clock_ahead_seconds = self._session.clock_ahead_seconds
        self._keep()
        if self._session.is_open:
            self._delivery.revoke()

    def _note_recording(self) -> None:
        """Notes before its first point which recordings share the experiment, and from where on."""
        is_first = self._state.stored + self._state.deduplicated == 0
        if is_first and not self._info.is_resumed and (self._state.went_on or self._state.is_superseded):
            self._state.is_apart = self._info.is_primary
        if not self._state.went_on or self._state.is_noted or self._state.is_superseded:
            return
        step, word = self._info.starting_step, self._info.word
        text = f"resumed at step {step}" if self._info.is_resumed else "recorded again, without resume"
        note = {"kind": "recording", "recording": word, "resumed": self._info.is_resumed, "step": step}
        self._delivery.annotations([Annotation(f"{text} (recording {word})", note)])
        self._state.is_noted = True
        # The rest is an attempt of its own.
        self._state.attempting_since_ms = None
        self._keep()

    def _note_config(self, text: str) -> None:
        """Notes the config of another recording, or ours."""
        config = self._state.earlier_config
        if config is not None and len(encode(config)) <= _EARLIER_CONFIG_BYTES_MAX:
            note = Annotation(text, {"kind": "config", "config": config})
            self._delivery.annotations([note])
        # Written together with the place after the opening.
        self._state.earlier_config = None

    def _note_lost_config(self) -> None:
        self._state.earlier_config = self._opening.lost_config() or self._state.earlier_config
        if self._state.earlier_config is not None:
            self._note_config("the config of a recording that another one of this name replaced")
            # The end is an attempt of its own.
            self._state.attempting_since_ms = None
            self._keep()
