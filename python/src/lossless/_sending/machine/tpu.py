"""TPUs of Google, as `tpu-info` tells them: it asks libtpu in the process that holds the chips."""

from __future__ import annotations

import re

from .numbers import bytes_of, known, memory_of, number_of
from .programs import ProgramFailed, answer_of

PROGRAM = "tpu-info"

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MEMORY = re.compile(r"([\d.]+)\s*([KMGT])iB\s*/\s*([\d.]+)\s*([KMGT])iB")


class Tpu:
    def __init__(self, program: str) -> None:
        self._program = program

    def read(self) -> dict[str, float]:
        chips = chips_in(answer_of(self._program))
        if not any(chips):
            raise ProgramFailed
        return {f"{index}/{name}": value for index, chip in enumerate(chips) for name, value in chip.items()}


def chips_in(text: str) -> list[dict[str, float]]:
    """
    Returns the chips of this host in the table's order: their ids differ from host to host, as
    those of a pod are counted through. Lines of tables are drawn with several characters.
    """
    table = ""
    chips: list[dict[str, float]] = []
    cores: list[float | None] = []
    for line in _COLOURS.sub("", text).splitlines():
        cells = [cell.strip() for cell in re.split("[|│┃]", line) if cell.strip()]
        if line[:1].isalpha():
            table = line.strip()
        elif len(cells) < 2 or not cells[0].isdigit():
            continue
        elif table == "TPU Runtime Utilization" and len(cells) == 3:
            chips.append({**_memory(cells[1]), **known({"utilization_percent": number_of(cells[2])})})
        elif table == "TensorCore Utilization":
            cores.append(number_of(cells[1]))
    each = len(cores) // len(chips) if chips else 0
    for index, chip in enumerate(chips):
        busy = [core for core in cores[index * each : (index + 1) * each] if core is not None]
        if busy:
            chip["tensor_core_percent"] = sum(busy) / len(busy)
    return chips


def _memory(text: str) -> dict[str, float]:
    found = _MEMORY.search(text)
    if found is None:
        return {}
    used, used_unit, total, total_unit = found.groups()
    return memory_of(bytes_of(used, used_unit), bytes_of(total, total_unit))
