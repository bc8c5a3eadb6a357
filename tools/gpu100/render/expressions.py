"""``{{ ... }}`` in a page: what may stand there, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import TemplateSyntaxError, UndefinedError, nodes

from gpu100.errors import CourseError, nearest
from gpu100.render.env import environment


@dataclass(frozen=True)
class Inline:
    """Text inside a sentence."""

    text: str
    tag: str = "span"
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Block:
    """HTML that stands alone between blank lines."""

    html: str


class ExpressionError(CourseError):
    """An expression that means nothing; the page's file and line are added by who knows them."""


def evaluate(source: str, names: Mapping[str, Any]) -> Inline | Block:
    """What ``source``, the text between the braces, stands for.

    Raises:
        ExpressionError: not an expression, a filter, or a name that is not among ``names``.
    """
    try:
        tree = environment().parse("{{ " + source + " }}")
    except TemplateSyntaxError as error:
        raise ExpressionError(f"{{{{ {source} }}}} is not an expression: {error.message}") from None
    if next(tree.find_all(nodes.Filter), None) is not None:
        raise ExpressionError(f"{{{{ {source} }}}} uses a filter", hint="expressions take no `|`")
    for name in tree.find_all(nodes.Name):
        if name.name not in names:
            raise ExpressionError(f"nothing is called {name.name!r}", hint=nearest(name.name, names))
    try:
        result = environment().compile_expression(source, undefined_to_none=False)(names)
    except (UndefinedError, TypeError) as error:
        raise ExpressionError(f"{{{{ {source} }}}}: {error}") from None
    if not isinstance(result, Inline | Block):
        raise ExpressionError(f"{{{{ {source} }}}} names something that cannot be shown", hint="is a call missing?")
    return result
