"""GPUs of AMD, as `amd-smi` tells them, or where it is missing `rocm-smi`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .numbers import bytes_of, known, memory_of, number_of
from .programs import ProgramFailed, answer_of
from .visible import Card, visible

PROGRAMS = ("amd-smi", "rocm-smi")
# HIP counts within what ROCr shows, and takes CUDA's variable where its own is not set.
VARIABLES = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
_OF_CUDA = ("ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")

_ROCM_QUESTIONS = ("--showuse", "--showmemuse", "--showmeminfo", "vram", "--showtemp", "--showpower")
_ROCM_MORE = ("--showmaxpower", "--showclocks", "--showfan", "--showuniqueid", "--json")
_CARD = re.compile(r"card(\d+)")


class Amd:
    def __init__(self, amd_smi: str | None, rocm_smi: str | None) -> None:
        self._amd_smi = amd_smi
        self._rocm_smi = rocm_smi
        self._limits: dict[str, float] | None = None

    def read(self) -> dict[str, float]:
        if self._amd_smi is not None:
            try:
                return self._of_amd_smi(self._amd_smi)
            except ProgramFailed:
                # It needs the amdgpu driver's library; the older program may do without.
                if self._rocm_smi is None:
                    raise
                self._amd_smi = None
        if self._rocm_smi is None:
            raise ProgramFailed
        answer = json_in(answer_of(self._rocm_smi, *_ROCM_QUESTIONS, *_ROCM_MORE))
        if not isinstance(answer, dict):
            raise ProgramFailed
        numbers = {name: _CARD.fullmatch(name) for name in answer}
        cards = {found.group(1): answer[name] for name, found in numbers.items() if found is not None}
        own = _visible(cards, {index: str(card.get("Unique ID", "")) for index, card in cards.items()})
        return _named({index: _rocm_values(card) for index, card in cards.items() if index in own})

    def _of_amd_smi(self, program: str) -> dict[str, float]:
        cards = _gpus_in(answer_of(program, "metric", "--json"))
        if not cards:
            raise ProgramFailed
        if self._limits is None:
            self._limits = self._power_limits(program)
        own = _visible(cards, {index: "" for index in cards})
        values = _named({index: _amd_values(card) for index, card in cards.items() if index in own})
        values.update({f"{index}/power_limit_watts": self._limits[index] for index in own & set(self._limits)})
        return values

    def _power_limits(self, program: str) -> dict[str, float]:
        """Returns the limits in force; they are asked once."""
        try:
            cards = _gpus_in(answer_of(program, "static", "--limit", "--json"))
        except ProgramFailed:
            return {}
        paths = (("ppt0", "socket_power_limit"), ("socket_power",), ("power_cap",), ("max_power",))
        return known({index: _first(card.get("limit"), *paths) for index, card in cards.items()})


def json_in(text: str) -> Any:
    """Returns the JSON in an answer, behind lines of warnings. None: there is none."""
    for found in re.finditer(r"^\s*[\[{]", text, re.MULTILINE):
        try:
            return json.JSONDecoder().raw_decode(text, found.end() - 1)[0]
        except ValueError:
            continue
    return None


def _gpus_in(text: str) -> dict[str, dict[str, Any]]:
    """Returns the cards by their index: a list, or since ROCm 7 the member of an object."""
    answer = json_in(text)
    if isinstance(answer, dict):
        answer = answer.get("gpu_data")
    if not isinstance(answer, list):
        raise ProgramFailed
    return {str(each["gpu"]): each for each in answer if isinstance(each, dict) and "gpu" in each}


def _visible(cards: Mapping[str, Any], uuids: Mapping[str, str]) -> set[str]:
    variables = VARIABLES if "HIP_VISIBLE_DEVICES" in os.environ else _OF_CUDA
    return visible([Card(index, uuids[index]) for index in cards], *variables)


def _named(cards: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {f"{index}/{name}": value for index, card in cards.items() for name, value in card.items()}


def _amd_values(card: Mapping[str, Any]) -> dict[str, float]:
    usage, power, heat = card.get("usage"), card.get("power"), card.get("temperature")
    clock, pcie, ecc = card.get("clock"), card.get("pcie"), card.get("ecc")
    memory = card.get("mem_usage")
    found = known(
        {
            "utilization_percent": _first(usage, ("gfx_activity",), ("gfx_usage",)),
            "memory_busy_percent": _first(usage, ("umc_activity",), ("mem_activity",)),
            "temperature_celsius": _first(heat, ("hotspot",), ("junction",), ("edge",)),
            "memory_temperature_celsius": _first(heat, ("mem",), ("vram",)),
            "power_watts": _first(power, ("socket_power",), ("current_socket_power",), ("average_socket_power",)),
            "clock_megahertz": _first(clock, ("gfx_0", "clk"), ("gfx", "cur_clk"), ("gfx", "clk")),
            "memory_clock_megahertz": _first(clock, ("mem_0", "clk"), ("mem", "cur_clk"), ("mem", "clk")),
            "fan_percent": _first(card.get("fan"), ("usage",)),
            "ecc_corrected_errors": _first(ecc, ("total_correctable_count",), ("total_correctable",)),
            "ecc_uncorrected_errors": _first(ecc, ("total_uncorrectable_count",), ("total_uncorrectable",)),
            # It prints packets times their size over 2^20, and calls that Mb/s.
            "pcie_sent_bytes_per_second": _scaled(_first(pcie, ("current_bandwidth_sent",)), 2**20),
            "pcie_received_bytes_per_second": _scaled(_first(pcie, ("current_bandwidth_received",)), 2**20),
        }
    )
    found.update(memory_of(_amount(memory, "used_vram"), _amount(memory, "total_vram")))
    found.update(_throttling(card))
    return found


def _throttling(card: Mapping[str, Any]) -> dict[str, float]:
    """Returns the reasons where the card tells them, otherwise only that it is throttled."""
    status = card.get("throttle")
    if isinstance(status, dict):
        kinds = {"power": ("ppt",), "heat": ("socket_thermal", "vr_thermal", "hbm_thermal", "prochot")}
        told = {
            f"throttled_by_{kind}": [str(status.get(f"{name}_violation_status", "N/A")) for name in names]
            for kind, names in kinds.items()
        }
        return {name: float("ACTIVE" in texts) for name, texts in told.items() if set(texts) & {"ACTIVE", "NOT ACTIVE"}}
    power = card.get("power")
    text = str(power.get("throttle_status", "N/A")) if isinstance(power, dict) else "N/A"
    return {"throttled_by_hardware": float(text == "THROTTLED")} if "THROTTLED" in text else {}


def _first(section: Any, *paths: Sequence[str]) -> float | None:
    """Returns the first number among these places: plain, or an object of value and unit."""
    for path in paths:
        place = section
        for name in path:
            place = place.get(name) if isinstance(place, dict) else None
        number = number_of(place.get("value") if isinstance(place, dict) else place)
        if number is not None:
            return number
    return None


def _amount(section: Any, name: str) -> float | None:
    """Returns bytes; before ROCm 6.1 without a unit, in megabytes."""
    place = section.get(name) if isinstance(section, dict) else None
    if isinstance(place, dict):
        return bytes_of(place.get("value"), str(place.get("unit", "MB")))
    return bytes_of(place, "MB")


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


# Parts of the names of `rocm-smi`, which changed their beginnings between versions.
_ROCM_NAMES = {
    "utilization_percent": ("GPU use (%)",),
    "memory_busy_percent": ("GPU Memory Read/Write Activity (%)", "GPU memory use (%)"),
    "temperature_celsius": (
        "Temperature (Sensor junction) (C)",
        "Temperature (Sensor edge) (C)",
        "Temperature (Sensor #1) (C)",
    ),
    "memory_temperature_celsius": ("Temperature (Sensor memory) (C)",),
    "power_watts": (
        "Current Socket Graphics Package Power (W)",
        "Average Graphics Package Power (W)",
        "Average Socket Power (W)",
    ),
    "power_limit_watts": ("Max Graphics Package Power (W)",),
    "clock_megahertz": ("sclk clock speed:",),
    "memory_clock_megahertz": ("mclk clock speed:",),
    "fan_percent": ("Fan speed (%)", "Fan Speed (%)"),
}


def _rocm_values(card: Mapping[str, Any]) -> dict[str, float]:
    found = known(
        {
            name: next(iter(known({key: number_of(card.get(key)) for key in keys}).values()), None)
            for name, keys in _ROCM_NAMES.items()
        }
    )
    used, total = number_of(card.get("VRAM Total Used Memory (B)")), number_of(card.get("VRAM Total Memory (B)"))
    return {**found, **memory_of(used, total)}
