"""NVRTC's PTX as data: everything it writes for ordinary kernels is there."""

from __future__ import annotations

import dataclasses
import pickle
import re
import struct
import time
from collections.abc import Iterator

import pytest
from gpu100.device.simt.ptx.ir import (
    Call,
    Function,
    Immediate,
    Instruction,
    Label,
    Location,
    Memory,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Variable,
    Vector,
)
from gpu100.device.simt.ptx.parser import NEWEST_VERSION, parse
from simt.plain import FOLDER, HEAD, callers, compiled, differences, instructions, kernel, misplaced, module

PROGRAMS = [
    *(
        (name, arch)
        for name in ("basics", "indirect")
        for arch in ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_120")
    ),
    *(("data", arch) for arch in ("sm_80", "sm_100")),
    *(("together", arch) for arch in ("sm_75", "sm_90", "sm_120")),
    *(("hopper", arch) for arch in ("sm_90", "sm_100")),
]


def named(function: Function, name: str) -> list[Instruction]:
    return [each for each in instructions(function) if each.name == name]


@pytest.mark.parametrize(("name", "arch"), PROGRAMS)
def test_every_instruction_written_again_is_what_stood_there(name: str, arch: str) -> None:
    ptx = compiled(name, arch)
    functions = [each for each in parse(ptx).functions.values() if not each.extern]
    assert len(functions) >= 2
    for function in functions:
        assert instructions(function)
        assert differences(ptx, function) == []


def change(function: Function, old: Instruction, **changes: object) -> Function:
    """A fault planted in one instruction of a function."""
    new = dataclasses.replace(old, **changes)  # type: ignore[arg-type]
    return dataclasses.replace(function, body=tuple(new if each is old else each for each in function.body))


def faults(function: Function) -> Iterator[Function]:
    """The function ``add`` with one thing wrong."""
    guarded = next(each for each in instructions(function) if each.predicate)
    yield change(function, guarded, predicate=None)
    yield change(function, guarded, predicate=Register("%p1.1"))
    yield change(function, guarded, negated=not guarded.negated)
    yield change(function, guarded, operands=(Label("$L__BB3_1"),))
    (load,) = named(function, "ld.global.nc.f32")
    yield change(function, load, modifiers=("global", "f32"))
    yield change(function, load, operands=load.operands[::-1])
    yield change(function, load, operands=(load.operands[0], Memory(Register("%rd6"), 4)))
    (fused,) = named(function, "fma.rn.f32")
    yield change(function, fused, operands=(*fused.operands[:2], Immediate(0x3FC00001, 32), fused.operands[3]))


def test_an_instruction_that_is_altered_is_found() -> None:
    ptx = compiled("basics", "sm_90")
    planted = list(faults(parse(ptx).functions["add"]))
    assert len(planted) == 8
    assert [len(differences(ptx, faulty)) for faulty in planted] == [1] * 8


def test_what_is_lost_or_moved_is_found() -> None:
    ptx = compiled("basics", "sm_90")
    add = parse(ptx).functions["add"]
    label = next(i for i, each in enumerate(add.body) if isinstance(each, Label))
    moved = (*add.body[: label - 1], add.body[label], add.body[label - 1], *add.body[label + 1 :])
    for body in (add.body[:-1], add.body[1:], add.body[:label] + add.body[label + 1 :], moved):
        assert differences(ptx, dataclasses.replace(add, body=body))


def test_a_param_of_another_call_is_found() -> None:
    ptx = compiled("basics", "sm_90")
    fib = parse(ptx).functions["_Z3fibi"]
    first, second = (each for each in instructions(fib) if each.call)
    assert differences(ptx, fib) == []
    assert len(differences(ptx, change(fib, second, call=first.call))) == 1


# What the parts of a module are.


def test_a_kernel_and_its_instructions() -> None:
    found = module("basics")
    assert found.version <= NEWEST_VERSION
    assert found.target == "sm_90"
    assert list(found.kernels) == [
        "inlined", "add", "structs", "constants", "recursion", "choose", "tile", "own_array", "packed"
    ]  # fmt: skip
    add = found.kernels["add"]
    assert add.directives == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}
    assert [(each.name, each.type, each.nbytes, each.align, each.space) for each in add.parameters] == [
        ("add_param_0", "u64", 8, 8, "param"),
        ("add_param_1", "u64", 8, 8, "param"),
        ("add_param_2", "u64", 8, 8, "param"),
        ("add_param_3", "u32", 4, 4, "param"),
    ]
    first, *_, last = instructions(add)
    assert (first.opcode, first.modifiers) == ("ld", ("param", "u64"))
    assert first.operands == (Register("%rd1"), Memory(Symbol("add_param_0")))
    assert (last.name, last.operands) == ("ret", ())
    (branch,) = named(add, "bra")
    assert branch.predicate == Register("%p1")
    assert not branch.negated
    (target,) = branch.operands
    assert isinstance(target, Label)
    assert target in add.body
    (fused,) = named(add, "fma.rn.f32")
    assert fused.operands == (Register("%f3"), Register("%f1"), Immediate(0x3FC00000, 32), Register("%f2"))
    assert fused.type == "f32"
    assert named(add, "mov.u32")[0].operands == (Register("%r3"), Special("%ctaid.x"))
    assert add.registers["%f3"] == "f32"
    assert add.registers["%rd8"] == "b64"
    assert add.registers["%p1"] == "pred"


def test_floats_live_in_plain_registers_from_compute_100_on() -> None:
    add = module("basics", "sm_100").kernels["add"]
    (fused,) = named(add, "fma.rn.f32")
    assert isinstance(fused.operands[0], Register)
    assert add.registers[fused.operands[0].name] == "b32"
    assert [(each.name, each.align) for each in add.parameters[:1]] == [("add_param_0", 8)]


def test_structures_are_parameters_of_bytes_and_calls_name_theirs() -> None:
    found = module("basics")
    structs = found.functions["structs"]
    assert structs.parameters[0] == Variable("structs_param_0", "param", 32, 16, type="b8")
    scale = found.functions["_Z5scalef8Particle"]
    assert not scale.entry
    assert [each.name for each in scale.returns] == ["func_retval0"]
    assert [each.nbytes for each in scale.parameters] == [4, 32]
    (call,) = (each.call for each in instructions(structs) if each.call)
    assert call.target == Symbol("_Z5scalef8Particle")
    assert len(call.returns) == 1
    assert len(call.arguments) == 2
    assert all(each in structs.variables for each in (*call.returns, *call.arguments))
    assert structs.variables[call.arguments[1]].nbytes == 32
    stores = [each for each in instructions(structs) if each.opcode == "st" and each.has("param")]
    assert {each.operands[0].base.name for each in stores} == set(call.arguments)  # type: ignore[union-attr]


def test_each_call_has_params_of_its_own() -> None:
    fib = module("basics").functions["_Z3fibi"]
    calls = [each.call for each in instructions(fib) if each.call]
    assert len(calls) == 2
    names = [name for call in calls for name in (*call.returns, *call.arguments)]
    assert len(set(names)) == 4
    assert set(names) <= set(fib.variables)


def test_variables_have_their_first_content() -> None:
    variables = module("basics").variables
    weights = variables["weights"]
    assert (weights.space, weights.nbytes, weights.align, weights.type) == ("const", 20, 4, "b8")
    assert weights.initial is not None
    assert struct.unpack("<3f", weights.initial) == (0.0625, -0.25, struct.unpack("f", struct.pack("f", 1e30))[0])
    assert variables["wide"].initial == struct.pack("<qQ", -1, 0x123456789ABCDEF0)
    assert variables["counter"] == Variable("counter", "global", 4, 4, type="u32")
    first = variables["first"]
    assert (first.nbytes, first.addresses, first.initial) == (16, ((8, "last", 0),), b"\1" + bytes(15))
    assert variables["middle"].addresses == ((0, "table", 12),)
    assert variables["$str"].initial == b"hello\n"
    dynamic = variables["dynamic"]
    assert (dynamic.space, dynamic.nbytes, dynamic.extern, dynamic.align) == ("shared", 0, True, 16)


def test_a_variable_of_every_kind() -> None:
    variables = module("data", "sm_80").variables
    packed = variables["packed"]
    assert packed.addresses == ((1, "numbers", 8), (11, "_Z3acti", 0))
    assert packed.initial is not None
    assert (packed.nbytes, packed.align) == (38, 1)
    assert (packed.initial[0], packed.initial[9:11], packed.initial[28:30]) == (ord("a"), b"\5\0", b"\xff\xff")
    assert variables["named"].addresses == ((0, "$str", 0), (16, "$str$1", 0))
    assert variables["managed"] == Variable("managed", "global", 4, 4, struct.pack("<i", 7), type="u32")
    assert variables["single"].initial == struct.pack("<f", 1.5)
    assert variables["twice"].initial == struct.pack("<d", -2.5)
    assert variables["negative"].initial == struct.pack("<h", -3)
    assert variables["minus_one"].initial == struct.pack("<q", -1)
    assert variables["yes"].initial == b"\1"
    assert (variables["to_numbers"].space, variables["to_numbers"].addresses) == ("const", ((0, "numbers", 0),))
    either = variables["either"]
    assert (either.nbytes, either.initial) == (8, struct.pack("<f", 2.0))


def test_shared_and_local_variables_are_the_functions_own() -> None:
    found = module("basics")
    assert found.functions["tile"].variables["_ZZ4tileE6square"] == Variable("_ZZ4tileE6square", "shared", 4224, 4)
    depots = [each for each in found.functions["own_array"].variables.values() if each.space == "local"]
    assert [each.nbytes for each in depots] == [256]
    assert found.functions["own_array"].registers["%SPL"] == "b64"


def test_functions_that_are_only_declared() -> None:
    found = module("indirect")
    assert {each.name for each in found.functions.values() if each.extern} == {
        "vprintf",
        "__assertfail",
        "malloc",
        "free",
    }
    vprintf = found.functions["vprintf"]
    assert [each.nbytes for each in vprintf.parameters] == [8, 8]
    assert (vprintf.body, vprintf.registers) == ((), {})
    # Those that were declared before their definition are defined.
    assert not found.functions["_Z4plusii"].extern
    assert found.functions["_Z4plusii"].body


def test_calls_through_addresses() -> None:
    found = module("indirect")
    assert found.variables["operations"].addresses == ((0, "_Z4plusii", 0), (8, "_Z5timesii", 0))
    assert found.variables["_ZTV4Disc"].addresses == ((16, "_ZNK4Disc4areaEv", 0), (24, "_ZNK5Shape4edgeEv", 0))
    (call,) = (each.call for each in instructions(found.functions["pointers"]) if each.call)
    assert isinstance(call.target, Register)
    assert found.functions["pointers"].registers[call.target.name] == "b64"
    assert (len(call.returns), len(call.arguments), call.candidates) == (1, 2, ())


def test_predicates_beside_results() -> None:
    found = module("together")
    shuffle = next(each for each in instructions(found.functions["shuffles"]) if each.opcode == "shfl")
    assert shuffle.modifiers == ("sync", "down", "b32")
    assert shuffle.operands[0] == Pair(Register("%r11"), Register("%p1"))
    scoped = found.functions["shuffle_with_predicate"]
    shuffle, add, compare, negated, under = [
        each for each in instructions(scoped) if each.opcode in ("shfl", "setp", "neg") or each.name == "add.s32"
    ]
    assert isinstance(shuffle.operands[0], Pair)
    kept, done = shuffle.operands[0].first, shuffle.operands[0].second
    assert isinstance(kept, Register)
    assert isinstance(done, Register)
    assert scoped.registers[kept.name] == "s32"
    assert add.predicate == done
    assert kept in add.operands
    assert isinstance(compare.operands[0], Pair)
    assert (negated.predicate, negated.negated) == (compare.operands[0].first, True)
    assert (under.predicate, under.negated) == (compare.operands[0].second, False)


def test_names_in_inner_braces_are_their_own() -> None:
    function = module("together").functions["nested_braces"]
    outer, inner, sum_inner, sum_outer, *_ = [
        each for each in instructions(function) if each.opcode in ("mov", "mul", "add")
    ]
    assert (outer.name, inner.name) == ("mov.u32", "mul.lo.u32")
    assert outer.operands[0] != inner.operands[0]
    assert (sum_inner.operands[1], sum_inner.operands[2]) == (inner.operands[0], Immediate(16))
    assert inner.operands[2] == Immediate(32)
    assert sum_outer.operands[2] == outer.operands[0]


def test_special_registers() -> None:
    found = module("together")
    specials = {
        operand.name
        for name in ("specials", "grid_sync")
        for each in instructions(found.functions[name])
        for operand in each.operands
        if isinstance(operand, Special)
    }
    assert specials >= {
        "%laneid", "%warpid", "%smid", "%lanemask_lt", "%globaltimer", "%dynamic_smem_size", "%clock64", "%nctaid.z",
        "%tid.y", "%envreg1", "%envreg2",
    }  # fmt: skip


def test_clusters_and_labels_of_inline_assembly() -> None:
    found = module("hopper", "sm_90")
    assert found.functions["clusters"].directives == {
        "explicitcluster": (),
        "maxntid": (128, 1, 1),
        "reqnctapercluster": (2, 1, 1),
    }
    copy = found.functions["bulk_copy"]
    labels = [each for each in copy.body if isinstance(each, Label) and each.name.startswith(("again.", "over."))]
    assert len(labels) == 2
    wait = next(each for each in instructions(copy) if each.modifiers[:2] == ("try_wait", "parity"))
    assert wait.modifiers == ("try_wait", "parity", "shared::cta", "b64")
    done = wait.operands[0]
    place = copy.body.index(wait)
    assert copy.body[place - 1] == labels[0]
    over, again = copy.body[place + 1 : place + 3]
    assert isinstance(over, Instruction)
    assert isinstance(again, Instruction)
    assert (over.predicate, over.operands, again.operands) == (done, (labels[1],), (labels[0],))
    (bulk,) = [each for each in instructions(copy) if each.has("bulk")]
    assert "mbarrier::complete_tx::bytes" in bulk.modifiers


def test_operands_that_are_seldom_seen() -> None:
    body = instructions(module("data", "sm_80").functions["odd_operands"])
    cached = next(each for each in body if each.has("L2::cache_hint"))
    assert cached.modifiers == ("global", "L1::no_allocate", "L2::cache_hint", "v4", "u32")
    vector, memory, _ = cached.operands
    assert isinstance(vector, Vector)
    assert vector.elements[1:3] == (Sink(), Sink())
    assert isinstance(memory, Memory)
    assert memory.offset == 16
    (fused,) = [each for each in body if each.name == "fma.rn.f64"]
    assert fused.operands[2:] == (Immediate(0x4000000000000000, 64), Immediate(0xC08F400000000000, 64))
    both = next(each for each in body if each.name == "setp.ne.and.b32")
    assert isinstance(both.operands[0], Pair)
    assert both.operands[3] == Negated(both.operands[0].second)  # type: ignore[arg-type]
    assert [each.operands[1] for each in body if each.name == "mov.u32"][-2:] == [Immediate(5), Immediate(15)]


def test_tables() -> None:
    # No NVRTC up to 13.5 was seen to write a brx: it makes comparisons of a switch.
    function = kernel("""
        ts: .branchtargets one, two,
            one;
        fs: .calltargets f, g;
        @!%p1 brx.idx %r1, ts;
        one: add.s32 %r1, %r1, 1;
        two: { .param .b32 a; call (a), %rd1, (a), fs; }
        call.uni f;
        exit;""", ".func f();\n.func (.param .b32 r) g(.param .b32 a);\n")  # fmt: skip
    assert function.tables == {"ts": ("one", "two", "one"), "fs": ("f", "g")}
    brx, _, through, plain, _ = instructions(function)
    assert (brx.name, brx.operands, brx.negated) == ("brx.idx", (Register("%r1"), Label("ts")), True)
    assert through.call == Call(Register("%rd1"), ("a.1",), ("a.1",), ("f", "g"))
    assert plain.call == Call(Symbol("f"), (), ())
    assert [each.name for each in function.body if isinstance(each, Label)] == ["one", "two"]


def test_what_else_may_stand_in_a_module() -> None:
    found = parse(f"""{HEAD}
        .file 3 "a/b//c.cu", 17, 20 .file 4 "d\\303\\251 \\"q\\\\.cu"
        .pragma "nounroll";;
        .extern .global .align 8 .b8 outside[];
        .visible .global .v4 .f32 quad;
        .global .u32 grid[3][5], other;
        .const .b8 list[] = {{1, -1, 0xFF}};
        .global .attribute(.unified(1, 2)) .b32 x = 0f3F800000;
        .weak .func (.param .align 4 .b8 r[12]) f (.param .b64 .ptr .global .align 4 p) .noreturn
        {{ .loc 3 5 1
          ret; .loc 4 6 1
          ret; }}
        .entry bare .reqntid 32 .pragma "a", "b" .maxnreg 24 {{ exit; }}
        .alias g, f;
        .section .debug_str {{ $a: .b8 1,2 .b32 $a+4 }}""")  # fmt: skip
    assert {name: each.nbytes for name, each in found.variables.items()} == {
        "outside": 0, "quad": 16, "grid": 60, "other": 4, "list": 3, "x": 4
    }  # fmt: skip
    assert found.variables["outside"].extern
    assert found.variables["quad"].align == 16
    assert found.variables["list"].initial == b"\1\xff\xff"
    assert found.variables["x"].initial == struct.pack("<f", 1.0)
    assert found.aliases == {"g": "f"}
    f = found.functions["f"]
    assert (f.returns[0].nbytes, f.parameters[0].nbytes, f.directives) == (12, 8, {"noreturn": ()})
    assert [each.location and each.location.file for each in instructions(f)] == ["a/b//c.cu", 'dé "q\\.cu']
    assert found.functions["bare"].directives == {"reqntid": (32,), "maxnreg": (24,)}


# Where instructions come from.


def line_of(name: str, text: str) -> int:
    """The line of a program in which ``text`` stands."""
    lines = (FOLDER / f"{name}.cu").read_text(encoding="utf-8").splitlines()
    (line,) = (i for i, each in enumerate(lines, 1) if text in each)
    return line


def test_what_is_inlined_has_its_callers() -> None:
    found = module("basics").functions["inlined"]
    (load,) = named(found, "ld.global.u32")
    lines = [line_of("basics", text) for text in ("return a[i] * 3", "return innermost(a, i)", "a[0] = middlemost")]
    chain = callers(load.location)
    assert [each.line for each in chain] == lines
    assert all(each.file.endswith("basics.cu") for each in chain)
    assert chain[0].outermost == chain[2]
    (store,) = named(found, "st.global.u32")
    assert store.location == Location(chain[0].file, lines[2], 5)


def test_what_a_header_holds_is_told_at_the_line_that_used_it() -> None:
    function = module("together").functions["grid_sync"]
    (trap,) = named(function, "trap")
    assert trap.location is not None
    assert trap.location.file.endswith("cooperative_groups.h")
    assert trap.location.outermost.line == line_of("together", "grid.sync()")
    assert max(len(callers(each.location)) for each in instructions(function)) >= 4


@pytest.mark.parametrize(("name", "arch"), [("basics", "sm_80"), ("together", "sm_75"), ("indirect", "sm_100")])
def test_every_instruction_has_the_line_of_the_latest_loc(name: str, arch: str) -> None:
    ptx = compiled(name, arch)
    for function in parse(ptx).functions.values():
        assert misplaced(ptx, function) == []


def test_an_instruction_at_the_line_of_its_neighbour_is_found() -> None:
    ptx = compiled("basics", "sm_90")
    add = parse(ptx).functions["add"]
    (fused,) = named(add, "fma.rn.f32")
    assert fused.location
    elsewhere = dataclasses.replace(fused.location, line=fused.location.line - 1)
    assert len(misplaced(ptx, change(add, fused, location=elsewhere))) == 1
    assert len(misplaced(ptx, change(add, fused, line=fused.line + 1))) == 1


def test_a_chain_of_callers_has_an_end() -> None:
    function = kernel(".loc 1 1 1, function_name x, inlined_at 1 1 1\nret;\n" * 2000)
    assert max(len(callers(each.location)) for each in instructions(function)) <= 33


def test_a_function_may_be_declared_once_more_behind_its_definition() -> None:
    f = parse(HEAD + ".func f() { ret; } .func f(); .extern .func g(); .extern .func g();").functions["f"]
    assert len(f.body) == 1
    assert not f.extern


# Names and operands.


def test_inner_names_hide_outer_ones_and_no_others() -> None:
    function = kernel("""
        { .reg .f32 %r<2>; mov.b32 %r1, %r5; { .reg .s32 %r1; mov.b32 %r1, %r0; } mov.b32 %r0, %r1; }
        mov.b32 %r1, %r0;""")
    assert [each.operands for each in instructions(function)] == [
        (Register("%r1.1"), Register("%r5")),
        (Register("%r1.2"), Register("%r0.1")),
        (Register("%r0.1"), Register("%r1.1")),
        (Register("%r1"), Register("%r0")),
    ]
    types = {"%r1.1": "f32", "%r5": "b32", "%r1.2": "s32", "%r0.1": "f32", "%r1": "b32", "%r0": "b32"}
    assert function.registers == types


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("-0x10U", Immediate(-16)),
        ("0d3FF8000000000000", Immediate(0x3FF8000000000000, 64)),
        ("-0f3F800000", Immediate(0xBF800000, 32)),
        (".5e1", Immediate(0x4014000000000000, 64)),
        ("18446744073709551615", Immediate(2**64 - 1)),
        ("[4096]", Memory(Immediate(4096))),
        ("[ k_param_0 + -0x4 ]", Memory(Symbol("k_param_0"), -4)),
        ("[%rd1-4]", Memory(Register("%rd1"), -4)),
        ("k_param_0+8", Symbol("k_param_0", 8)),
        ("%lanemask_ge", Special("%lanemask_ge")),
        ("%cluster_ctaid.y", Special("%cluster_ctaid.y")),
        ("%r1 | _", Pair(Register("%r1"), Sink())),
        ("{ %r1 , 2 }", Vector((Register("%r1"), Immediate(2)))),
        ("! %p1", Negated(Register("%p1"))),
    ],
)
def test_operands(text: str, operand: Operand) -> None:
    (instruction,) = instructions(kernel(f"any.thing {text};"))
    assert instruction.operands == (operand,)


# A function as a value.


def test_a_function_is_the_same_read_late_copied_or_replaced() -> None:
    found = module("basics")
    copied = pickle.loads(pickle.dumps(found))
    assert copied.functions["add"].body == found.functions["add"].body
    assert copied == found
    renamed = dataclasses.replace(found.functions["add"], name="other")
    assert (renamed.name, renamed.body) == ("other", found.functions["add"].body)
    with pytest.raises(AttributeError):
        found.functions["add"].nothing  # type: ignore[attr-defined]  # noqa: B018


def multiplied(ptx: str, count: int) -> str:
    """The functions of a module ``count`` times, under names of their own."""
    head, first, rest = ptx.partition("\n.func")
    names = "|".join(map(re.escape, parse(ptx).functions))
    copies = (re.sub(rf"\b({names})\b", rf"\1_{i}", first + rest) for i in range(count))
    return head + re.sub(r"\.file[^\n]*|\.section[^{}]*\{[^}]*\}", "", "\n".join(copies))


def seconds(ptx: str) -> float:
    """The best of a few times that reading everything of a text takes."""
    times = []
    for _ in range(5):
        before = time.process_time()
        assert all(each.body or each.extern for each in parse(ptx).functions.values())
        times.append(time.process_time() - before)
    return min(times)


def test_it_is_fast() -> None:
    ptx, headers = multiplied(compiled("basics", "sm_90"), 7), compiled("together", "sm_90")
    count = sum(len(instructions(each)) for each in parse(ptx).functions.values())
    assert count > 2413
    assert len(parse(headers).variables) > 1000
    bodies, variables = seconds(ptx), seconds(headers)
    print(f"{count} instructions: {bodies * 1e3:.0f} ms; 1000 variables: {variables * 1e3:.0f} ms")
    # Twice what is asked of an idle machine: a busy one takes as long.
    assert bodies < 2 * 0.075
    assert variables < 2 * 0.030
