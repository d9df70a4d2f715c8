"""The experiment behind a callback: one that somebody has begun, or its own."""

from __future__ import annotations

from typing import Any

from .._init import init
from .._module import current


class Recording:
    """Begins when it is first needed: a callback can be made, copied and pickled before the training."""

    def __init__(self, experiment: Any, arguments: dict[str, Any]) -> None:
        self._given = experiment
        self._arguments = arguments
        self._experiment: Any = experiment
        self._is_own = False

    @property
    def has_begun(self) -> bool:
        return self._experiment is not None

    @property
    def experiment(self) -> Any:
        if self._experiment is None and not self._arguments:
            self._experiment = current()
        if self._experiment is None:
            self._experiment = init(**self._arguments)
            self._is_own = True
        return self._experiment

    def finish(self, error: str | None = None) -> None:
        """Ends what was begun here; another training with the same callback begins again."""
        if self._is_own:
            self._experiment.finish(error=error)
        self._experiment = self._given
        self._is_own = False


def absent(framework: str, package: str, error: ImportError) -> ImportError:
    """What to raise when the framework cannot be imported."""
    return ImportError(
        f"this integration needs {framework}, which cannot be imported ({error}): pip install {package}",
        name=error.name,
    )
