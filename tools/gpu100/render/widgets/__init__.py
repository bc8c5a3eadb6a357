"""``{{ widget("coalescing") }}``: a figure to play with, complete without its script.

What a widget is about, its fields and their ranges, its table and its limits are said here, in
Python, in a module each. Its script, of the same name in docs/assets/javascripts/widgets/, draws,
and works out what :mod:`gpu100.render.widgets.models` does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gpu100.errors import nearest
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.widgets.coalescing import COALESCING
from gpu100.render.widgets.crossover import CROSSOVER
from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.grid_index import GRID_INDEX
from gpu100.render.widgets.kind import Setting, Settings, Widget
from gpu100.render.widgets.sm_residency import SM_RESIDENCY
from gpu100.render.widgets.waves import WAVES

STYLES = "assets/stylesheets/widgets.css"

WIDGETS: Mapping[str, Widget] = {
    "coalescing": COALESCING,
    "crossover": CROSSOVER,
    "grid-index": GRID_INDEX,
    "sm-residency": SM_RESIDENCY,
    "waves": WAVES,
}


@dataclass
class WidgetNames:
    """The function that one page's expressions call to show a widget."""

    gpus: tuple[KnownGpu, ...]
    link: Callable[[str], str]
    """A file's address as the page has to link it, by its place in docs/."""
    shown: list[str] = field(default_factory=list)

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {"widget": self.widget}

    def widget(self, name: str, /, **given: Setting) -> Block:
        """A widget that begins with what is ``given``.

        Raises:
            ExpressionError: there is no such widget, or it has no such field, or not with that value.
        """
        kind = WIDGETS.get(name)
        if kind is None:
            raise ExpressionError(f"no widget is called {name!r}", hint=nearest(name, WIDGETS))
        fields = {field.name: field for field in kind.fields}
        for key, value in given.items():
            if key not in fields:
                raise ExpressionError(f"widget {name!r} has no {key!r}", hint=nearest(key, fields))
            if refusal := fields[key].refusal(value):
                raise ExpressionError(f"widget {name!r}: {key} {refusal}")
        settings = {one.name: given.get(one.name, None if one.of_gpu else one.start) for one in kind.fields}
        if refusal := kind.apart(settings):
            raise ExpressionError(f"widget {name!r}: {refusal}")
        self.shown.append(name)
        count = self.shown.count(name)
        return Block(
            render(
                "widget.html",
                name=name,
                id=f"widget-{name}" + (f"-{count}" if count > 1 else ""),
                kind=kind,
                fields=[dataclasses.replace(one, start=given.get(one.name, one.start)) for one in kind.fields],
                gpus=_gpus(kind, self.gpus, given),
                styles=self.link(STYLES) if len(self.shown) == 1 else "",
                table=kind.table(settings, self.gpus),
            )
        )


def _gpus(kind: Widget, gpus: tuple[KnownGpu, ...], given: Settings) -> list[dict[str, object]]:
    """What the script has to know of GPUs; what the page has set, it sets for all of them."""
    told = []
    for known in gpus if kind.gpu else ():
        assert kind.gpu is not None
        data = kind.gpu(known)
        if data is not None:
            start = {name: value for name, value in kind.start(known, given).items() if name not in given}
            about = {"slug": known.slug, "name": known.name, "published": known.published}
            told.append({**about, **data, "start": start})
    return told
