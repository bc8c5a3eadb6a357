"""The child that runs the suite on this machine's GPU: ``python -m gpu100.fidelity.worker results FILE``.

``results`` writes what every case's kernel wrote; ``launch`` only launches, for a profiler that
watches, and takes names of cases. Either way a case is launched once, in the order of the suite.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpu100.decode import encode
from gpu100.device.choose import open_device
from gpu100.errors import CourseError
from gpu100.fidelity.case import Case
from gpu100.fidelity.run import is_right, run_cases, stored
from gpu100.fidelity.suite import CASES, case_of
from gpu100.model.device import GPU


def main(verb: str, *rest: str) -> int:
    """Run the cases; 0 if all could be run."""
    names = rest if verb == "launch" else ()
    try:
        results = _run([case_of(name) for name in names] or CASES)
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if verb == "results":
        Path(rest[0]).write_text(json.dumps(results), encoding="utf-8")
    return 0


def _run(cases: Sequence[Case]) -> dict[str, Any]:
    return {
        case.name: {
            "key": case.key(),
            "kernel": case.kernel,
            "right": is_right(case, values),
            "results": [encode(stored(case, array)) for array in values],
        }
        for case, values in run_cases(open_device(GPU), cases)
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
