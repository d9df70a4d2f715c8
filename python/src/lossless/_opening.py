"""How a recording's experiment is opened and put into its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._errors import EventRefused, LosslessError
from ._retry import is_about_content
from ._session import Session
from ._spool import RunInfo
from ._state import State, Tally

_CONTENTS = (("description", "meta"), ("description",), ("meta",), ())


class Opening:
    """`retry(attempts, error)` is called before something is tried again, and raises to give up."""

    def __init__(
        self,
        session: Session,
        info: RunInfo,
        state: State,
        tally: Tally,
        retry: Callable[[int, LosslessError], None],
        keep: Callable[[], None],
    ) -> None:
        self._session = session
        self._info = info
        self._state = state
        self._tally = tally
        self._retry = retry
        self._keep = keep

    def ensure(self) -> None:
        """A token is there, and nothing was changed for it."""
        if not self._session.is_open:
            self._until_done(self._session.open)
            self._state.experiment_id = self._session.experiment_id

    def apply(self, given: Mapping[str, Any]) -> None:
        """
        An opening of the spool. Of several ranks only the first changes an experiment that exists; whichever comes
        first makes it, and puts it into its folder.
        """
        if not self._info.is_primary:
            self._session.description = given.get("description", "")
            self._session.meta = given.get("meta", {})
            given = {}
        self._until_done(lambda: self._plan_filing(given.get("folder")))
        self._until_done(lambda: self._open(given))
        self._state.experiment_id = self._session.experiment_id
        if self._state.filing is not None:
            self._file(self._state.filing)
            self._state.filing = None

    def _plan_filing(self, asked: list[str] | None) -> None:
        """Written down before the experiment is made: afterwards it is not new any more."""
        if asked is not None:
            self._state.filing = asked
        elif self._state.experiment_id is None and self._info.folder is not None and self._session.record() is None:
            self._state.filing = self._info.folder
        if self._state.filing is not None:
            self._keep()

    def _open(self, given: Mapping[str, Any]) -> None:
        """What the service does not take must not keep the points from it."""
        reason: LosslessError | None = None
        tried: list[dict[str, Any]] = []
        for names in _CONTENTS:
            part = {name: given[name] for name in names if name in given}
            if part in tried:
                continue
            tried.append(part)
            try:
                self._session.open(part)
            except LosslessError as error:
                if not names or not is_about_content(error):
                    raise
                reason = reason or error
                continue
            if reason is not None:
                for name in _CONTENTS[0]:
                    if name in given and name not in part:
                        self._tally.refuse(1, str(reason), write=name)
            return

    def _file(self, folder: list[str]) -> None:
        try:
            self._until_done(lambda: self._move(folder), _is_refused)
        except LosslessError as error:
            if not _is_refused(error):
                raise
            self._tally.refuse(1, str(error), write="folder", folder="/".join(folder))

    def _move(self, folder: list[str]) -> None:
        service = self._session.service
        parent: str | None = None
        for name in folder:
            try:
                parent = str(service.single("folder.create", {"name": name, "parentFolderId": parent})["folderId"])
            except EventRefused as error:
                if error.code != "folder_already_exists":
                    raise
                parent = str(error.details["folderId"])
        service.single("experiment.move", {"experimentSlug": self._session.slug, "folderId": parent})

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


def _is_refused(error: BaseException) -> bool:
    """A folder is no reason to hold a recording, whatever the service has against it."""
    return is_about_content(error) or (isinstance(error, EventRefused) and not error.retryable)
