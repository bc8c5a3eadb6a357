"""The list of what the model has: it is the registries', and a page shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from gpu100.content.instructions import dump_instructions, instructions_file, load_instructions
from gpu100.device.simt.decode import ops
from gpu100.device.simt.decode.flow import CONTROL
from gpu100.device.simt.decode.instructions import instructions
from gpu100.device.simt.decode.lane_ops import OPCODES
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import Instruction
from gpu100.errors import ContentError
from gpu100.model.instructions import Family, Form, Instructions, ModeledInstruction
from gpu100.paths import Layout
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.instructions import InstructionNames


def test_the_committed_list_is_what_the_registries_hold(repository: Layout) -> None:
    assert instructions_file(repository).read_text(encoding="utf-8") == dump_instructions(instructions()), (
        "gpu100 fidelity instructions writes it"
    )
    assert load_instructions(repository) == instructions()


def test_every_opcode_is_listed_once_in_a_family_or_several_of_different_types() -> None:
    listed = {one.opcode for family in instructions().families for one in family.instructions}
    assert listed == {*ops.EMITTERS, *OPCODES, *CONTROL} - {"copy", "enter"}
    assert len(listed) == instructions().count > 60
    assert all(one.what or one.forms for family in instructions().families for one in family.instructions)


def test_every_listed_form_is_known_and_one_word_more_is_not() -> None:
    tried = 0
    for family in instructions().families:
        for one in family.instructions:
            for form in one.forms:
                for type in form.types.split() or [""]:
                    words = tuple(filter(None, type.split()))
                    assert ops.emitter(Instruction(one.opcode, words, ()))
                    with pytest.raises(NotModeled):
                        ops.emitter(Instruction(one.opcode, ("strange", *words), ()))
                    tried += 1
    assert tried > 150


def test_a_new_instruction_makes_the_committed_list_differ(repository: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ops.EMITTERS, "brandnew", dict(ops.EMITTERS["not"]))
    assert load_instructions(repository) != instructions()


def test_a_list_that_was_edited_by_hand_is_refused_with_its_place(mini: Layout) -> None:
    assert load_instructions(mini) is None
    path = instructions_file(mini)
    path.write_text('{"families": [{"name": "x"}]}', encoding="utf-8")
    with pytest.raises(ContentError, match=r"families\[0\]: missing key 'instructions'"):
        load_instructions(mini)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ContentError, match=r"instructions\.json:1"):
        load_instructions(mini)


def test_the_page_shows_every_instruction() -> None:
    known = Instructions(
        families=(
            Family(
                name="Integers",
                instructions=(
                    ModeledInstruction(opcode="add", forms=(Form(types="u32 s32", words="cc"), Form(types="u64"))),
                ),
            ),
            Family(name="Branches", instructions=(ModeledInstruction(opcode="bra", what="branches"),)),
        ),
        registers="%tid.x",
        functions="vprintf",
    )
    names = InstructionNames(known).names()
    block, count = names["instructions"](), names["instruction_count"]()
    assert isinstance(block, Block)
    assert isinstance(count, Inline)
    assert count.text == "2"
    rows = [[cell.text for cell in row.select("td")] for row in BeautifulSoup(block.html, "html.parser").select("tr")]
    assert rows == [[], ["add", "u32 s32", "cc"], ["", "u64", ""], [], ["bra", "branches"]]
    assert all(word in block.html for word in ("%tid.x", "vprintf"))


def test_a_page_without_a_list_is_told_what_writes_it() -> None:
    with pytest.raises(ExpressionError, match=r"instructions\.json") as raised:
        InstructionNames(None).names()["instructions"]()
    assert raised.value.hint == "gpu100 fidelity instructions writes it"


def test_the_file_is_stable_json(tmp_path: Path) -> None:
    text = dump_instructions(instructions())
    assert json.loads(text)["registers"].split() == sorted(json.loads(text)["registers"].split())
    assert text == dump_instructions(instructions())
