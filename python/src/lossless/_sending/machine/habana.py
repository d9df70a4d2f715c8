"""Gaudi accelerators of Habana, as `hl-smi` tells them."""

from __future__ import annotations

import os

from .numbers import bytes_of, known, memory_of, number_of
from .programs import ProgramFailed, answer_of
from .visible import Card, visible

PROGRAM = "hl-smi"
# Devices by their index, modules by their place on the board.
VARIABLES = ("HABANA_VISIBLE_DEVICES",)
_MODULES = "HABANA_VISIBLE_MODULES"

_FIELDS = ("index", "module_id", "utilization.aip", "memory.used", "memory.total", "temperature.aip", "power.draw")


class Habana:
    def __init__(self, program: str) -> None:
        self._program = program

    def read(self) -> dict[str, float]:
        answer = answer_of(self._program, "-Q", ",".join(_FIELDS), "-f", "csv,noheader")
        split = [[word.strip() for word in line.split(", ")] for line in answer.splitlines()]
        rows = [row for row in split if len(row) == len(_FIELDS) and row[0].isdigit()]
        if not rows:
            raise ProgramFailed
        own = visible([Card(row[0]) for row in rows], *VARIABLES)
        modules = os.environ.get(_MODULES)
        if modules is not None:
            own &= {row[0] for row in rows if row[1] in modules.replace(" ", "").split(",")}
        return {f"{row[0]}/{name}": value for row in rows if row[0] in own for name, value in _values_of(row).items()}


def _values_of(row: list[str]) -> dict[str, float]:
    utilization, used, total, temperature, power = row[2:]
    found = {"utilization_percent": utilization, "temperature_celsius": temperature, "power_watts": power}
    memory = memory_of(bytes_of(used, "MiB"), bytes_of(total, "MiB"))
    return {**known({name: number_of(word) for name, word in found.items()}), **memory}
