"""``gpu100 evidence check``"""

from __future__ import annotations

from gpu100.cli.console import out, shown
from gpu100.content.course import load_course
from gpu100.content.differs import load_notes
from gpu100.evidence.check import check_evidence, require
from gpu100.paths import find_root
from gpu100.units import number


def evidence_check() -> None:
    """Check every record as CI does: whole, unedited, in its place, possible, anonymous, and fresh
    where a day is published.
    """
    layout = find_root()
    report = check_evidence(load_course(layout), layout, load_notes(layout))
    require(report)
    out.print(str(report))
    for remark in report.remarks:
        out.print(shown(remark), soft_wrap=True)
    out.print(f"{number(report.compared)} exact results held against another machine's")
