"""Programs: every one compiles with NVRTC for all architectures that its day claims.

Compiled with the course's options; what a program adds to them at run time is its own affair.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.compiler import NoCompilerError, Unit, compile_units, first_error
from gpu100.author.context import Context
from gpu100.author.report import Finding, Found, NotRun
from gpu100.model.capability import claimed
from gpu100.model.course import Day

RULE = "programs"


def check(context: Context) -> Iterator[Found]:
    written = [
        (day, path)
        for day in context.days
        for program in day.programs
        if (path := context.layout.root / day.folder / f"{program.name}.cu").is_file()
    ]
    units = [
        Unit(
            name=context.layout.relative(path),
            path=str(path),
            texts=(path.read_text(encoding="utf-8"),),
            archs=tuple(capability.arch for capability in claimed(day.needs_capability)),
        )
        for day, path in written
    ]
    try:
        refused = compile_units(units, context.layout.cache) if units else []
    except NoCompilerError as error:
        yield NotRun(f"no NVRTC to compile with: {error}", "pip install 'gpu100[cuda]'")
        return
    for (day, _), unit, logs in zip(written, units, refused, strict=True):
        yield len(unit.archs)
        if logs:
            yield _refusal(day, unit, logs)


def _refusal(day: Day, unit: Unit, logs: dict[str, str]) -> Finding:
    line, message = first_error(next(iter(logs.values())))
    message = f"does not compile for {', '.join(logs)}: {message}"
    hint = f"the day claims compute capability {day.capability} and up" if len(logs) < len(unit.archs) else None
    return Finding(rule=RULE, message=message, path=unit.name, line=line, day=day.number, hint=hint)
