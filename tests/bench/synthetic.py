"""A course of any length, with everything a real one has, written to a folder.

Each day comes from the patterns in day/, under names of its own, so that nothing on its page is
already known from another day's. Its records are assembled here and written through the store.
"""

from __future__ import annotations

import dataclasses
import random
import shutil
from pathlib import Path

import gpu100.content.course
from gpu100.content.course import load_course
from gpu100.evidence.key import program_key
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import text_digest
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.course import Day
from gpu100.model.machine import Machine
from gpu100.model.record import (
    SCHEMA,
    CellOutput,
    Check,
    Codegen,
    Compiler,
    Exact,
    Judgement,
    Kernel,
    Key,
    Measured,
    Observed,
    Record,
    Tolerant,
    Value,
)
from gpu100.paths import Layout, day_tag

REPOSITORY = Layout(Path(__file__).resolve().parents[2])
PATTERNS = Path(__file__).resolve().parent / "day"

_PROSE = """
a block of threads reads from memory and writes the result where another warp finds it later so the kernel waits
until every lane has its value because one cache line holds more than one float which is why order decides speed
"""


def allow_longer_courses() -> None:
    """In this process; how the site grows shows beyond the course's own length."""
    gpu100.content.course.LAST_DAY = 999


def machines() -> tuple[Machine, Machine]:
    """The one with the repository's evidence, and one with an older GPU."""
    first = EvidenceStore(REPOSITORY.evidence).read()[0].machine
    older = dataclasses.replace(first.gpu, name="NVIDIA Older", capability="7.5", sms=40, memory_bytes=15843721216)
    return first, dataclasses.replace(first, gpu=older)


def write_course(root: Path, days: int) -> Layout:
    """``days`` days below ``root``: pages, programs, quizzes, sources, and evidence of two machines."""
    layout = Layout(root)
    numbers = range(1, days + 1)
    _write(layout.course, _course_toml(numbers, machines()[0].gpu.slug))
    _write(layout.content / "sources.toml", "".join(_source(number) for number in numbers))
    _write(layout.docs / "index.md", "# The course\n\n{{ course_map() }}\n")
    for folder in ("assets", "overrides"):
        shutil.copytree(REPOSITORY.docs / folder, layout.docs / folder)
    course = load_course(layout)
    for day in course.days:
        name = day.programs[0].name
        _write(layout.docs / day.page, _pattern("page.md", day.number, FOLDER=day.folder.name))
        _write(root / day.folder / f"{name}.cu", _pattern("wave.cu", day.number))
        _write(root / day.folder / f"{name}.py", _pattern("wave.py", day.number))
        _write(layout.quiz(day.number), _pattern("quiz.toml", day.number))
    store = EvidenceStore(layout.evidence)
    for machine in machines():
        folder = store.write_machine(machine)
        for day in course.days:
            store.write(folder, _record(day, program_key(layout, day, day.programs[0]), machine))
    return layout


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _pattern(name: str, number: int, **words: object) -> str:
    """A file of day/ with its capitals replaced; PROSE is another paragraph each time."""
    text = (PATTERNS / name).read_text(encoding="utf-8")
    for word, value in {"NUMBER": number, "TAG": day_tag(number), **words}.items():
        text = text.replace(word, str(value))
    chance = random.Random(number)
    first, *rest = text.split("PROSE")
    return first + "".join(_paragraph(chance) + part for part in rest)


def _paragraph(chance: random.Random) -> str:
    words = _PROSE.split()
    sentences = (" ".join(chance.choices(words, k=chance.randint(8, 18))) for _ in range(5))
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def _course_toml(numbers: range, reference: str) -> str:
    head = f'[course]\ntitle = "Synthetic"\nreference_gpu = "{reference}"\n'
    modules = "".join(
        f'\n[[module]]\nnumber = {module}\ntitle = "Module {module}"\ngoal = "Know ten waves."\n'
        for module in range(1, (len(numbers) + 9) // 10 + 1)
    )
    days = (
        _pattern("day.toml", number, MODULE=(number + 9) // 10, NEEDS=number - 1 if number > 1 else "")
        for number in numbers
    )
    return head + modules + "".join(days)


def _source(number: int) -> str:
    return f"""
[[source]]
id = "source.{number}"
title = "Waves, volume {number}"
publisher = "A publisher"
address = "https://example.org/waves/{number}"
section = "Section {number}"
looked_at = "2026-11-29"
backs = "Wave {number} is a wave."
"""


def _record(day: Day, key: Key, machine: Machine) -> Record:
    name = day.programs[0].name
    return Record(
        schema=SCHEMA,
        day=day.number,
        program=name,
        key=key,
        status="ok",
        started="2026-11-29T12:00:00Z",
        seconds=2.5,
        attempts=2,
        exit_code=0,
        compiler=Compiler(
            nvrtc=machine.software.nvrtc, arch=machine.gpu.compute_capability.arch, options=COMPILE_OPTIONS
        ),
        kernels={
            f"{kernel}_{day.number}": Kernel(registers=16, shared_bytes=0, local_bytes=0) for kernel in ("wave", "fold")
        },
        transcript=(
            CellOutput(cell=1, stdout=(f"{machine.gpu.name}: wave {day.number}",)),
            CellOutput(
                cell=2,
                stdout=tuple(
                    f"step {step}: 4096 blocks, the first sums to {step / day.number:.4f}" for step in range(1, 33)
                ),
            ),
            CellOutput(cell=3, stdout=("check: every sample is near NumPy's (1048576 comparisons)",)),
        ),
        values=_values(day.number, machine.gpu.sms),
        checks=(Check(what="every sample is near NumPy's", compared=1048576),),
        predictions={
            spec.id: Judgement(outcome="held", claim=text_digest(spec.claim), saw=f"wave {day.number} was")
            for spec in day.predict
        },
    )


def _values(number: int, sms: int) -> dict[str, Value]:
    blocks: dict[str, bool | int | float | str] = {str(threads): (1 << 20) // threads for threads in (64, 128, 256)}
    return {
        "samples": Exact(kind="exact", unit="samples", value=1 << 20),
        "blocks": Exact(kind="exact", unit="blocks", value=blocks),
        "registers": Codegen(kind="codegen", unit="registers", value=16 + number % 16),
        "kernel": _measured(number / sms, "ms"),
        "copy": _measured(10 * number / sms, "ms"),
        "rate": _measured(float(sms * number), "GB/s"),
        "late": Observed(kind="observed", unit="blocks", value=number % 40, low=0, high=40),
        "error": Tolerant(kind="tolerant", value=number * 1e-6, relative=0.1),
    }


def _measured(middle: float, unit: str) -> Measured:
    samples = tuple(middle * (1 + place / 1000) for place in range(-10, 11))
    return Measured(
        kind="measured", unit=unit, better="lower", value=middle, p20=samples[4], p80=samples[16], samples=samples
    )
