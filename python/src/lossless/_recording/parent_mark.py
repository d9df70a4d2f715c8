"""
Marks a process's recordings for the processes that it starts.

A child that records under the same name, as scripts do that `spawn` runs again, continues its
parent's experiment without beginning and ending it; so does one that is given its slug.
"""

from __future__ import annotations

import os

_NAME = "LOSSLESS_RECORDING_PARENT"


def mark(slug: str, label: str, attempt: str) -> None:
    """
    Marks a recording for children. `label`: project and name, as given by the script; `attempt`:
    the id of the attempt, which theirs belong to.
    """
    os.environ[_NAME] = "\n".join([*_marks(), f"{os.getpid()} {slug}\t{label}\t{attempt}"])


def unmark(slug: str) -> None:
    left = [each for each in _marks() if not each.startswith(f"{os.getpid()} {slug}\t")]
    if left:
        os.environ[_NAME] = "\n".join(left)
    else:
        os.environ.pop(_NAME, None)


def is_recorded_by_parent(slug: str) -> bool:
    return any(own == slug for own, _, _ in _of_parents())


def slug_of_parent(label: str) -> str | None:
    """Returns the slug of the last recording that a parent began under this label."""
    return next((slug for slug, own, _ in reversed(_of_parents()) if own == label), None)


def attempt_of_parent(slug: str) -> str | None:
    """Returns the attempt of the parent that records into this experiment."""
    return next((attempt for own, _, attempt in reversed(_of_parents()) if own == slug and attempt), None)


def _of_parents() -> list[tuple[str, str, str]]:
    """Returns the slugs, labels and attempts of recordings that parents began."""
    found = []
    for each in _marks():
        process, _, names = each.partition(" ")
        slug, label, attempt = [*names.split("\t"), "", ""][:3]
        if process.isdigit() and int(process) != os.getpid() and _is_alive(int(process)):
            found.append((slug, label, attempt))
    return found


def _marks() -> list[str]:
    return [each for each in os.environ.get(_NAME, "").split("\n") if each]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
