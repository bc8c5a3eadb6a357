"""``gpu100 doctor``"""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.markup import escape

from gpu100.capture.doctor import NEVER_RECORDED, RECORDED, examine, vouched
from gpu100.capture.symptoms import Item
from gpu100.cli.console import out
from gpu100.errors import Unsupported, plural
from gpu100.paths import find_root

_MARKS = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "problem": "[bold red]problem[/]"}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """Look at this machine: GPU, driver, compiler, tools, what is wrong and what to do about it.

    A wrong answer and an error are planted on the GPU. Evidence from this machine can be trusted
    where both are caught and nothing is a problem: then it ends with 0, without a GPU with 4, else with 1.
    """
    items: list[Item] = []
    for item in examine(find_root()):
        items.append(item)
        if not as_json:
            _tell(item)
    good = vouched(items)
    if as_json:
        said = {"vouched": good, "items": [dataclasses.asdict(item) for item in items]}
        print(json.dumps(said | {"recorded": RECORDED, "never recorded": NEVER_RECORDED}, indent=2))
    else:
        _conclude(items, good)
    if not good:
        no_gpu = any(item.name in ("GPU", "cuda-python") and item.state == "problem" for item in items)
        raise typer.Exit(Unsupported.exit_code if no_gpu else 1)


def _tell(item: Item) -> None:
    out.print(f"{_MARKS[item.state]} {escape(item.name)}: {escape(item.says)}", soft_wrap=True)
    if item.cure:
        out.print(f"  {escape(item.cure)}", soft_wrap=True)


def _conclude(items: list[Item], good: bool) -> None:
    out.print("\nRecorded: " + "; ".join(RECORDED) + ".", soft_wrap=True)
    out.print("Never recorded: " + "; ".join(NEVER_RECORDED) + ".", soft_wrap=True)
    counts = [plural(sum(item.state == state for item in items), state) for state in ("problem", "warning")]
    verdict = "Evidence from this machine can be trusted" if good else "This machine cannot give evidence as it is"
    out.print(f"\n{verdict}: {len(items)} things looked at, {', '.join(counts)}.", soft_wrap=True)
