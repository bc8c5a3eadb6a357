"""The text of a request that brings evidence: what a reviewer wants to know first, worked out by the course."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpu100.decode import encode
from gpu100.errors import plural
from gpu100.evidence.check import objections
from gpu100.evidence.drift import Drift
from gpu100.evidence.fields import described
from gpu100.evidence.items import Rewrite
from gpu100.evidence.key import is_written
from gpu100.evidence.majority import odd_ones, unexplained
from gpu100.evidence.pairs import compare_machines, newest_two
from gpu100.evidence.privacy import words_in
from gpu100.evidence.sound import unheld
from gpu100.evidence.status import Standing, standing_on
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Course
from gpu100.model.differs import Note
from gpu100.model.machine import Machine
from gpu100.model.record import Measured
from gpu100.paths import Layout

SECTIONS = {
    "Machine": "What machine.json says; nothing of it names a person or a machine.",
    "Records": "How many, in what state, and how their predictions came out.",
    "Drift": "What moved against this GPU's other records, or against other GPUs of its capability.",
    "Warnings": "What a reviewer should look at.",
    "Check": "What `gpu100 evidence check` has against it; there must be nothing.",
}
"""The request's parts, and what each is for."""


@dataclass(frozen=True)
class Request:
    """The text, and whether anything speaks against sending it."""

    text: str
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Context:
    """What the evidence of one machine is held against."""

    course: Course
    layout: Layout
    machines: tuple[MachineEvidence, ...]
    notes: Sequence[Note]
    rewrite: Rewrite
    words: frozenset[str] = frozenset()
    """Names of this user and this host, which no record may hold."""


def request(evidence: MachineEvidence, context: Context) -> Request:
    """The request for one machine's folder."""
    machine = evidence.machine
    odd, compared = odd_ones(context.machines)
    mine = [one for one in odd if one.machine == evidence.folder]
    noted = [note for note in context.notes if note.machine == evidence.folder]
    problems = (*objections(context.course, context.layout, evidence), *unexplained(mine, noted))
    bodies: dict[str, Iterable[str]] = {
        "Machine": _machine(machine),
        "Records": _records(evidence, context),
        "Drift": [
            *_drift(evidence, context),
            f"{compared:,} exact results held against other machines of one "
            f"capability; {len(mine)} of this one's differ.",
            *(f"- {_cell(one)}" for one in mine),
        ],
        "Warnings": [f"- {said}" for said in _warnings(evidence, context)] or ["None."],
        "Check": [f"- {_cell(said)}" for said in problems] or ["No problem."],
    }
    toolchain = f"driver {machine.driver.version}, NVRTC {machine.software.nvrtc}"
    lines = [f"# Evidence: {machine.gpu.name}, {toolchain}"]
    for name, body in bodies.items():
        lines += ["", f"## {name}", "", *body]
    return Request("\n".join(lines) + "\n", problems)


def template() -> str:
    """What a request by hand is made of: the same parts, empty, with the machine's fields."""
    lines = ["<!-- `gpu100 evidence pr` writes all of this; paste what it printed. -->"]
    for name, what in SECTIONS.items():
        lines += ["", f"## {name}", "", f"<!-- {what} -->"]
        if name == "Machine":
            lines += ["", "| field | value |", "|---|---|", *(f"| {field} | |" for field, _ in _fields(Machine, {}))]
    return "\n".join(lines) + "\n"


def _machine(machine: Machine) -> Iterator[str]:
    yield from ("| field | value |", "|---|---|")
    for name, value in _fields(Machine, dataclasses.asdict(machine)):
        yield f"| {name} | {'' if value is None else _cell(value)} |"


def _fields(kind: type, data: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Every field of ``kind`` in the schema's order, those of its parts by their path."""
    known = {one.name: one for one in described(kind)}
    for field in known[kind.__name__].fields:
        part = known.get(field.kind)
        held = data.get(field.name)
        if part is None:
            yield field.name, held
            continue
        table = held if isinstance(held, dict) else {}
        yield from ((f"{field.name}.{inner.name}", table.get(inner.name)) for inner in part.fields)


def _cell(value: object) -> str:
    """Text of a record, in one line and as text: no heading, no picture and no link comes of it."""
    return " ".join(str(value).split()).replace("|", "\\|").replace("[", "\\[").replace("<", "&lt;")


def _standings(evidence: MachineEvidence, context: Context) -> list[Standing]:
    return [
        standing_on(context.layout, day, program, evidence)
        for day in context.course.days
        for program in day.programs
        if is_written(context.layout, day, program)
    ]


def _records(evidence: MachineEvidence, context: Context) -> Iterator[str]:
    counts = Counter(at.state for at in _standings(evidence, context))
    said = ", ".join(f"{count} {state}" for state, count in counts.items())
    yield f"{plural(len(evidence.records), 'record')} in `evidence/{evidence.folder}/`: {said}."
    judged = [(record, name, one) for record in evidence.records for name, one in record.predictions.items()]
    outcomes = Counter(one.outcome for _, _, one in judged)
    yield "Predictions: " + (", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "none") + "."
    for record, name, one in judged:
        if one.outcome == "failed":
            yield f"- failed on day {record.day}: {_cell(name)} ({_cell(one.saw)})"
    lanes = Counter(f"{name} {lane.status}" for record in evidence.records for name, lane in record.lanes.items())
    if lanes:
        yield "Lanes: " + ", ".join(f"{name} {count}" for name, count in sorted(lanes.items())) + "."


def _drift(evidence: MachineEvidence, context: Context) -> Iterator[str]:
    pair = next((pair for pair in newest_two(_of_gpu(evidence, context)) if evidence in pair), None)
    if pair is None:
        yield "The course has no other record of this GPU."
        return
    found = list(compare_machines(*pair, context.rewrite))
    yield f"`{pair[0].folder}` against `{pair[1].folder}`: {_counted(found)}."
    for one in found:
        for item in one.moved:
            said = _cell(item.name), _cell(item.before)[:160], _cell(item.after)[:160]
            yield "- day {} {}, {}: {}: {} -> {}".format(one.day, one.program, item.verdict, *said)


def _of_gpu(evidence: MachineEvidence, context: Context) -> list[MachineEvidence]:
    return [other for other in context.machines if other.machine.gpu.slug == evidence.machine.gpu.slug]


def _counted(found: Sequence[Drift]) -> str:
    counts = Counter(one.verdict for one in found)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no program in common"


def _warnings(evidence: MachineEvidence, context: Context) -> Iterator[str]:
    machine = evidence.machine
    if machine.harness.tree != "clean":
        yield f"the working tree was {_cell(machine.harness.tree)}: a program may not be the committed one"
    if machine.gpu.mig:
        yield "MIG is on: this is a part of a GPU"
    for at in _standings(evidence, context):
        if at.record is None:
            continue
        name = f"day {at.record.day} {at.record.program}"
        if at.state != "fresh":
            yield f"{name} is {at.state}: {_cell(at.why)}"
        elif at.failed_lanes:
            yield f"{name}: {_cell(at.why)}"
    for record in evidence.records:
        values = [(name, value) for name, value in record.values.items() if isinstance(value, Measured)]
        if held := [name for name, value in values if value.throttled]:
            names = _cell(", ".join(held))
            yield f"day {record.day} {record.program}: the clock was held back while measuring {names}"
    if bare := unheld(context.course, evidence):
        yield f"no bandwidth is on record for this GPU, so these have no ceiling of their own: {', '.join(bare)}"
    everything = [encode(machine), *(encode(record) for record in evidence.records)]
    if found := words_in(everything, context.words):
        yield f"{plural(len(found), 'word')} in it may be your user's or host's name: look before you send"
