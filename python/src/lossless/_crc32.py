"""CRC-32 of parts, joined."""

from __future__ import annotations

import functools

# The polynomial of zlib's CRC-32, bits reflected: the coefficient of x^0 is the highest bit.
_POLYNOMIAL = 0xEDB88320
_ONE = 0x80000000
_X_TO_THE_EIGHTH = 0x00800000


def joined_crc32(first: int, second: int, second_bytes: int) -> int:
    """
    The CRC-32 of two texts in a row, from the CRC of each and the length of the second. With it the parts of a file,
    sent in any order, give the CRC of the whole file.
    """
    return _product(_power_of_x8(second_bytes), first) ^ second


@functools.lru_cache(maxsize=64)
def _power_of_x8(exponent: int) -> int:
    """x^(8 * exponent) modulo the polynomial, by squaring. All parts of a file but its last have one length."""
    power, square = _ONE, _X_TO_THE_EIGHTH
    while exponent > 0:
        if exponent & 1:
            power = _product(square, power)
        square = _product(square, square)
        exponent >>= 1
    return power


def _product(left: int, right: int) -> int:
    """Of two polynomials over GF(2), modulo the polynomial."""
    total = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            total ^= right
        right = right >> 1 ^ _POLYNOMIAL if right & 1 else right >> 1
    return total
