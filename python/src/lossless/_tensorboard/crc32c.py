"""CRC-32C (Castagnoli) of event files, some 100 MB a second without an extension module."""

from __future__ import annotations

import functools

from .._ground.crc_polynomial import power_of_x

# Bits are reflected: the coefficient of x^0 is the highest bit.
_POLYNOMIAL = 0x82F63B78
# Widths in bits to which a long text is folded step by step: 2^s + 64, from 72 bytes on.
_SMALLEST = 9
_EXTRA_BITS = 64


def crc32c(data: bytes) -> int:
    """
    Returns the checksum. A table takes a byte at a time, so a long text is folded first: its first
    half, times x^(length of the second), is added to the second. Modulo the polynomial that factor
    has 32 bits, so this is some 16 shifts of a long integer, which Python does in C. The first bits
    of a text are the highest powers: here the lowest bits.
    """
    bits = 8 * len(data)
    shortest = (1 << _SMALLEST) + _EXTRA_BITS
    if bits <= shortest:
        return _of_bytes(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    value = int.from_bytes(data, "little") ^ 0xFFFFFFFF
    # The first half and the 31 bits added by a factor have to fit into the second.
    step = max(_SMALLEST, (bits - 2 * _EXTRA_BITS + 31).bit_length() - 1)
    while step >= _SMALLEST:
        width = (1 << step) + _EXTRA_BITS
        first_bits = bits - width
        if first_bits > 0:
            first = value & ((1 << first_bits) - 1)
            value >>= first_bits
            shift = width - first_bits - 31
            for place in _factor(width):
                value ^= first << (place + shift)
            bits = width
        step -= 1
    return _of_bytes(value.to_bytes(bits // 8, "little"), 0) ^ 0xFFFFFFFF


def _of_bytes(data: bytes, checksum: int) -> int:
    table = _table()
    for byte in data:
        checksum = table[(checksum ^ byte) & 0xFF] ^ (checksum >> 8)
    return checksum


@functools.lru_cache(maxsize=64)
def _factor(exponent: int) -> list[int]:
    """Returns the positions of the ones in x^exponent modulo the polynomial."""
    power = power_of_x(exponent, _POLYNOMIAL)
    return [place for place in range(32) if power >> place & 1]


@functools.lru_cache(maxsize=1)
def _table() -> list[int]:
    return [_of_byte(byte) for byte in range(256)]


def _of_byte(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ _POLYNOMIAL if byte & 1 else byte >> 1
    return byte
