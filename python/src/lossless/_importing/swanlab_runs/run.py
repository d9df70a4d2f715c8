"""One run of SwanLab: its records, and the files beside them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..._console.line_maker import last_state
from ..._ground.errors import LosslessError
from ..._media.media import FILE_BYTES_MAX, Media
from ..._tensorboard.plain_yaml import plain_yaml
from ..._tensorboard.protobuf import bytes_in, double_in, fields
from ..record_log import Damage, Form, NotRecords, records_of
from ..source import Item, LeftOut, Line, Logged, Number, SourceRun, StoredFile, Text
from ..stored_file import FileMedia, is_inside, kind_of_file
from ..wandb_runs import record as records

# As SwanLab writes it since 0.10; the form before it had JSON in it.
FORM = Form(b":SWL", 0xE1D6, 2, ".swanlab")
# Fields of a record.
_START, _FINISH, _COLUMN, _SCALAR, _MEDIA, _LOG, _SAVE = 10, 11, 12, 13, 14, 16, 20
_KINDS = {2: "image", 3: "audio", 4: "text", 5: "video", 6: "echarts", 7: "object3d", 8: "molecule", 9: "html"}
_ENDED = {2: "SwanLab says that the run crashed", 3: "SwanLab says that the run was aborted"}
_SYSTEM = 2
_DAMAGES_TOLD = 10
# Raised by content that SwanLab has not written.
_DAMAGES = (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, struct.error)


class SwanlabRun(SourceRun):
    def __init__(self, path: Path) -> None:
        self._path = path
        self._reset()
        project, run_id = self._identity()
        # A run that does not say which it is has the name of its file.
        self.key = f"{project}/{run_id}" if run_id else path.parent.name
        self.slug = self.key

    def _reset(self) -> None:
        super()._reset()
        # Columns of the machine's metrics, by their keys.
        self._systems: set[str] = set()
        self._start_ms = 0
        self._damages = 0
        self._media: set[Path] = set()

    @property
    def place(self) -> str:
        return str(self._path)

    @property
    def size(self) -> int:
        return self._path.stat().st_size

    def items(self) -> Iterator[Item]:
        self._reset()
        head = self.head
        head.status, head.error = "error", "the SwanLab run has no end: its process was killed, or goes on"
        try:
            for each in records_of(self._path, FORM):
                if isinstance(each, Damage):
                    self._damaged(each)
                    continue
                try:
                    yield from self._record(each.content, str(each.offset))
                except _DAMAGES as error:
                    self._damaged(Damage(each.offset, f"it is no record of SwanLab: {error}"))
        except NotRecords as error:
            raise LosslessError(str(error)) from None
        self._configure()

    def files(self) -> Iterable[StoredFile]:
        found: list[StoredFile] = []
        for directory, above in ((self._path.parent / "files", ""), (self._path.parent / "media", "media/")):
            for path in sorted(directory.rglob("*")):
                if not path.is_file() or path in self._media:
                    continue
                name = f"{above}{path.relative_to(directory).as_posix()}"
                if is_inside(path, self._path.parent):
                    found.append(StoredFile(path, name))
                else:
                    self.leave_out(f"file {name}", "it is a link out of the run")
        return found

    # ---- records

    def _identity(self) -> tuple[str, str]:
        try:
            for each in records_of(self._path, FORM):
                content = b"" if isinstance(each, Damage) else records.member(each.content, _START)
                if content:
                    texts = records.text_members(content)
                    return _last(texts, 1) or "swanlab", _last(texts, 10)
        except (OSError, NotRecords, *_DAMAGES):
            pass
        return "", ""

    def _damaged(self, damage: Damage) -> None:
        self._damages += 1
        if self._damages <= _DAMAGES_TOLD:
            self.problems.append(f"damaged: {self._path} at {damage.offset}: {damage.reason}")

    def _record(self, content: bytes, id: str) -> Iterator[Item]:
        for number, inner in fields(content):
            if number == _SCALAR:
                yield from self._scalar(bytes_in(inner), id)
            elif number == _MEDIA:
                yield from self._logged(bytes_in(inner), id)
            elif number == _LOG:
                line = bytes_in(inner)
                stream = "stderr" if records.integer(line, 2) == 1 else "stdout"
                text = _last(records.text_members(line), 1).removesuffix("\n")
                for each in text.split("\n"):
                    yield Line(records.milliseconds(records.member(line, 3)), stream, last_state(each))
            elif number == _COLUMN:
                column = bytes_in(inner)
                if records.integer(column, 1) == _SYSTEM:
                    self._systems.add(_last(records.text_members(column), 3))
            elif number == _START:
                self._started(bytes_in(inner))
            elif number == _FINISH:
                self._finished(bytes_in(inner))

    def _scalar(self, content: bytes, id: str) -> Iterator[Item]:
        name = _last(records.text_members(content), 1)
        step, timestamp_ms = records.integer(content, 2), records.milliseconds(records.member(content, 4))
        value = _double(records.member(content, 5))
        if name in self._systems:
            # As the client's own metrics of the machine: the step is the age of the run in seconds.
            name = f"system/{name.removeprefix('__swanlab__.')}"
            step = max(0, (timestamp_ms - self._start_ms) // 1000)
        yield Number(id, name, step, timestamp_ms, value)

    def _logged(self, content: bytes, id: str) -> Iterator[Item]:
        name = _last(records.text_members(content), 1)
        step, timestamp_ms = records.integer(content, 2), records.milliseconds(records.member(content, 4))
        kind = _KINDS.get(records.integer(content, 3), "unknown")
        media: list[Media] = []
        for place, item in enumerate(records.members(records.member(content, 5), 1)):
            texts = records.text_members(item)
            file = self._path.parent / "media" / kind / Path(_last(texts, 1)).name
            if not file.is_file() or not is_inside(file, self._path.parent):
                self.leave_out(f"{kind} of {name}", f"its file is missing: {file.name}")
                continue
            if kind == "text":
                self._media.add(file)
                yield Text(
                    f"{id}-{place}", name, step, timestamp_ms, file.read_text(encoding="utf-8", errors="replace")
                )
                continue
            found = kind_of_file(file)
            if found is None or file.stat().st_size > FILE_BYTES_MAX:
                self.leave_out(f"{kind} of {name}", "it is only among the files of the run")
                continue
            self._media.add(file)
            media.append(FileMedia(found[0], file, found[1], caption=_last(texts, 4) or None))
        if media:
            yield Logged(id, name, step, timestamp_ms, media)

    # ---- the head

    def _started(self, content: bytes) -> None:
        texts, head = records.text_members(content), self.head
        head.name = _last(texts, 4) or None
        head.notes = _last(texts, 5)
        head.tags = texts.get(6, [])
        head.group = _last(texts, 7) or None
        head.job_type = _last(texts, 8) or None
        self._start_ms = records.milliseconds(records.member(content, 12))
        head.facts.update({"startedAtMs": self._start_ms or None, "workspace": _last(texts, 2) or None})

    def _finished(self, content: bytes) -> None:
        head, state = self.head, records.integer(content, 1)
        error = _last(records.text_members(content), 2)
        head.status = "done" if state == 1 else "error"
        head.error = "" if state == 1 else error[:1000] or _ENDED.get(state, "the SwanLab run has no end")
        head.facts["endedAtMs"] = records.milliseconds(records.member(content, 3)) or None

    def _configure(self) -> None:
        path = self._path.parent / "files" / "config.yaml"
        if not path.is_file():
            return
        config, beyond = plain_yaml(path.read_text(encoding="utf-8", errors="replace"))
        self.left_out.update({LeftOut(f"config {name}", "its YAML is not understood"): 1 for name in beyond})
        self.head.config = {
            str(name): each["value"] if isinstance(each, dict) and "value" in each else each
            for name, each in config.items()
        }


def _last(texts: dict[int, list[str]], number: int) -> str:
    return texts.get(number, [""])[-1]


def _double(content: bytes) -> float:
    """Returns the number of a value; one of 0 is not written."""
    found = 0.0
    for number, field in fields(content):
        if number == 1:
            found = double_in(field)
    return found
