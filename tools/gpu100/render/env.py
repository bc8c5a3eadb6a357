"""The one Jinja2 environment: strict, and escaping whatever a record holds."""

from __future__ import annotations

import functools
import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gpu100.units import byte_size, number, quantity


@functools.cache
def environment() -> Environment:
    """Templates of this package; numbers are shown through ``units`` alone."""
    env = Environment(
        loader=PackageLoader("gpu100.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(number=number, bytes=byte_size, prose=prose)
    env.globals.update(quantity=quantity)
    env.policies["json.dumps_kwargs"] = {}  # the order of a page's data has a meaning
    return env


def prose(text: str) -> Markup:
    """A sentence of a TOML file: its text escaped, what stands in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just there


def render(template: str, **names: Any) -> str:
    """The template of that name, filled."""
    return environment().get_template(template).render(**names)
