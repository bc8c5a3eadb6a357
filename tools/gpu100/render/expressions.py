"""``{{ ... }}`` in a page: what may stand there, and what comes of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jinja2 import TemplateSyntaxError, nodes

from gpu100.errors import CourseError, nearest
from gpu100.render.env import environment


@dataclass(frozen=True)
class Inline:
    """Text inside a sentence."""

    text: str
    tag: str = "span"
    attributes: dict[str, str] = field(default_factory=dict)
    capital: bool = False
    """Whether it takes a capital letter where a sentence begins with it."""


@dataclass(frozen=True)
class Block:
    """HTML that stands alone between blank lines."""

    html: str


class ExpressionError(CourseError):
    """An expression that means nothing; the page's file and line are added by who knows them."""


def evaluate(source: str, names: Mapping[str, Callable[..., Inline | Block]]) -> Inline | Block:
    """What ``source``, the text between the braces, stands for: a call of one of ``names``.

    It is parsed by Jinja and called from here; to compile it would take ten times as long.

    Raises:
        ExpressionError: not a call, a filter, or a name that is not among ``names``.
    """
    tree = _parsed(source)
    if next(tree.find_all(nodes.Filter), None) is not None:
        raise ExpressionError(f"{{{{ {source} }}}} uses a filter", hint="expressions take no `|`")
    for name in tree.find_all(nodes.Name):
        if name.name not in names:
            raise ExpressionError(f"nothing is called {name.name!r}", hint=nearest(name.name, names))
    call = tree.nodes[0]
    if not isinstance(call, nodes.Call) or not isinstance(call.node, nodes.Name) or call.dyn_args or call.dyn_kwargs:
        raise ExpressionError(f"{{{{ {source} }}}} names something that cannot be shown", hint="is a call missing?")
    try:
        arguments = [argument.as_const() for argument in call.args]
        named = {argument.key: argument.value.as_const() for argument in call.kwargs}
        return names[call.node.name](*arguments, **named)
    except nodes.Impossible:
        raise ExpressionError(f"{{{{ {source} }}}}: its arguments have to be written out") from None
    except TypeError as error:
        raise ExpressionError(f"{{{{ {source} }}}}: {error}") from None


@functools.cache
def _parsed(source: str) -> nodes.Output:
    """The same text, such as a header or a source, stands on many pages, and on all when they are built again."""
    try:
        tree = environment().parse("{{ " + source + " }}").body
    except TemplateSyntaxError as error:
        raise ExpressionError(f"{{{{ {source} }}}} is not an expression: {error.message}") from None
    output = tree[0]
    assert isinstance(output, nodes.Output)  # what stands between double braces
    return output
