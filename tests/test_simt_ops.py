"""What PTX instructions mean: every one that is known, in every type, against plain Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from gpu100.device.simt.decode.ops import EMITTERS, Context
from gpu100.device.simt.decode.ops.registry import Rule, others
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import Instruction, Register
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from simt.catalogue import CASES
from simt.harness import Case, check, compiled
from simt.values import grid, value

FORMS = ("lanes", "first", "last", "constant")
OPCODES = sorted(CASES)


@pytest.mark.parametrize("opcode", OPCODES)
def test_edges(opcode: str) -> None:
    limit = max(24, min(300, 6000 // len(CASES[opcode])))
    for case in CASES[opcode]:
        check(case, grid(case, limit))


@pytest.mark.parametrize("opcode", OPCODES)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
@given(data=st.data())
def test_any_lanes(opcode: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.tuples(*[st.integers(0, 2**67 - 1)] * 4), min_size=1, max_size=16))
    form = data.draw(st.sampled_from(FORMS))
    for case in CASES[opcode]:
        rows = [tuple(value(type, bits) for type, bits in zip(case.sources, row, strict=False)) for row in drawn]
        check(case, rows, form if _may_be(case, form) else "lanes")


def _may_be(case: Case, form: str) -> bool:
    """NVRTC folds what depends on constants alone; a carry and a negated predicate are registers."""
    if form == "constant":
        return len(case.sources) > 1 and case.sources[-1] != "cc" and case.shape != "negated" and not case.constants
    return form == "lanes" or len(case.sources) > 1


def _untested() -> Iterator[str]:
    for opcode, types in EMITTERS.items():
        for type, rule in types.items():
            tried = [others(case.instruction) for case in CASES.get(opcode, []) if case.instruction.type == type]
            if not tried:
                yield f"{opcode}.{type}"
            yield from (f"{opcode}.{word}.{type}" for word in rule.modifiers.difference(*map(frozenset, tried)))


def test_every_known_instruction_is_tested_in_every_type_and_with_every_modifier() -> None:
    assert sorted(_untested()) == []


def test_an_untested_instruction_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = EMITTERS["add"]["s32"]
    monkeypatch.setitem(EMITTERS, "new", {"u32": rule})
    monkeypatch.setitem(EMITTERS["popc"], "b32", Rule(rule.emit, frozenset({"odd"})))
    assert sorted(_untested()) == ["new.cc.u32", "new.sat.u32", "new.u32", "popc.odd.b32"]


UNKNOWN = """add.sat.u32 mul.u32 fma.rn.relu.f32 cvt.rn.satfinite.e2m1x2.f32 vabsdiff4.u32.u32.u32 tex.2d.v4.f32.f32
    setp.s32 cvt.f32 add.f32x2 lop3.or.b32 cvt.rzi.f32.f64 cvt.s32.f32 cvt.rn.f16x2.f32.e4m3x2 add.b32"""


@pytest.mark.parametrize("name", UNKNOWN.split())
def test_what_is_not_known_is_refused(name: str) -> None:
    opcode, *modifiers = name.split(".")
    instruction = Instruction(opcode, tuple(modifiers), tuple(Register(f"s{k}") for k in range(4)))
    with pytest.raises(NotModeled, match=name):
        compiled(instruction, ())


def _wrong(opcode: str, type: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(i: Instruction, c: Context) -> None:
        names = {f"s{k}": c.read(operand, type) for k, operand in enumerate(i.operands[1:])}
        c.write(i.operands[0], line.format(**names), type)

    rule = dataclasses.replace(EMITTERS[opcode][type], emit=emit)
    monkeypatch.setitem(EMITTERS[opcode], type, rule)


@pytest.mark.parametrize(
    ("name", "type", "line"),
    [
        ("mul.hi.u32", "u32", "{s0} * {s1}"),
        ("add.u32", "u32", "({s0} | {s1}) + ({s0} & {s1}) + ({s0} == 0x7FFFFFFF)"),
        ("shr.s32", "s32", "{s0} >> ({s1} & 31)"),
        ("div.s32", "s32", "{s0} // {s1}"),
        ("copysign.f32", "f32", "np.copysign({s0}, {s1})"),
        ("max.f32", "f32", "np.maximum({s0}, {s1})"),
        ("fma.rn.f32", "f32", "(np.multiply({s0}, {s1}, dtype=np.float64) + {s2}).astype(np.float32)"),
        ("add.rn.f32", "f32", "np.add({s0}, {s1}, dtype=np.float64)"),
        ("add.f32", "f32", "np.add({s0}, {s1}, out={s0})"),
        ("brev.b32", "b32", "{s0}.reshape(1, -1)"),
        ("popc.b32", "u32", "np.uint32(3)"),
    ],
)
def test_a_wrong_expression_is_noticed(name: str, type: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in CASES[name.split(".")[0]] if case.name == name)
    # Through f64 an fma is wrong only where its sum looks like a tie, which the edges do not meet.
    rows = [(0x3F800800, 0x3F800800, 0x21800000)] if name == "fma.rn.f32" else grid(case)
    check(case, rows)
    compiled.cache_clear()
    _wrong(name.split(".")[0], case.instruction.type, line, monkeypatch)
    with pytest.raises((AssertionError, ValueError)):
        check(case, rows)
    compiled.cache_clear()
