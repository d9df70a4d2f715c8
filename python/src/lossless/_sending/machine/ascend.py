"""NPUs of Huawei, as the table of `npu-smi info` tells them."""

from __future__ import annotations

import re

from .numbers import MEBIBYTE, known, memory_of, number_of
from .programs import ProgramFailed, answer_of
from .visible import Card, visible

PROGRAM = "npu-smi"
VARIABLES = ("ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES")

_BUS_ID = re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")
_PAIR = re.compile(r"(\d+)\s*/\s*(\d+)")


class Ascend:
    def __init__(self, program: str) -> None:
        self._program = program

    def read(self) -> dict[str, float]:
        chips = chips_in(answer_of(self._program, "info"))
        if not chips:
            raise ProgramFailed
        own = visible([Card(str(index)) for index in range(len(chips))], *VARIABLES)
        return {
            f"{index}/{name}": value
            for index, chip in enumerate(chips)
            if str(index) in own
            for name, value in chip.items()
        }


def chips_in(table: str) -> list[dict[str, float]]:
    """
    Returns the chips in the table's order, which is that of their logical numbers. Each has two
    lines: name, health, power and temperature; then bus, use of the cores, and memory.
    """
    chips: list[dict[str, float]] = []
    first: list[str] = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 3:
            continue
        if not any(_BUS_ID.search(cell) for cell in cells[:-1]):
            first = cells[-1].split()
            continue
        words = cells[-1].split()
        chip = known(
            {
                "utilization_percent": number_of(words[0]) if words else None,
                "power_watts": number_of(first[0]) if first else None,
                "temperature_celsius": number_of(first[1]) if len(first) > 1 else None,
            }
        )
        # The last memory that the chip has: HBM, or DDR where there is none.
        pairs = [(int(used), int(total)) for used, total in _PAIR.findall(cells[-1]) if int(total) > 0]
        if pairs:
            chip.update(memory_of(pairs[-1][0] * MEBIBYTE, pairs[-1][1] * MEBIBYTE))
        chips.append(chip)
        first = []
    return chips
