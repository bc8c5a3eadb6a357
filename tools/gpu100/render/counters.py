"""What the SIMT model counted, as HTML: tables, and the source with a margin."""

from __future__ import annotations

from collections.abc import Mapping

from gpu100.model.counters import PTX_NOT_SASS, SPUN, Counters, KernelCounters
from gpu100.model.reading import columns, elsewhere, marks, rows, shown_lines
from gpu100.render.env import render


def counters_html(counters: Counters, texts: Mapping[str, str]) -> str:
    """A fragment for a page: for each kernel its table and, where its source is in ``texts``, the listing.

    ``texts`` are by the source's name. Stored counters come from :meth:`Counters.read`.
    """
    parts = []
    for kernel in counters.kernels:
        parts.append(counters_table(kernel))
        if kernel.source in texts:
            parts.append(counters_listing(kernel, texts[kernel.source]))
    return "".join([*parts, render("counters-note.html", note=PTX_NOT_SASS)])


def counters_table(kernel: KernelCounters) -> str:
    """What a kernel was asked to do, each number beside the least that would do."""
    return render("counters.html", kernel=kernel, rows=rows(kernel), spun=SPUN if kernel.spun else "")


def counters_listing(kernel: KernelCounters, text: str) -> str:
    """The kernel's source, ``text``, with what each line was asked to do beside it."""
    margin, words = columns(kernel), marks(kernel)
    lines = [
        (shown, [column.cells.get(shown.number, "") for column in margin], words.get(shown.number, ""))
        for shown in shown_lines(kernel, text)
    ]
    return render("counters-listing.html", kernel=kernel, columns=margin, lines=lines, elsewhere=elsewhere(kernel))
