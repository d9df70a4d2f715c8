"""A word that changes when this machine is started again."""

from __future__ import annotations


def boot_id() -> str | None:
    """None: this system has none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip() or None
    except (OSError, ValueError):
        return None
