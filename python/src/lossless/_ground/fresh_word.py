"""Random words: ids, and names of directories."""

from __future__ import annotations

import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh_word(letters: int) -> str:
    """Returns random letters that are not easily confused."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(letters))
