"""Names of files in a version: the service's rule, checked before saving and before restoring."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence

from .._ground.errors import LosslessError
from .._ground.wire_numbers import PATH_BYTES_MAX, PATH_SEGMENT_BYTES_MAX

# Names that the service reserves for its manifest and for probe files.
_RESERVED = re.compile(r"_manifest\.json\Z|\.lossless-probe")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")


def file_name_problem(name: str) -> str | None:
    """
    Returns why a file cannot have this name in a version, or must not be written under it; None: it
    can.
    """
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not well-formed Unicode"
    if name == "":
        return "is empty"
    if _CONTROL.search(name):
        return "has control characters"
    if "\\" in name:
        return "has a backslash"
    if _DRIVE.match(name):
        return "begins with a drive letter"
    if _RESERVED.match(name):
        return "is reserved for the service"
    if size > PATH_BYTES_MAX:
        return f"has more than {PATH_BYTES_MAX} bytes"
    for word in name.split("/"):
        if word == "":
            return "begins or ends with a slash, or has two in a row"
        if word in (".", ".."):
            return f"has the part {word}"
        if len(word.encode("utf-8")) > PATH_SEGMENT_BYTES_MAX:
            return f"has a part of more than {PATH_SEGMENT_BYTES_MAX} bytes"
    return None


def check_target_names(names: Sequence[str]) -> None:
    """
    Refuses names that must not be written below a directory, before anything is written: they come
    from the version's writer. Each must stay inside, with no duplicates, and no name may be a file
    and a directory.
    """
    files: set[str] = set()
    for name in names:
        problem = file_name_problem(name)
        if problem is None and name in files:
            problem = "occurs twice"
        if problem is not None:
            raise _refused(name, problem)
        files.add(name)
    for name in names:
        for above in _above(name):
            if above in files:
                raise _refused(name, f"needs {above} to be a directory")


def clashing_names(names: Iterable[str]) -> tuple[str, str] | None:
    """
    Finds two names that are equal where case does not count, as on most Macs; None: there are none.
    """
    seen: dict[str, str] = {}
    for name in names:
        # Every prefix may clash, not only the whole path: A/x and a/y need one directory.
        for path in [*_above(name), name]:
            other = seen.setdefault(unicodedata.normalize("NFC", path).lower(), path)
            if other != path:
                return other, path
    return None


def _above(name: str) -> list[str]:
    words = name.split("/")
    return ["/".join(words[:count]) for count in range(1, len(words))]


def _refused(name: str, problem: str) -> LosslessError:
    return LosslessError(f"the version cannot be restored here: the file name {json.dumps(name)} {problem}")
