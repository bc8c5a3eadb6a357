"""What may stand between the braces."""

from __future__ import annotations

import pytest
from gpu100.render.expressions import Block, ExpressionError, Inline, evaluate


def value(name: str, at: object = None) -> Inline:
    return Inline(f"{name}@{at}")


NAMES = {"value": value, "evidence": lambda program: Block(program)}


def test_a_call_is_evaluated() -> None:
    assert evaluate('value("a.b", 32)', NAMES) == Inline("a.b@32")
    assert evaluate('evidence("a")', NAMES) == Block("a")


def test_an_unknown_function_names_the_nearest() -> None:
    with pytest.raises(ExpressionError, match="'vlaue'") as caught:
        evaluate('vlaue("a.b")', NAMES)
    assert caught.value.hint == "did you mean 'value'?"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("value(", "not an expression"),
        ('value("a") | upper', "uses a filter"),
        ("value", "cannot be shown"),
        ("value()", "argument"),
        ("1 + 1", "cannot be shown"),
        ('value("a").attributes.missing.deeper', "cannot be shown"),
        ('value("a").upper()', "cannot be shown"),
        ('value(*"ab")', "cannot be shown"),
        ("value(evidence)", "written out"),
        ('value("a", at=value("b"))', "written out"),
    ],
)
def test_what_is_no_expression_is_refused(source: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        evaluate(source, NAMES)


def test_python_is_out_of_reach() -> None:
    with pytest.raises(ExpressionError):
        evaluate('__import__("os").getcwd()', NAMES)
