"""All cases there are."""

from __future__ import annotations

from collections import defaultdict

from simt import approximations, bitwise, comparisons, conversions, floats, integers
from simt.harness import Case

FAMILIES = (approximations, bitwise, comparisons, conversions, floats, integers)
CASES: dict[str, list[Case]] = defaultdict(list)
for _family in FAMILIES:
    for _case in _family.cases():
        CASES[_case.instruction.opcode].append(_case)
