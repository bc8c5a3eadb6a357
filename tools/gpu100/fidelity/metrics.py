"""The model's counters, and Nsight Compute's metrics that they are held against.

Every metric name is here and nowhere else. They are those of compute capability 9.0 and of
Nsight Compute 2025; what another version or GPU lacks is left out and said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu100.model.fidelity import Grade, MeasuredCase, Number

PER_OPCODE = "sass__inst_executed_per_opcode"
"""Warp instructions by opcode: one metric with an instance for each."""


@dataclass(frozen=True, kw_only=True)
class Counter:
    """One counter: its name in a report of the model, and where the GPU's comes from."""

    name: str
    title: str
    grade: Grade
    meaning: str
    metrics: tuple[tuple[str, ...], ...] = ()
    """Alternatives, the best first; each is a sum of metrics."""
    opcodes: tuple[str, ...] = ()
    """Opcodes whose instructions are the counter; they go before metrics."""
    within: float = 0.0
    """For indicative ones: how far the model may be off, relative to the GPU."""

    def measured(self, case: MeasuredCase) -> Number | None:
        """The GPU's count; None where nothing told it."""
        source = self.source((case,))
        if source is None:
            return None
        if self.opcodes and case.opcodes:
            return sum(case.opcodes.get(opcode, 0) for opcode in self.opcodes)
        return sum(case.metrics[name] for name in source.split(" + "))

    def source(self, cases: tuple[MeasuredCase, ...]) -> str | None:
        """What the GPU's count is taken from in all of ``cases``; None where nothing told it."""
        if self.opcodes and all(case.opcodes for case in cases):
            return f"{PER_OPCODE}: {', '.join(self.opcodes)}"
        found = (names for names in self.metrics if all(_has(case.metrics, names) for case in cases))
        return next((" + ".join(names) for names in found), None)


def _has(metrics: Mapping[str, Number], names: tuple[str, ...]) -> bool:
    return all(name in metrics for name in names)


def _one_of(*names: str) -> tuple[tuple[str, ...], ...]:
    return tuple((name,) for name in names)


def _l1(unit: str, space: str, op: str) -> tuple[tuple[str, ...], ...]:
    return _one_of(f"l1tex__t_{unit}_pipe_lsu_mem_{space}_op_{op}.sum")


def _global_counters() -> tuple[Counter, ...]:
    made = []
    for space in ("global", "local"):
        for verb, op in (("load", "ld"), ("store", "st")):
            made.append(
                Counter(
                    name=f"{space}_{verb}_requests",
                    title=f"{space} {verb} requests",
                    grade="exact",
                    meaning=f"Warp instructions that {verb} {space} memory with at least one lane on.",
                    metrics=_l1("requests", space, op),
                )
            )
            made.append(
                Counter(
                    name=f"{space}_{verb}_sectors",
                    title=f"{space} {verb} sectors",
                    grade="exact",
                    meaning="Pieces of 32 bytes that these touch, each counted once a request.",
                    metrics=_l1("sectors", space, op),
                )
            )
    return tuple(made)


def _shared_counters() -> tuple[Counter, ...]:
    made = []
    for verb, op in (("load", "ld"), ("store", "st")):
        made.append(
            Counter(
                name=f"shared_{verb}_requests",
                title=f"shared {verb} requests",
                grade="exact",
                meaning=f"Warp instructions that {verb} shared memory with at least one lane on.",
                metrics=_one_of(
                    f"smsp__sass_inst_executed_op_shared_{op}.sum", f"smsp__inst_executed_op_shared_{op}.sum"
                ),
            )
        )
        made.append(
            Counter(
                name=f"shared_{verb}_wavefronts",
                title=f"shared {verb} wavefronts",
                grade="exact",
                meaning="Turns that the banks need for these; more than the fewest is a conflict.",
                metrics=_one_of(
                    f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
                    f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
                ),
            )
        )
    return tuple(made)


COUNTERS: tuple[Counter, ...] = (
    *_global_counters(),
    *_shared_counters(),
    Counter(
        name="global_atomic_requests",
        title="global atomics",
        grade="exact",
        meaning="Warp instructions that change global memory atomically, whether or not the old value is wanted.",
        metrics=(
            ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
            ("smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum"),
        ),
    ),
    Counter(
        name="shared_atomic_requests",
        title="shared atomics",
        grade="exact",
        meaning="Warp instructions that change shared memory atomically.",
        opcodes=("ATOMS",),
        metrics=_one_of("smsp__inst_executed_op_shared_atom.sum"),
    ),
    Counter(
        name="barriers",
        title="barriers",
        grade="exact",
        meaning="Warps that arrive at a barrier of their block.",
        opcodes=("BAR",),
    ),
    Counter(
        name="threads_per_instruction",
        title="active threads per instruction",
        grade="indicative",
        meaning="Lanes that are on, averaged over all warp instructions.",
        metrics=_one_of("smsp__thread_inst_executed_per_inst_executed.ratio"),
        within=0.1,
    ),
    Counter(
        name="warp_instructions",
        title="warp instructions",
        grade="indicative",
        meaning="Instructions that warps issue: of PTX on the model, of machine code on the GPU.",
        metrics=_one_of("smsp__inst_executed.sum"),
        within=0.5,
    ),
    Counter(
        name="divergent_branches",
        title="divergent branches",
        grade="shown",
        meaning="Branches at which lanes of a warp part; the compiler replaces short ones by predicates.",
        metrics=_one_of(
            "smsp__sass_branch_targets_threads_divergent.sum", "sm__sass_branch_targets_threads_divergent.sum"
        ),
    ),
)

ALSO: tuple[str, ...] = (
    "smsp__thread_inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum",
    "smsp__thread_inst_executed_per_inst_executed.pct",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "smsp__inst_executed_op_shared_atom_dot_alu.sum",
    "smsp__inst_executed_op_shared_atom_dot_cas.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "smsp__inst_executed_op_branch.sum",
)
"""Not compared; kept because they tell why something differs."""


def asked() -> tuple[str, ...]:
    """Every metric to ask Nsight Compute for, once each."""
    compared = (name for counter in COUNTERS for names in counter.metrics for name in names)
    return tuple(dict.fromkeys((*compared, PER_OPCODE, *ALSO)))
