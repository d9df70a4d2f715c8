"""The GPU of a Mac, from the registry of its devices: power and temperature would need root."""

from __future__ import annotations

import plistlib
from xml.parsers.expat import ExpatError

from .numbers import known, number_of
from .programs import ProgramFailed, answer_of

PROGRAM = "ioreg"


class Apple:
    def __init__(self, program: str) -> None:
        self._program = program

    def read(self) -> dict[str, float]:
        found = [each for each in registry_of(self._program, "IOAccelerator") if _is_told(each)]
        if not found:
            raise ProgramFailed
        return {
            f"{index}/{name}": value
            for index, each in enumerate(found)
            for name, value in _values_of(each["PerformanceStatistics"]).items()
        }


def registry_of(program: str, kind: str) -> list[dict[str, object]]:
    """Returns the registry's entries of this class. Raises ProgramFailed."""
    try:
        answer = plistlib.loads(answer_of(program, "-a", "-r", "-d", "1", "-c", kind).encode())
    except (ValueError, ExpatError, plistlib.InvalidFileException):
        raise ProgramFailed from None
    return [each for each in answer if isinstance(each, dict)] if isinstance(answer, list) else []


def _is_told(entry: dict[str, object]) -> bool:
    return isinstance(entry.get("PerformanceStatistics"), dict)


def _values_of(statistics: object) -> dict[str, float]:
    assert isinstance(statistics, dict)
    busy = [statistics.get(name) for name in ("Device Utilization %", "GPU Activity(%)", "Renderer Utilization %")]
    return known(
        {
            "utilization_percent": next((number_of(value) for value in busy if value is not None), None),
            "memory_used_bytes": number_of(statistics.get("In use system memory")),
        }
    )
