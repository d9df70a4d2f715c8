"""GPUs of Intel, as `xpu-smi` tells them, or where it is missing the kernel's drivers."""

from __future__ import annotations

from pathlib import Path

from .growth import Growth
from .numbers import MEBIBYTE, known, number_of
from .programs import ProgramFailed, answer_of
from .visible import Card, visible

PROGRAM = "xpu-smi"
VARIABLES = ("ZE_AFFINITY_MASK",)

# The first sample of a rate is N/A, so two are asked for. Version 2 has other options and titles.
_METRICS = "0,1,2,3,4,5,17,18,19,20"
_QUESTIONS = (
    ("dump", "-d", "-1", "-m", _METRICS, "-i", "1", "-n", "2"),
    ("dump", "--device", "-1", "--metrics", _METRICS, "--interval", "1", "--number", "2"),
)
_TITLES = {
    "utilization_percent": ("gpu utilization", "utilization.gpu"),
    "power_watts": ("gpu power", "power.draw"),
    "clock_megahertz": ("gpu frequency", "clocks.current.graphics"),
    "temperature_celsius": ("gpu core temperature", "temperature.gpu"),
    "memory_temperature_celsius": ("gpu memory temperature", "temperature.memory"),
    "memory_percent": ("gpu memory utilization",),
    "memory_busy_percent": ("gpu memory bandwidth utilization", "memory.bandwidth.utilization"),
    "memory_used_bytes": ("gpu memory used", "memory.used"),
    "pcie_received_bytes_per_second": ("pcie read", "pcie.rx.throughput.kbs"),
    "pcie_sent_bytes_per_second": ("pcie write", "pcie.tx.throughput.kbs"),
}
_FACTORS = {"memory_used_bytes": MEBIBYTE, "pcie_received_bytes_per_second": 1000, "pcie_sent_bytes_per_second": 1000}
_VENDOR = "0x8086"


class Intel:
    def __init__(self, program: str) -> None:
        self._program = program
        self._question = 0

    def read(self) -> dict[str, float]:
        try:
            cards = cards_in(answer_of(self._program, *_QUESTIONS[self._question]))
        except ProgramFailed:
            self._question = (self._question + 1) % len(_QUESTIONS)
            cards = cards_in(answer_of(self._program, *_QUESTIONS[self._question]))
        if not cards:
            raise ProgramFailed
        own = visible([Card(index) for index in cards], *VARIABLES)
        return {f"{index}/{name}": value for index in cards if index in own for name, value in cards[index].items()}


def cards_in(text: str) -> dict[str, dict[str, float]]:
    """Returns the newest values of each card, from a table with a line a sample and card."""
    names: list[str | None] = []
    cards: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        words = [word.strip() for word in line.split(",")]
        if words[0] == "Timestamp":
            names = [_name_of(title) for title in words]
        elif len(words) == len(names) > 2 and words[1].isdigit():
            values = known({name: number_of(word) for name, word in zip(names, words) if name is not None})
            card = cards.setdefault(words[1], {})
            card.update({name: value * _FACTORS.get(name, 1) for name, value in values.items()})
    return cards


def _name_of(title: str) -> str | None:
    """Returns our name of a column, whose title ends with its unit."""
    plain = title.lower().partition("(")[0].strip()
    return next((name for name, titles in _TITLES.items() if plain in titles), None)


class IntelDrivers:
    """
    Reads the files of the drivers xe and i915, which need neither a program nor root. They do not
    tell how busy a card is, but for which share of the time it did not sleep.
    """

    def __init__(self, root: Path = Path("/sys")) -> None:
        self._growth = Growth()
        cards = sorted((root / "class" / "drm").glob("card[0-9]*"), key=lambda card: card.name)
        whole = [card for card in cards if card.name.removeprefix("card").isdigit()]
        self._cards = [card for card in whole if _word(card / "device" / "vendor") == _VENDOR]

    def is_there(self) -> bool:
        return bool(self._cards)

    def read(self) -> dict[str, float]:
        own = visible([Card(str(index)) for index in range(len(self._cards))], *VARIABLES)
        values: dict[str, float] = {}
        for index, card in enumerate(self._cards):
            if str(index) in own:
                values.update({f"{index}/{name}": value for name, value in self._values_of(str(index), card).items()})
        return values

    def _values_of(self, index: str, card: Path) -> dict[str, float]:
        device = card / "device"
        sensors = sorted((device / "hwmon").glob("hwmon*"))
        heat = [_scaled(path, 1000) for sensor in sensors for path in sorted(sensor.glob("temp*_input"))]
        limit = [_scaled(path, 10**6) for sensor in sensors for path in sorted(sensor.glob("power*_max"))]
        clocks = ("device/tile0/gt0/freq0/act_freq", "gt/gt0/rps_act_freq_mhz", "gt_act_freq_mhz")
        values = known(
            {
                "clock_megahertz": next(
                    (value for name in clocks if (value := _scaled(card / name)) is not None), None
                ),
                "temperature_celsius": next((value for value in heat if value is not None), None),
                "power_limit_watts": next((value for value in limit if value), None),
            }
        )
        energy = next((path for sensor in sensors for path in sorted(sensor.glob("energy*_input"))), None)
        microjoules = None if energy is None else _scaled(energy)
        grown = None if microjoules is None else self._growth.grown(f"{index}/energy", microjoules)
        if grown is not None:
            values["power_watts"] = grown[0] / 10**6 / grown[1]
        asleep = [
            *sorted(device.glob("tile*/gt*/gtidle/idle_residency_ms")),
            *sorted(card.glob("gt/gt*/rc6_residency_ms")),
        ]
        slept = [
            self._growth.grown(str(path), milliseconds)
            for path in asleep
            if (milliseconds := _scaled(path)) is not None
        ]
        awake = [100 * (1 - each[0] / 1000 / each[1]) for each in slept if each is not None]
        if awake:
            values["awake_percent"] = min(100.0, max(0.0, *awake))
        return values


def _word(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def _scaled(path: Path, divisor: float = 1) -> float | None:
    number = number_of(_word(path))
    return None if number is None else number / divisor
