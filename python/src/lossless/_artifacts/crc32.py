"""CRC-32 of concatenated parts."""

from __future__ import annotations

from .._ground.crc_polynomial import power_of_x, product

# The polynomial of zlib's CRC-32.
_POLYNOMIAL = 0xEDB88320


def joined_crc32(first: int, second: int, second_bytes: int) -> int:
    """
    Returns the CRC-32 of two concatenated texts, from the CRC of each and the length of the second.
    So the parts of a file, sent in any order, give the CRC of the whole file.
    """
    return product(power_of_x(8 * second_bytes, _POLYNOMIAL), first, _POLYNOMIAL) ^ second
