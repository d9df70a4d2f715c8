"""Puts source and environment of a recording into its experiment's meta."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._origin.gathered import Gathering, gathered
from .._service.retry import is_about_content
from .._spool.head import RunInfo
from .._spool.sent_state import State, Tally
from .._spool.spool import DIFF_FILE
from .._values.origin import SOURCE, origin_of, replaced_by
from .delivery import Annotation, Delivery
from .experiment_opening import Opening
from .stored_version import stored_version

_LOOK_SECONDS = 0.2
# Between attempts to store the diff, while the script records.
_AGAIN_SECONDS = 60.0


class RunOrigin:
    """
    Sends what was gathered: the facts as soon as they are there, the diff when it is stored as a
    version of the artifact `<slug>/source`. A script that waits for its end waits for neither:
    `State.origin_is_open` says that another process has to go on.
    """

    def __init__(
        self,
        directory: Path,
        info: RunInfo,
        state: State,
        opening: Opening,
        delivery: Delivery,
        settings: Callable[[], Settings],
        keep: Callable[[], None],
        gathering: Gathering | None,
    ) -> None:
        self._directory = directory
        self._info = info
        self._state = state
        self._opening = opening
        self._delivery = delivery
        self._settings = settings
        self._keep = keep
        self._gathering = gathering
        self._look_at = 0.0
        self._thread: threading.Thread | None = None
        self._stored: dict[str, Any] | LosslessError | None = None
        if info.origin is not None and not state.origin_is_told:
            state.origin_is_open = True

    def send_when_due(self, is_end: bool = False) -> None:
        """Sends what is there, without waiting for anything but the service."""
        if not self._state.origin_is_open or self._state.experiment_id is None:
            return
        if time.monotonic() < self._look_at and not is_end:
            return
        self._look_at = time.monotonic() + _LOOK_SECONDS
        if self._thread is not None and not self._thread.is_alive() and self._take_stored() is not None:
            self._look_at = time.monotonic() + _AGAIN_SECONDS
        else:
            self._send(is_last=False, stores=not is_end)

    def send(self) -> None:
        """Sends all of it, once nobody records. Raises why the diff cannot be stored now."""
        if self._state.experiment_id is None:
            return
        if self._gathering is not None:
            self._gathering.wait_while(lambda: True)
        self._send(is_last=True, stores=True)
        if self._thread is not None:
            self._thread.join()
            problem = self._take_stored()
            if problem is not None:
                raise problem
            self._send(is_last=True, stores=False)

    def _send(self, is_last: bool, stores: bool) -> None:
        """`is_last`: nobody gathers any more; `stores`: the diff may be stored now."""
        found = gathered(self._directory, self._info.origin or {}, is_last)
        if found is None:
            return
        origin, diff = origin_of(found), found.get("diff")
        if diff is not None and self._state.origin_diff is not None:
            origin[SOURCE] = {**origin.get(SOURCE, {}), "diff": {**self._state.origin_diff, **diff}}
        # Where a newer recording's stays, nothing would name the file.
        is_whole = diff is None or self._state.origin_diff is not None or self._state.is_superseded
        if is_whole or not self._state.origin_is_told:
            self._tell(origin)
            self._state.origin_is_open = not is_whole
            self._state.attempting_since_ms = None
            self._keep()
        if not is_whole and stores and self._thread is None:
            self._thread = threading.Thread(target=self._store, daemon=True)
            self._thread.start()

    def _tell(self, origin: Mapping[str, Any]) -> None:
        """Replaces what earlier recordings left, and notes it; what a newer one left stays."""
        state = self._state
        if not state.origin_is_told and state.earlier_origin is None:
            stored = origin_of((self._opening.record() or {"meta": {}})["meta"])
            before, after = (origin, stored) if state.is_superseded else (stored, origin)
            state.earlier_origin = replaced_by(before, after) or None
            self._keep()
        if not state.is_superseded:
            try:
                self._opening.add_origin(origin)
            except LosslessError as error:
                if not is_about_content(error):
                    raise
                refused = Tally()
                refused.refuse(1, str(error), write="source and environment")
                state.add(refused)
        if state.earlier_origin is not None:
            self._opening.ensure()
            note = {"kind": "source", **state.earlier_origin}
            self._delivery.annotations([Annotation("source and environment of an earlier recording", note)])
        state.earlier_origin = None
        state.origin_is_told = True

    def _store(self) -> None:
        """Stores the diff, in a thread: points do not wait for a store."""
        artifact = f"{self._info.slug}/source"
        meta = {"experiment": self._info.slug, "kind": "source"}
        try:
            version = stored_version(self._settings(), artifact, meta, [(self._directory / DIFF_FILE, DIFF_FILE)])
            self._stored = {"artifact": artifact, "version": version, "path": DIFF_FILE}
        except LosslessError as error:
            self._stored = error
        except Exception as error:
            self._stored = LosslessError(f"{type(error).__name__}: {error}")

    def _take_stored(self) -> LosslessError | None:
        """Takes the outcome of the thread; returns why the diff has to be stored later."""
        stored, self._stored, self._thread = self._stored, None, None
        if isinstance(stored, dict):
            self._state.origin_diff = stored
        elif stored is not None and is_about_content(stored) and getattr(stored, "code", "") != "not_ready":
            refused = Tally()
            refused.refuse(1, f"the diff of the source: {stored}")
            self._state.add(refused)
            self._state.origin_is_open = False
        else:
            return stored or LosslessError("the diff was not stored")
        self._keep()
        return None
