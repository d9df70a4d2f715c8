"""
Accelerators that the environment leaves to this process: others on the machine are not its own.

A variable names them by number or by unique id. The number is that of the vendor's program, which
counts by the position on the bus; CUDA does so too with CUDA_DEVICE_ORDER=PCI_BUS_ID, and where all
cards are equal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# Values that leave out all of them: SLURM writes the last.
_NONE = ("", "-1", "none", "void", "nodevfiles")


class Card(NamedTuple):
    """An accelerator in the order of the vendor's program."""

    number: str
    uuid: str = ""


def visible(cards: Sequence[Card], *variables: str, environment: Mapping[str, str] = os.environ) -> set[str]:
    """
    Returns the numbers of the cards that are left to this process. Each variable that is set
    chooses among those that the previous one left: so HIP counts within what ROCr shows.
    """
    left = list(cards)
    for variable in variables:
        text = environment.get(variable)
        if text is not None:
            left = _chosen(left, text)
    return {card.number for card in left}


def visible_count(*variables: str, environment: Mapping[str, str] = os.environ) -> int | None:
    """Returns how many accelerators the first variable that is set leaves; None: none is set."""
    for variable in variables:
        text = environment.get(variable)
        if text is not None:
            return 0 if text.strip().lower() in _NONE else len({_device(word) for word in text.split(",")})
    return None


def _chosen(cards: Sequence[Card], text: str) -> list[Card]:
    if text.strip().lower() == "all":
        return list(cards)
    chosen: list[Card] = []
    for word in text.split(","):
        device = _device(word)
        if device.lower() in _NONE:
            # What follows it is not seen either.
            break
        found = _card(cards, device)
        if found is not None and found not in chosen:
            chosen.append(found)
    return chosen


def _card(cards: Sequence[Card], device: str) -> Card | None:
    if device.isdigit():
        return cards[int(device)] if int(device) < len(cards) else None
    # An id may be shortened. A part of a card, of the form MIG-GPU-<uuid>/1/0, belongs to it.
    plain = _plain(device.removeprefix("MIG-").partition("/")[0])
    return next((card for card in cards if card.uuid and plain and _plain(card.uuid).startswith(plain)), None)


def _device(word: str) -> str:
    """Returns the device of a word; Intel's 0.1 is a tile of 0."""
    return word.strip().partition(".")[0]


def _plain(uuid: str) -> str:
    return uuid.lower().removeprefix("0x").removeprefix("gpu-").replace("-", "")
