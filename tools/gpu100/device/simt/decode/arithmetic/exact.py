"""Lane by lane with Python's integers: slow, right everywhere, for what is rare.

That is ``f64`` with a directed rounding, and ``fma.rn.f64`` where exponents are extreme.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, isqrt, ldexp

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Lanes

_OUTWARD = {"rp": 1, "rm": -1}
_LARGEST = float(np.finfo(np.float64).max)


def directed(operation: str, mode: str, *sources: Lanes) -> Lanes:
    """``fma``, ``mul``, ``div`` or ``sqrt`` of ``f64`` lanes in any rounding mode."""
    lanes = np.broadcast_arrays(*(np.atleast_1d(source) for source in sources))
    result = np.array(_special(operation, mode, *lanes), np.float64)
    for index, values in enumerate(zip(*(lane.tolist() for lane in lanes), strict=True)):
        if all(map(isfinite, values)) and not (operation == "div" and values[1] == 0):
            exact = _EXACT[operation](*map(Fraction, values))
            if exact:
                result[index] = rounded(exact, mode)
    return result


def fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """``a * b + c`` to nearest; only lanes that can round are computed one by one."""
    result = _special("fma", "rn", a, b, c)
    hard = np.flatnonzero(np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (a != 0) & (b != 0))
    if len(hard):
        result[hard] = directed("fma", "rn", a[hard], b[hard], c[hard])
    return result


def _special(operation: str, mode: str, *lanes: Lanes) -> Lanes:
    """What IEEE 754 says of zeros, infinities and NaNs, which fractions cannot hold."""
    if operation != "fma":
        return _BY_NUMPY[operation](*lanes)
    a, b, c = lanes
    # Rounding down, zeros of two signs make -0; negated twice NumPy's rounding to nearest does that.
    result = -((-a) * b - c) if mode == "rm" else a * b + c
    # A finite product may overflow, and would then be an infinity that the addend's cancels.
    return np.where(np.isfinite(a) & np.isfinite(b) & ~np.isfinite(c), c, result)


def rounded(exact: Fraction, mode: str) -> float:
    """A number other than 0 as ``f64``."""
    size, sign = abs(exact), 1 if exact > 0 else -1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = max(exponent - 52, -1074)
    count, rest = divmod(size / Fraction(2) ** unit, 1)
    if mode == "rn":
        count += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and count % 2)
    else:
        count += bool(rest) and _OUTWARD.get(mode, 0) == sign
    if count * Fraction(2) ** unit > _LARGEST:
        return sign * (inf if mode == "rn" or _OUTWARD.get(mode, 0) == sign else _LARGEST)
    return sign * ldexp(count, unit)


def _square_root(square: Fraction) -> Fraction:
    """To some 120 bits, with a last bit that tells whether there would be more."""
    if square < 0:
        return Fraction(0)
    scaled = square * 4**1200
    root = isqrt(scaled.numerator)
    return Fraction(2 * root + (root * root != scaled), 2**1201)


_EXACT: dict[str, Callable[..., Fraction]] = {
    "fma": lambda a, b, c: a * b + c,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sqrt": _square_root,
}
_BY_NUMPY: dict[str, Callable[..., Lanes]] = {"mul": np.multiply, "div": np.divide, "sqrt": np.sqrt}
