"""A claim that a record's values decide, such as ``loads * 32 == 8 * n``: arithmetic and a comparison."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

Number = int | float

_ARITHMETIC: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def names_in(claim: str) -> tuple[str, ...]:
    """The values that ``claim`` speaks of, in order.

    Raises:
        ValueError: it is no comparison of arithmetic over names and numbers.
    """
    comparison = _parsed(claim)
    found = [node for node in ast.walk(comparison) if isinstance(node, ast.Name)]
    names = tuple(dict.fromkeys(node.id for node in sorted(found, key=lambda node: node.col_offset)))
    if not names:
        raise ValueError(f"{claim!r} speaks of no value")
    _holds(comparison, dict.fromkeys(names, 1.0))
    return names


def holds(claim: str, values: Mapping[str, Number]) -> bool:
    """Whether ``claim`` is true of ``values``.

    Raises:
        ValueError: it is no claim, or it divides by zero.
        KeyError: a value that it names is not there.
    """
    return _holds(_parsed(claim), values)


def _parsed(claim: str) -> ast.Compare:
    try:
        parsed = ast.parse(claim, mode="eval").body
    except SyntaxError:
        parsed = None
    if not isinstance(parsed, ast.Compare):
        raise ValueError(f"{claim!r} is no comparison")
    return parsed


def _holds(comparison: ast.Compare, values: Mapping[str, Number]) -> bool:
    left = _number(comparison.left, values)
    for compare, node in zip(comparison.ops, comparison.comparators, strict=True):
        right = _number(node, values)
        if type(compare) not in _COMPARISONS:
            raise ValueError("a claim compares by ==, !=, <, <=, > or >=")
        if not _COMPARISONS[type(compare)](left, right):
            return False
        left = right
    return True


def _number(node: ast.expr, values: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            try:
                return _ARITHMETIC[type(op)](_number(left, values), _number(right, values))
            except ZeroDivisionError:
                raise ValueError(f"{ast.unparse(node)} divides by zero") from None
    raise ValueError(f"{ast.unparse(node)} is no arithmetic of values and numbers")
