"""Words that are made up: ids, and the names of directories."""

from __future__ import annotations

import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh_word(letters: int) -> str:
    """Random letters that nobody confuses."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(letters))
