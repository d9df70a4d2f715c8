"""GPUs of NVIDIA, as `nvidia-smi` tells them."""

from __future__ import annotations

import os
import re
from xml.etree import ElementTree

from .growth import Growth
from .numbers import bytes_of, known, memory_of, number_of
from .programs import ProgramFailed, answer_of
from .visible import Card, visible

PROGRAM = "nvidia-smi"
VARIABLES = ("CUDA_VISIBLE_DEVICES",)

# Names of ours, and the query's fields; those with a factor are not in our unit.
_FIELDS = {
    "utilization_percent": "utilization.gpu",
    "memory_busy_percent": "utilization.memory",
    "temperature_celsius": "temperature.gpu",
    "memory_temperature_celsius": "temperature.memory",
    "power_watts": "power.draw",
    "power_limit_watts": "power.limit",
    "clock_megahertz": "clocks.sm",
    "memory_clock_megahertz": "clocks.mem",
    "fan_percent": "fan.speed",
    "ecc_corrected_errors": "ecc.errors.corrected.volatile.total",
    "ecc_uncorrected_errors": "ecc.errors.uncorrected.volatile.total",
}
# Drivers from 535 on call them events; a driver knows one of both, or both.
_REASONS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
_OTHERS = ("index", "uuid", "memory.used", "memory.total", "mig.mode.current", *_REASONS)
# Bits of the reasons: caps of power, thermal slowdowns, and the hardware's slowdown of any kind.
_THROTTLED = {"throttled_by_power": 0x84, "throttled_by_heat": 0x60, "throttled_by_hardware": 0x08}

_UNKNOWN_FIELD = re.compile(r'Field "([^"]+)" is not a valid field')
_GPU_LINE = re.compile(r"GPU (\d+):")
_LINK_LINE = re.compile(r"\s*Link \d+: Data (Tx|Rx): (\d+) KiB")


class Nvidia:
    def __init__(self, program: str) -> None:
        self._program = program
        self._fields = [*_OTHERS, *_FIELDS.values()]
        self._growth = Growth()
        # Questions beside the query, as long as they bring something here.
        self._asks_log = True
        self._asks_links = True

    def read(self) -> dict[str, float]:
        rows = self._rows()
        own = visible([Card(row["index"], row.get("uuid", "")) for row in rows], *VARIABLES)
        own |= _owners_of_instances(rows)
        values: dict[str, float] = {}
        indices: dict[str, str] = {}
        is_divided = False
        for row in rows:
            if row["index"] not in own:
                continue
            indices[row.get("uuid", "")] = row["index"]
            is_divided = is_divided or row.get("mig.mode.current") == "Enabled"
            values.update({f"{row['index']}/{name}": value for name, value in _values_of(row).items()})
        self._add_log(values, indices, is_divided)
        self._add_links(values, own)
        return values

    def _rows(self) -> list[dict[str, str]]:
        """Returns the fields of each card. A field that this driver does not know is left out."""
        for _ in range(len(self._fields)):
            query = f"--query-gpu={','.join(self._fields)}"
            try:
                answer = answer_of(self._program, query, "--format=csv,noheader,nounits")
            except ProgramFailed as failure:
                unknown = set(_UNKNOWN_FIELD.findall(failure.output)) & set(self._fields) - {"index"}
                if not unknown:
                    raise
                self._fields = [field for field in self._fields if field not in unknown]
                continue
            rows = [[word.strip() for word in line.split(", ")] for line in answer.splitlines()]
            # A card that has fallen off the bus is a line with an error.
            whole = [row for row in rows if len(row) == len(self._fields)]
            found = [dict(zip(self._fields, row)) for row in whole]
            return [row for row in found if row["index"].isdigit()]
        raise ProgramFailed

    def _add_log(self, values: dict[str, float], indices: dict[str, str], is_divided: bool) -> None:
        """Adds what only the long form tells: traffic on PCIe, and the instances of MIG."""
        if not self._asks_log or not indices:
            return
        try:
            log = ElementTree.fromstring(answer_of(self._program, "-q", "-x"))
        except (ProgramFailed, ElementTree.ParseError):
            self._asks_log = False
            return
        has_traffic = False
        for gpu in log.iter("gpu"):
            index = indices.get(gpu.findtext("uuid", ""))
            if index is None:
                continue
            for name, tag in (("received", "rx_util"), ("sent", "tx_util")):
                kilobytes = number_of(gpu.findtext(f"pci/{tag}"))
                if kilobytes is not None:
                    has_traffic = True
                    values[f"{index}/pcie_{name}_bytes_per_second"] = kilobytes * 1024
            for instance in gpu.iter("mig_device"):
                used = bytes_of(instance.findtext("fb_memory_usage/used"), "MiB")
                total = bytes_of(instance.findtext("fb_memory_usage/total"), "MiB")
                name = f"{index}/mig/{instance.findtext('index', '0').strip()}"
                values.update({f"{name}/{key}": value for key, value in memory_of(used, total).items()})
        self._asks_log = has_traffic or is_divided

    def _add_links(self, values: dict[str, float], own: set[str]) -> None:
        if not self._asks_links or not own:
            return
        try:
            lines = answer_of(self._program, "nvlink", "-gt", "d").splitlines()
        except ProgramFailed:
            self._asks_links = False
            return
        index = ""
        sums: dict[str, float] = {}
        for line in lines:
            gpu, link = _GPU_LINE.match(line), _LINK_LINE.match(line)
            if gpu is not None:
                index = gpu.group(1)
            elif link is not None and index in own:
                way = "sent" if link.group(1) == "Tx" else "received"
                name = f"{index}/nvlink_{way}_bytes_per_second"
                sums[name] = sums.get(name, 0.0) + int(link.group(2)) * 1024
        for name, count in sums.items():
            self._growth.per_second(values, name, count)
        self._asks_links = bool(sums)


def _values_of(row: dict[str, str]) -> dict[str, float]:
    found = known({name: number_of(row.get(field)) for name, field in _FIELDS.items()})
    found.update(memory_of(*(bytes_of(row.get(f"memory.{name}"), "MiB") for name in ("used", "total"))))
    reasons = next((row[field] for field in _REASONS if row.get(field, "").startswith("0x")), None)
    if reasons is not None:
        bits = int(reasons, 16)
        found.update({name: float(bits & mask != 0) for name, mask in _THROTTLED.items()})
    return found


def _owners_of_instances(rows: list[dict[str, str]]) -> set[str]:
    """
    Returns the cards that may hold the process's instance of MIG: its id, `MIG-<uuid>`, does not
    name the card.
    """
    words = [word.strip() for word in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    if not any(word.startswith("MIG-") and not word.startswith("MIG-GPU-") for word in words):
        return set()
    return {row["index"] for row in rows if row.get("mig.mode.current") == "Enabled"}
