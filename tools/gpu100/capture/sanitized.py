"""The sanitizer lane: four tools over the program, clean or with the findings that the day declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu100.capture.findings import LEAD, read_log
from gpu100.capture.redact import redactor
from gpu100.capture.tools import require_tool, run_tool, version_of
from gpu100.child import ONE_CONNECTION
from gpu100.errors import CheckFailed, CourseError, Unsupported
from gpu100.model.course import FindingSpec
from gpu100.model.lanes import SANITIZER_TOOLS, SanitizerFinding, SanitizerLane, SanitizerTool

Findings = Mapping[SanitizerTool, tuple[SanitizerFinding, ...]]

AT_ONCE = 2
"""Tools beside each other. Over all four, a program that prints a lot took ten times as long as over one by one."""

_OPTIONS: dict[SanitizerTool, tuple[str, ...]] = {
    # A program's calls are checked by itself; some fail on purpose, and some of libraries do so unseen.
    "memcheck": ("--report-api-errors", "no"),
    "racecheck": (),
    "initcheck": (),
    "synccheck": (),
}


def find() -> Path:
    """The ``compute-sanitizer`` of this machine.

    Raises:
        Unsupported: there is none.
    """
    return require_tool("compute-sanitizer", "Compute Sanitizer")


def run(
    declared: Sequence[FindingSpec], target: Sequence[str], *, root: Path, scratch: Path, seconds: float
) -> SanitizerLane:
    """Run the command ``target`` under each tool, for at most ``seconds`` a tool.

    Raises:
        Unsupported: there is no sanitizer, or it does not support the GPU.
        CheckFailed: it found something that is not declared, or did not find what is.
        CourseError: a tool, or the program under it, failed.
    """
    sanitizer = find()

    def one(tool: SanitizerTool) -> tuple[SanitizerFinding, ...]:
        return run_one(sanitizer, tool, target, declared, root=root, scratch=scratch, seconds=seconds)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(SANITIZER_TOOLS, pool.map(one, SANITIZER_TOOLS), strict=True))
    require_declared(found, declared)
    version = version_of(sanitizer)
    return SanitizerLane(kind="sanitizer", status="ok", tool=f"Compute Sanitizer {version}", findings=found)


def require_declared(found: Findings, declared: Sequence[FindingSpec]) -> None:
    """Raise unless what was ``found`` is what was ``declared``, all of it and nothing else.

    Raises:
        CheckFailed: with the first finding too many, or too few.
    """
    for tool, findings in found.items():
        for finding in findings:
            if not any(_meant(spec, tool, finding) for spec in declared):
                where = f" in {finding.kernel}" if finding.kernel else ""
                raise CheckFailed(f"{tool}: {finding.what}{where}, {finding.count} times, which nobody declared")
    for spec in declared:
        if not any(_meant(spec, spec.tool, finding) for finding in found.get(spec.tool, ())):
            raise CheckFailed(f"{spec.tool} did not find what is declared: {spec.what!r} in {spec.kernel}")


def _meant(spec: FindingSpec, tool: SanitizerTool, finding: SanitizerFinding) -> bool:
    return (spec.tool, spec.kernel) == (tool, finding.kernel) and spec.what in finding.what


def run_one(
    sanitizer: Path,
    tool: SanitizerTool,
    target: Sequence[str],
    declared: Sequence[FindingSpec],
    *,
    root: Path,
    scratch: Path,
    seconds: float,
) -> tuple[SanitizerFinding, ...]:
    """The findings of one tool, as it names them; of the program alone, unless findings are ``declared``.

    Raises:
        Unsupported, CourseError: as :func:`run`.
    """
    # Processes that a program starts fail on purpose. Unless a finding is expected there, watching them
    # only takes time: three times as long as all the rest on day 7.
    watched = "all" if declared else "application-only"
    # A log of its own for each process, since a program may start some.
    command = [str(sanitizer), "--tool", tool, "--target-processes", watched, "--log-file", f"{scratch}/{tool}.%p.log"]
    command += ["--show-backtrace", "device", "--print-limit", "1000", *_OPTIONS[tool], *target]
    ran = run_tool(command, root=root, seconds=seconds, settings=ONE_CONNECTION)
    logs = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(scratch.glob(f"{tool}.*"))]
    log = redactor(root)("\n".join(logs))
    # Its own lines alone: a program may print such words of something else.
    own = [line for line in (log + "\n" + ran.stdout).splitlines() if line.startswith(LEAD)]
    if any("not supported" in line for line in own):
        raise Unsupported("Compute Sanitizer does not support this GPU, or not in this virtual machine")
    if ran.timed_out:
        raise CourseError(f"{tool} {ran.ended_badly}")
    try:
        findings = read_log(log or ran.stdout)
    except CourseError as error:
        raise CourseError(f"{tool}: {error.message}; {ran.last_words}") from None
    # Silence about a part that never ran says nothing. So a mistake that is there on purpose has a process of
    # its own; where one that nobody declared has ended the program, that is what is to be told.
    if ran.ended_badly and all(any(_meant(spec, tool, finding) for spec in declared) for finding in findings):
        raise CourseError(f"under {tool} the program {ran.ended_badly}: {ran.last_words}")
    return findings
