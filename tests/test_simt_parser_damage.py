"""PTX that is wrong, damaged or not for us: one of two errors, at its line, and soon."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import Module
from gpu100.device.simt.ptx.parser import PtxError, parse
from gpu100.model.behaviour import COMPILE_OPTIONS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simt.plain import HEAD, compiled, instructions, kernel


def test_a_mistake_in_a_function_matters_only_where_it_is_asked_for() -> None:
    found = parse(HEAD + ".func f() { ret; }\n.func g() {\n ret;\n mov.b32 %r1, 3;\n}\n.func h() { tex [f, {1}]; }")
    assert instructions(found.functions["f"])
    assert found.functions["g"].name == "g"
    assert found.functions["g"].parameters == ()
    for _ in range(2):
        with pytest.raises(PtxError, match=r"^PTX line 7: '%r1' is not declared$") as caught:
            assert found.functions["g"].body
        assert (caught.value.line, caught.value.location) == (7, None)
    with pytest.raises(NotModeled, match="tex with the address"):
        assert found.functions["h"].registers


def test_a_mistake_in_an_asm_statement_is_told_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cu"
    path.write_text('extern "C" __global__ void k(int* x) {\n    x[0] = 1;\n    asm volatile("bar.sync 4 5;");\n}\n')
    ptx = compile_source(Source.read(path, None), "sm_90", COMPILE_OPTIONS, target="ptx").decode()
    with pytest.raises(PtxError, match=r"wrong\.cu:3, PTX line \d+: '4 5' is not a number\n.*asm statement"):
        assert parse(ptx).functions["k"].body


def test_comments_count_as_the_lines_that_they_are() -> None:
    with pytest.raises(PtxError, match=r"^PTX line 9: '%q' is not declared$"):
        assert kernel("/* one\n two\n*/ // three\n ret; neg.s32 %q, 1;").body


@pytest.mark.parametrize("version", ["1.0", "8.8", "9.0", "9.5"])
def test_older_versions_of_ptx_are_read(version: str) -> None:
    assert parse(HEAD.replace("9.0", version, 1)).version == tuple(map(int, version.split(".")))


@pytest.mark.parametrize("version", ["9.6", "9.10", "10.0"])
def test_newer_versions_of_ptx_are_refused(version: str) -> None:
    with pytest.raises(NotModeled, match=rf"not modeled: PTX {version}\n.*up to 9\.5"):
        parse(HEAD.replace("9.0", version, 1))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("add.s32 %r1, %r2, %q;", "'%q' is not declared"),
        ("add.s32 %r1, %r2, %r9;", "'%r9' is not declared"),
        ("add.s32 %r1, %r2, %r01;", "'%r01' is not declared"),
        ("mov.u64 %rd1, nowhere;", "'nowhere' is not declared"),
        ("{ .reg .b32 t; } mov.b32 t, 1;", "'t' is not declared"),
        (".reg .b32 %r<3>;", "'%r' is declared twice"),
        ("a: a: ret;", "'a' is declared twice"),
        ("bra nowhere;", "'nowhere' is not declared"),
        ("bra %r1;", "bra goes to no label"),
        ("bra;", "bra goes to no label"),
        ("a: ret; brx.idx %r1, a;", "'a' is nothing to branch to"),
        ("a: .branchtargets a; bra a;", "'a' is nothing to branch to"),
        ("{ a: ret; } bra a;", "'a' is not declared"),
        (".branchtargets a;", "has no label"),
        ("a: .branchtargets %r1;", "'%r1' is nothing to go to"),
        ("@%r1 ret;", "'%r1' is not a predicate"),
        ("selp.b32 %r1, 1, 2, !%r2;", "'%r2' is not a predicate"),
        ("add.s32 %r1, , 2;", "an operand is missing"),
        ("add.s32 %r1, 2,;", "an operand is missing"),
        ("add.s32 %r1, 2 3;", "'2 3' is not a number"),
        ("add.s32 %r1|%p1|%p2, 2;", "is not a number"),
        ("mov.b32 %r1, 0f3F8;", "is not a number"),
        ("mov.b32 %r1, 08;", "is not a number"),
        ("ld.u32 %r1, [%rd1;", "is not an address"),
        ("ld.u32 %r1, [%rd1+%rd2];", "is not an address"),
        ("ld.u32 %r1, [%rd1+rd2];", "'rd2' is not a number"),
        ("ld.u32 %r1, [%rd1+0f3F800000];", "is not an integer"),
        ("ld.u32 %r1, [%tid.x];", "is not an address"),
        ("mov.b32 %r1, %r2+4;", "adds to what is not an address"),
        ("ld.v2.u32 {%r1, {%r2}}, [%rd1];", "is no statement"),
        ("add..s32 %r1, 2, 3;", "is no instruction"),
        ("ret", "is no statement"),
        ("}", "is no declaration"),
        ("{", "does not end"),
        (".loc 1 2;", "is no directive"),
        (".nonsense 3;", "is no directive"),
        (".shared .align 3 .b8 s[4];", "an alignment of 3 bytes"),
        ("call (a b), k;", "is not a number"),
        ("call 3;", "is nothing to call"),
        ("/* ret;", "a comment does not end"),
        ('.pragma "a;', "a string does not end"),
    ],
)
def test_what_an_assembler_would_refuse(text: str, problem: str) -> None:
    with pytest.raises(PtxError, match=re.escape(problem)) as caught:
        assert kernel("\n" + text).body
    assert 5 <= caught.value.line <= 9


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f2, %f3}];", "tex.2d.v4.f32.f32 with the address"),
        (".reg .v4 .f32 q;", "registers of type .v4"),
        (".shared .texref t;", "a variable of type .texref"),
        ("call k, (%r1);", "passes something else than .param variables"),
        ("{ .param .b64 a; call k, (a+4); }", "passes something else than .param variables"),
        (".shared .b64 a; call k, (a);", "passes something else than .param variables"),
    ],
)
def test_what_the_model_does_not_have(text: str, problem: str) -> None:
    with pytest.raises(NotModeled, match=re.escape(problem)):
        assert kernel(text).body


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (".global .b8 x[2] = {1, 2, 3};", "x has 2 bytes and an initialiser of 3"),
        (".global .b8 x[2] = {1, 2;", "is not an initialiser"),
        (".global .b8 x = 256;", "does not fit .b8"),
        (".global .b8 x, y = 1;", "one initialiser for several variables"),
        (".global .b8 x[y];", "'y' is not a number"),
        (".global .b8 x; .global .b8 x;", "'x' is defined twice"),
        (".func f() { } .func f() { }", "'f' is defined twice"),
        (".func f() { } .global .b8 f;", "'f' is defined twice"),
        (".global .b8 f; .func f();", "'f' is defined twice"),
        (".global x;", "declares nothing"),
        (".entry k(.b32 x) { }", "is not a parameter"),
        (".entry k() nonsense { }", "is no directive of a function"),
        (".entry k()", "is no declaration"),
        (".global .b8 x", "is no declaration"),
        ("ret;", "is no declaration"),
    ],
)
def test_declarations_that_are_wrong(text: str, problem: str) -> None:
    with pytest.raises(PtxError, match=re.escape(problem)) as caught:
        parse(HEAD + text)
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (".global .b8 x[4] = {{1, 2}, {3, 4}};", "nested braces"),
        (".global .b8 x[8] = {0xFF(y), 0xFF0000(y)};", "an address cut up"),
        (".global .b8 x[8] = {0xFF(y), 0xFF00(y)};", "a part of an address"),
        (".global .b32 x = y;", "an address cut up"),
        (".global .f32 x = 1.5;", "as first content of type .f32"),
        (".func (.reg .b32 r) f (.reg .b32 x) { }", "registers as parameters"),
    ],
)
def test_declarations_that_the_model_does_not_have(text: str, problem: str) -> None:
    with pytest.raises(NotModeled, match=re.escape(problem)):
        parse(HEAD + text)


def test_a_module_without_a_version_is_none() -> None:
    for text in ("", ".target sm_90\n", ".version 9.0\n"):
        with pytest.raises(PtxError, match=r"there is no \.version, or no \.target"):
            parse(text)
    with pytest.raises(NotModeled, match="addresses of 32 bits"):
        parse(HEAD.replace("64", "32"))


def outcome(text: str, reader: Callable[[str], Module] = parse) -> str:
    """What becomes of a text; anything but a module or one of the two errors is raised."""
    try:
        functions = reader(text).functions
    except PtxError:
        return "not PTX"
    except NotModeled:
        return "not modeled"
    for function in functions.values():
        try:
            assert function.body is not None
        except (PtxError, NotModeled):
            continue
    return "read"


def seconds(text: str, reader: Callable[[str], Module] = parse) -> float:
    before = time.process_time()
    outcome(text, reader)
    return time.process_time() - before


TOKEN = re.compile(r"[%$\w.]+|\s+|.", re.S)
SOME = (
    *("{", "}", ";", ":", ",", "[", "]", "(", ")", "@", "!", "|", "_", "+", "-", "<", ">", "=", '"', "/*", "//", "*/"),
    *("::", ".reg", ".loc 1", "%r1", "%p1", "0f3F800000", "99999999999999999999999", "0x", ".5", "call", "bra", "\0"),
    *("é", "٣", "\n", ".func", ".param .b32 x", ".align 0", "generic(", "\\"),
)
SMALL = ("basics", "indirect", "data")


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text some of whose words are lost, doubled, replaced or swapped, or that ends early."""
    tokens = TOKEN.findall(text)
    for _ in range(draw(st.integers(1, 6))):
        place, other = draw(st.integers(0, len(tokens) - 1)), draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("lose", "double", "replace", "insert", "swap", "alter", "end"))):
            case "lose":
                del tokens[place : place + draw(st.integers(1, 40))]
            case "double":
                tokens.insert(place, tokens[place])
            case "replace":
                tokens[place] = draw(st.sampled_from(SOME))
            case "insert":
                tokens.insert(place, draw(st.sampled_from(SOME)))
            case "swap":
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case "alter":
                tokens[place] = draw(st.characters()) + tokens[place][1:]
            case _:
                del tokens[place + 1 :]
        tokens = tokens or ["x"]
    return "".join(tokens)


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_ptx_is_read_or_refused(name: str, data: st.DataObject) -> None:
    assert seconds(data.draw(damaged(compiled(name, "sm_90")))) < 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SOME), max_size=30).map(" ".join))
def test_rubbish_is_read_or_refused(text: str) -> None:
    assert outcome(text) == "not PTX"
    outcome(HEAD + text)
    outcome(f"{HEAD}.func f() {{ .reg .b32 %r<3>; {text} ; }}")


@pytest.mark.parametrize("fault", [KeyError, IndexError, RecursionError, AttributeError, ValueError])
def test_any_other_error_would_be_seen(fault: type[Exception]) -> None:
    def reader(text: str) -> Module:
        raise fault(text)

    with pytest.raises(fault):
        outcome("", reader)


def test_time_that_is_wasted_would_be_seen() -> None:
    def reader(text: str) -> Module:
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        return parse(text)

    assert seconds(HEAD, reader) > 0.2 > seconds(HEAD)


LONG = 250_000
REPEATED = ("{", "}", "/*", '"', "[", "a|", "@%p1 ", ",", ";", "a:", "1", "%r1,", "a.", " ", "{%r1,", ".visible ", "x ")
AROUND = (
    ("", ""),
    (".func f() {", "}"),
    (".func f() { add.s32 ", "; }"),
    (".global .b8 x = {", "};"),
    (".func f(", ") {}"),
)


@pytest.mark.parametrize("part", REPEATED)
def test_a_long_line_is_answered_soon(part: str) -> None:
    for before, after in AROUND:
        # A second or two at most where time grows as the length; as its square it would be minutes.
        assert seconds(HEAD + before + part * (LONG // len(part)) + after) < 8


def test_deep_braces_and_many_names_are_answered_soon() -> None:
    count = 10_000
    nested = "{ .reg .b32 a; mov.b32 a, 1; b: bra b; " * count + "}" * count
    assert len(instructions(kernel(nested))) == 2 * count
    many = "".join(f".global .u32 v{i};\n.func f{i}() {{ ret; }}\n" for i in range(count))
    assert seconds(HEAD + many) < 8
    wide = kernel(".reg .b32 %q<999999999>; mov.b32 %q7, %q999999998;")
    assert wide.registers == {"%q7": "b32", "%q999999998": "b32"}
