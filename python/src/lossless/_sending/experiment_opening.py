"""Opens a recording's experiment and puts it into its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._ground.errors import EventRefused, LosslessError
from .._service.retry import is_about_content
from .._service.session import Session
from .._spool.head import RunInfo
from .._spool.sent_state import State, Tally
from .._spool.tail import Placed
from .._values.origin import without_origin
from .newer_recording import NewerRecording

_REPLACED_KEPT = 20
_CONTENTS = (("description", "meta"), ("description",), ("meta",), ())


class Opening:
    """
    Opens the experiment. `retry(attempts, error)` is called before a retry, and raises to give up.
    """

    def __init__(
        self,
        session: Session,
        info: RunInfo,
        state: State,
        tally: Tally,
        newer: NewerRecording,
        retry: Callable[[int, LosslessError], None],
        keep: Callable[[], None],
    ) -> None:
        self._session = session
        self._info = info
        self._state = state
        self._tally = tally
        self._newer = newer
        self._retry = retry
        self._keep = keep
        # Contents replaced by our openings that changed something.
        self._replaced: list[dict[str, Any]] = []
        self._ours: dict[str, Any] = {}
        # The content since our last opening, until another client opens it.
        self._config: dict[str, Any] = {}

    def ensure(self) -> None:
        """Ensures a token, without changing anything."""
        if not self._session.is_open:
            self._until_done(self._session.open)
            self._state.experiment_id = self._session.experiment_id

    def apply(self, given: Mapping[str, Any]) -> None:
        """
        Sends an opening of the spool. Of several ranks only the first changes an existing
        experiment, and none does when a newer recording has; the first to come creates it, and puts
        it into its folder. Afterwards `State.earlier_config` has to be noted.
        """
        self._until_done(lambda: self._plan(given))
        if not self._info.is_primary or self._state.is_superseded:
            self._session.description = given.get("description", "")
            self._session.meta = given.get("meta", {})
            given = {}
        self._until_done(lambda: self._open(given))
        is_first = self._state.experiment_id is None
        self._state.experiment_id = self._session.experiment_id
        if is_first:
            self._newer.note_own()
        if self._state.filing is not None:
            self._file(self._state.filing)
            self._state.filing = None

    def add_origin(self, origin: Mapping[str, Any]) -> None:
        """Puts source and environment into the meta, where another rank may undo it."""
        self._until_done(lambda: self._remember(self._session.open({}, origin), origin))
        self._state.experiment_id = self._session.experiment_id

    def record(self) -> Mapping[str, Any] | None:
        """Reads the experiment as it is now."""
        found: list[Mapping[str, Any] | None] = []
        self._until_done(lambda: found.append(self._session.record()))
        return found[0]

    def look_for_newer(self) -> None:
        """Checks whether a newer recording has begun since the opening."""
        if not self._newer.is_settled():
            self._until_done(lambda: self._newer.look(self._session.record()))

    def look_for_others(self) -> None:
        """Checks before our start: a recording begun at the same moment had not started before."""
        if self._info.is_primary and not self._state.is_rebuilt:
            self._until_done(self._look_for_others)

    def _look_for_others(self) -> None:
        record = self._session.record()
        if record is not None and record["startedAtMs"] is not None:
            self._state.went_on = True

    def lost_config(self) -> dict[str, Any] | None:
        """
        Returns our config, when another recording has replaced it without noting it: it read the
        record before our opening, or before our start.
        """
        if not self._info.is_primary or not self._config:
            return None
        found: list[dict[str, Any]] = []
        self._until_done(lambda: found.extend(self._lost_configs()))
        return found[0] if found else None

    def _lost_configs(self) -> list[dict[str, Any]]:
        record = self._session.record()
        own = _as_read_back(self._config)
        if record is None or _as_read_back(without_origin(record["meta"])) == own:
            return []
        reply = self._session.service.single("query.annotations", {"experimentId": self._session.experiment_id})
        noted = [one["meta"].get("config") for one in reply["annotations"] if one["meta"].get("kind") == "config"]
        return [] if own in map(_as_read_back, noted) else [self._config]

    def confirm(self) -> None:
        """
        Sends ours again if another rank has undone it: one that opened the slug at the same moment
        has read it before our opening, and may have sent it after.
        """
        self._until_done(self._put_back)

    def _put_back(self) -> None:
        if not self._replaced:
            return
        record = self._session.record()
        if record is not None and _content_of(record) in self._replaced:
            self._session.open(self._ours)
        self._replaced = []

    def _plan(self, given: Mapping[str, Any]) -> None:
        """
        Plans an opening, and writes that to the state before the experiment is opened: afterwards
        it is no longer new, and its config is ours. When the opening is repeated, after a lost
        reply or by another sender, the first plan stays.
        """
        if not self._info.is_primary:
            given = {}
        state = self._state
        is_first = state.experiment_id is None
        if is_first or not self._newer.is_settled():
            record = self._session.record()
            self._newer.look(record)
            if is_first and record is None and self._info.folder is not None:
                state.filing = self._info.folder
            elif record is not None and state.earlier_config is None:
                self._plan_note(given, record, is_first)
        if "folder" in given and not state.is_superseded:
            state.filing = given["folder"]
        self._keep()

    def _plan_note(self, given: Mapping[str, Any], record: Mapping[str, Any], is_first: bool) -> None:
        """Plans a note where the name was used before, maybe by mistake: no config is lost."""
        config = without_origin(record["meta"])
        is_other = "meta" in given and config != given["meta"]
        if self._state.is_superseded:
            if is_other and given["meta"] != {}:
                self._state.earlier_config = given["meta"]
        elif is_first and self._info.is_primary and record["startedAtMs"] is not None and not self._is_own(record):
            self._state.went_on = True
            if is_other and config != {}:
                self._state.earlier_config = config

    def _is_own(self, record: Mapping[str, Any]) -> bool:
        begun_ms = self._session.service_time_of(self._info.created_at_ms)
        return self._state.is_rebuilt and bool(record["startedAtMs"] >= begun_ms)

    def _open(self, given: Mapping[str, Any]) -> None:
        """Opens the experiment; content that the service refuses must not hold up the points."""
        reason: LosslessError | None = None
        tried: list[dict[str, Any]] = []
        for names in _CONTENTS:
            part = {name: given[name] for name in names if name in given}
            if part in tried:
                continue
            tried.append(part)
            try:
                before = self._session.open(part)
            except LosslessError as error:
                if not names or not is_about_content(error):
                    raise
                reason = reason or error
                continue
            if "meta" in given and "meta" not in part:
                # The config was not replaced.
                self._state.earlier_config = None
            if before is not None:
                # Another recording may have begun since it was planned.
                self._plan_note(part, before, self._state.experiment_id is None)
            self._config = without_origin(part.get("meta", self._config))
            self._remember(before, part)
            if reason is not None:
                for name in _CONTENTS[0]:
                    if name in given and name not in part:
                        self._tally.refuse(1, str(reason), write=name)
            return

    def _remember(self, record: Mapping[str, Any] | None, part: Mapping[str, Any]) -> None:
        if record is None or not part:
            return
        before = _content_of(record)
        self._ours = self._session.content
        # Content that we have requested again is no longer stale.
        self._replaced = [each for each in [*self._replaced, before] if each != self._ours][-_REPLACED_KEPT:]

    def _file(self, folder: list[str]) -> None:
        try:
            self._until_done(lambda: self._session.move(folder), _is_refused)
        except LosslessError as error:
            if not _is_refused(error):
                raise
            self._tally.refuse(1, str(error), write="folder", folder="/".join(folder))

    def _until_done(
        self, attempt: Callable[[], Any], is_final: Callable[[BaseException], bool] = is_about_content
    ) -> None:
        attempts = 0
        while True:
            attempts += 1
            try:
                attempt()
                return
            except LosslessError as error:
                if is_final(error):
                    raise
                self._retry(attempts, error)


def without_replaced(placed: list[Placed], is_first: bool) -> list[Placed]:
    """
    Leaves out openings replaced by later ones waiting with them: their place among points means
    nothing. `is_first`: the first one creates the experiment.
    """
    kept: list[Placed] = []
    first = next((each for each in placed if _is_opening(each)), None) if is_first else None
    # The members given by the next opening that is kept.
    later: set[str] | None = None
    for each in reversed(placed):
        if _is_opening(each):
            assert each.record is not None
            given = set(each.record[1])
            if later is not None and given <= later and each is not first:
                continue
            later = given
        kept.append(each)
    kept.reverse()
    return kept


def _is_opening(placed: Placed) -> bool:
    return placed.record is not None and placed.record[:1] == ["o"]


def _content_of(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": record["description"], "meta": record["meta"]}


def _is_refused(error: BaseException) -> bool:
    """Whether a folder is refused, for any reason: that must not hold up a recording."""
    return is_about_content(error) or (isinstance(error, EventRefused) and not error.retryable)


def _as_read_back(value: Any) -> Any:
    """The value as read back: large floats may come as integers, as they are printed."""
    if isinstance(value, dict):
        return {key: _as_read_back(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_read_back(each) for each in value]
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value
