"""Matplotlib's SVG made fit for a page: no style attributes, colors by class, ids of its own, little of it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from html import escape

ID = "%ID%"
"""Stands before every id in what :func:`tidy` returns; a page replaces it by the figure's own."""

_DROPPED = {"metadata", "style", "clipPath"}
_INHERITED = (
    "class",
    "fill",
    "fill-opacity",
    "font-size",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-width",
    "text-anchor",
)
_IGNORED = {"font-family", "font-style", "stroke-dashoffset"}
_NUMBER = re.compile(r"-?\d+\.\d+")

Node = tuple[str, dict[str, str], "list[Node]", str]
"""Tag, attributes, children, text."""


def tidy(svg: str, roles: dict[str, str]) -> str:
    """What is inside ``svg``, rewritten.

    ``roles`` names colors: where one is used, the element has a class, such as ``fill-ink``, beside
    the color itself, so that a style sheet can replace it. A group's id that holds blanks is what
    was drawn in it: ``series h200 chosen`` becomes the classes ``series chosen`` and ``data-gpu``.
    """
    root = etree.fromstring(svg)  # noqa: S314 - what matplotlib has just written
    ids: dict[str, str] = {}
    nodes = [kept for child in root for kept in _kept(child, roles, ids, in_defs=False)]
    return "\n".join(_written(node) for node in nodes)


def _kept(element: etree.Element, roles: dict[str, str], ids: dict[str, str], *, in_defs: bool) -> list[Node]:
    """``element`` as this course writes it: nothing, one node, or the children of a group that says nothing."""
    tag = element.tag.rpartition("}")[2]
    if tag in _DROPPED:
        return []
    inside = in_defs or tag == "defs"
    children = [kept for child in element for kept in _kept(child, roles, ids, in_defs=inside)]
    attributes = _attributes(element, roles, ids, in_defs=in_defs)
    if tag == "defs" and not children:
        return []
    if tag == "g":
        _hoist(attributes, children)
        if not attributes:
            return children
        if not children:
            return []
    return [(tag, attributes, children, (element.text or "").strip() if tag == "text" else "")]


def _attributes(element: etree.Element, roles: dict[str, str], ids: dict[str, str], *, in_defs: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    classes: list[str] = []
    for name, value in element.attrib.items():
        name = name.rpartition("}")[2]
        if name == "id":
            classes += _identity(value, found, ids, in_defs=in_defs)
        elif name == "href":  # with its prefix: Material's script writes to whatever has a plain one
            found["xlink:href"] = f"#{ID}{_short(value.removeprefix('#'), ids)}"
        elif name == "style":
            classes += _styled(value, found, roles) if not in_defs else []
        elif name == "d":
            found["d"] = " ".join(_rounded(value).split())
        elif not (name == "clip-path" or (name == "transform" and value.startswith("rotate(-0 "))):
            found[name] = _rounded(value)
    if classes:
        found["class"] = " ".join(classes)
    return dict(sorted(found.items()))


def _identity(value: str, found: dict[str, str], ids: dict[str, str], *, in_defs: bool) -> list[str]:
    """Matplotlib's own ids are dropped, but for what is used elsewhere."""
    kind, *words = value.split(" ")
    if in_defs:
        found["id"] = f"{ID}{_short(value, ids)}"
    if not words:
        return []
    if words[0] != "-":
        found["data-gpu"] = words[0]
    return [kind, *words[1:]]


def _short(id: str, ids: dict[str, str]) -> str:
    return ids.setdefault(id, str(len(ids)))


def _styled(style: str, found: dict[str, str], roles: dict[str, str]) -> list[str]:
    """A style attribute as attributes; the classes of its colors."""
    classes = []
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if not name or name in _IGNORED:
            continue
        if value in roles:
            classes.append(f"{name}-{roles[value]}")
        found[name] = _rounded(value.removesuffix("px"))
    return classes


def _hoist(attributes: dict[str, str], children: list[Node]) -> None:
    """What all children say, the group says for them."""
    for name in _INHERITED:
        said = {child[1].get(name) if child[0] in ("path", "use") else None for child in children}
        if len(children) > 1 and len(said) == 1 and None not in said and (name == "class" or name not in attributes):
            attributes[name] = " ".join(filter(None, (attributes.get(name), said.pop())))
            for child in children:
                del child[1][name]


def _rounded(text: str) -> str:
    """A tenth of a pixel is seen, a hundredth is not."""
    return _NUMBER.sub(lambda match: f"{round(float(match[0]), 2) + 0:.2f}".rstrip("0").rstrip("."), text)


def _written(node: Node) -> str:
    tag, attributes, children, text = node
    opening = f"<{tag}" + "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    inner = escape(text) + "".join(_written(child) for child in children)
    return f"{opening}>{inner}</{tag}>" if inner else f"{opening}/>"
