"""Arithmetic of cyclic redundancy checks: polynomials over GF(2) modulo another one of degree 32.

Bits are reflected: the coefficient of x^0 is the highest bit.
"""

from __future__ import annotations

import functools

_ONE = 0x80000000
_X = 0x40000000


def product(left: int, right: int, modulus: int) -> int:
    total = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            total ^= right
        right = right >> 1 ^ modulus if right & 1 else right >> 1
    return total


@functools.lru_cache(maxsize=128)
def power_of_x(exponent: int, modulus: int) -> int:
    """
    x^exponent, by squaring. Cached: the parts of a file have one length except the last, and long
    records are folded to few widths.
    """
    power, square = _ONE, _X
    while exponent > 0:
        if exponent & 1:
            power = product(square, power, modulus)
        square = product(square, square, modulus)
        exponent >>= 1
    return power
