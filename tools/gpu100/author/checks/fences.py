"""Typed code: every CUDA or Python block of a page compiles, or says why it is a fragment.

A block that only includes files is those files' affair. A typed CUDA block is compiled by NVRTC as
a file or as the body of a kernel, whichever it is; a typed Python block is parsed. What cannot
stand alone, such as a host's half of a launch, opens with its reason, which is not shown:

    ```{ .cuda data-fragment="a host's launch, without the program around it" }
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpu100.author.compiler import NoCompilerError, Unit, compile_units, first_error
from gpu100.author.context import Context
from gpu100.author.page import Fence
from gpu100.author.report import Finding, Found, NotRun
from gpu100.model.capability import claimed
from gpu100.model.course import Day

RULE = "fences"
CUDA = {"cuda", "cu", "cpp", "c++", "c"}
PYTHON = {"python", "py"}
_DECLARES = re.compile(r"^\s*#|\b(?:__global__|__device__|__host__|template|struct|namespace)\b", re.MULTILINE)
MARK = 'or open it with ```{ .LANGUAGE data-fragment="why it cannot stand alone" }'


def check(context: Context) -> Iterator[Found]:
    waiting: list[tuple[Day, Fence]] = []
    for day, page in context.written():
        for fence in page.fences:
            if fence.language not in CUDA | PYTHON:
                continue
            yield 1
            if not fence.typed:
                continue
            if fence.fragment is not None:
                if len(fence.fragment.split()) < 2:
                    message = "is marked as a fragment, without a reason"
                    yield _about(context, day, fence, message, 'data-fragment="why it cannot stand alone"')
            elif fence.language in PYTHON:
                yield from _python(context, day, fence)
            else:
                waiting.append((day, fence))
    if waiting:
        yield from _cuda(context, waiting)


def _about(context: Context, day: Day, fence: Fence, message: str, hint: str, line: int = 0) -> Finding:
    message = f"the {fence.language} block {message}"
    return context.finding(RULE, day, message, line=fence.line + line, hint=hint.replace("LANGUAGE", fence.language))


def _python(context: Context, day: Day, fence: Fence) -> Iterator[Finding]:
    try:
        ast.parse(fence.text)
    except SyntaxError as error:
        yield _about(context, day, fence, f"is not Python: {error.msg}", f"mend it, {MARK}", error.lineno or 0)


def _cuda(context: Context, waiting: list[tuple[Day, Fence]]) -> Iterator[Found]:
    units = [_unit(context, day, fence) for day, fence in waiting]
    try:
        refused = compile_units(units, context.layout.cache)
    except NoCompilerError as error:
        yield NotRun(f"no NVRTC to compile typed CUDA with: {error}", "pip install 'gpu100[cuda]'")
        return
    for (day, fence), logs in zip(waiting, refused, strict=True):
        for arch, log in logs.items():
            line, message = first_error(log)
            yield _about(context, day, fence, f"does not compile for {arch}: {message}", f"mend it, {MARK}", line or 0)


def _unit(context: Context, day: Day, fence: Fence) -> Unit:
    """The block to compile; its likelier reading comes first, since that one's errors are told."""
    whole = fence.text + "\n"
    body = f"__global__ void typed_in_a_page() {{ {fence.text}\n}}\n"
    return Unit(
        name=f"{context.page_path(day)}-{fence.line}",
        path=str(context.layout.root / day.folder / "typed.cu"),
        texts=(whole, body) if _DECLARES.search(whole) else (body, whole),
        archs=(claimed(day.needs_capability)[0].arch,),
    )
