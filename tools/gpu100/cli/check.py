"""``gpu100 evidence check``"""

from __future__ import annotations

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.evidence.check import check_evidence, require
from gpu100.paths import find_root


def evidence_check() -> None:
    """Check every record as CI does: whole, unedited, in its place, and fresh where a day is published."""
    layout = find_root()
    report = check_evidence(load_course(layout), layout)
    require(report)
    out.print(str(report))
