"""A run on the model held against a GPU's record: every difference found, everything left out said."""

from __future__ import annotations

import dataclasses

import pytest
from gpu100.capture.compare import compare
from gpu100.model.record import (
    Codegen,
    Exact,
    Judgement,
    Kernel,
    Measured,
    Observed,
    Point,
    Record,
    Series,
    Tolerant,
    Value,
)

CLAIM = "a" * 16
MEASURED = Measured(kind="measured", value=2.0, unit="ms", better="lower", p20=1.0, p80=3.0, samples=(1.0, 2.0, 3.0))


@pytest.fixture
def gpu(record: Record) -> Record:
    """A record with something of every kind."""
    return dataclasses.replace(
        record,
        values={
            "blocks": Exact(kind="exact", value={"1": 1, "300": 2}),
            "right": Exact(kind="exact", value=300, scale={"n": 300}),
            "sum": Tolerant(kind="tolerant", value=1.0, relative=0.01, scale={"n": 300}),
            "registers": Codegen(kind="codegen", value=16),
            "time": MEASURED,
            "stale": Observed(kind="observed", value=3, low=1, high=5),
        },
        series={
            "sizes": Series(kind="exact", x_unit="n", y_unit="n", points=(Point(x=1, y=2), Point(x=2, y=4))),
            "curve": Series(kind="measured", x_unit="n", y_unit="s", points=(timed(1), timed(2))),
        },
        predictions={
            "sure": Judgement(outcome="held", claim=CLAIM),
            "wrong": Judgement(outcome="failed", claim=CLAIM),
        },
    )


def timed(x: float) -> Point:
    return Point(x=x, y=2, p20=1, p80=3)


def value(record: Record, name: str, new: Value | None) -> Record:
    values = {key: item for key, item in record.values.items() if key != name}
    return dataclasses.replace(record, values=values | ({name: new} if new else {}))


def verdicts(model: Record, gpu: Record) -> dict[str, tuple[str, str]]:
    return {item.name: (item.verdict, item.why) for item in compare(model, gpu).items}


def test_a_run_agrees_with_itself(gpu: Record) -> None:
    found = compare(gpu, gpu)
    assert found.differences == []
    assert found.compared == 8  # four values, a series, a kernel, two predictions
    assert found.left_out == {
        "measured": ["value 'time'", "series 'curve'"],
        "free to differ in every run": ["value 'stale'"],
    }


@pytest.mark.parametrize(
    ("name", "planted", "why"),
    [
        (
            "blocks",
            Exact(kind="exact", value={"1": 1, "300": 3}),
            "{'1': 1, '300': 3} on the model, {'1': 1, '300': 2} on the GPU",
        ),
        ("blocks", Exact(kind="exact", value={"1": 1}), "{'1': 1} on the model, {'1': 1, '300': 2} on the GPU"),
        ("right", Exact(kind="exact", value=299, scale={"n": 300}), "299 on the model, 300 on the GPU"),
        ("sum", Tolerant(kind="tolerant", value=1.1, relative=9.0, scale={"n": 300}), "1.1 on the model, 1.0"),
        ("registers", Codegen(kind="codegen", value=17), "17 on the model, 16 on the GPU"),
        ("right", Tolerant(kind="tolerant", value=300, absolute=1, scale={"n": 300}), "300 on the model, 300"),
    ],
)
def test_an_altered_value_is_found(gpu: Record, name: str, planted: Value, why: str) -> None:
    found = compare(value(gpu, name, planted), gpu)
    assert [item.name for item in found.differences] == [f"value {name!r}"]
    assert found.differences[0].why.startswith(why)


def test_a_value_within_its_tolerance_is_equal(gpu: Record) -> None:
    near = Tolerant(kind="tolerant", value=1.009, relative=0.01, scale={"n": 300})
    assert compare(value(gpu, "sum", near), gpu).differences == []


def test_another_size_is_left_out_with_both(gpu: Record) -> None:
    reduced = value(gpu, "right", Exact(kind="exact", value=7, scale={"n": 30}))
    assert verdicts(reduced, gpu)["value 'right'"] == ("left out", "of another size: n is 30 here, 300 there")
    unsaid = value(gpu, "right", Exact(kind="exact", value=7))
    assert verdicts(unsaid, gpu)["value 'right'"] == ("left out", "of another size: n is None here, 300 there")


def test_what_the_model_did_not_report_is_left_out(gpu: Record) -> None:
    less = dataclasses.replace(value(gpu, "blocks", None), series={}, kernels={}, predictions={})
    assert compare(less, gpu).left_out["not reported by the model"] == [
        "value 'blocks'",
        "series 'sizes'",
        "kernel 'twice'",
        "prediction 'sure'",
        "prediction 'wrong'",
    ]


@pytest.mark.parametrize("change", [{"nvrtc": "13.0.99"}, {"arch": "sm_75"}, {"options": ("-O1",)}])
def test_another_compilers_code_is_left_out(gpu: Record, change: dict[str, object]) -> None:
    assert gpu.compiler is not None
    other = dataclasses.replace(gpu, compiler=dataclasses.replace(gpu.compiler, **change))  # type: ignore[arg-type]
    other = value(other, "registers", Codegen(kind="codegen", value=99))
    reason = "made by another compiler, or for another architecture"
    assert compare(other, gpu).left_out[reason] == ["value 'registers'", "kernel 'twice'"]
    assert compare(other, gpu).differences == []


def test_a_kernels_altered_register_is_found(gpu: Record) -> None:
    kernel = dataclasses.replace(gpu.kernels["twice"], registers=13)
    found = compare(dataclasses.replace(gpu, kernels={"twice": kernel}), gpu)
    assert [item.name for item in found.differences] == ["kernel 'twice'"]
    assert isinstance(kernel, Kernel)


def test_an_altered_point_is_found_and_other_points_are_left_out(gpu: Record) -> None:
    def sizes(*points: Point) -> Record:
        series = Series(kind="exact", x_unit="n", y_unit="n", points=points)
        return dataclasses.replace(gpu, series=gpu.series | {"sizes": series})

    assert verdicts(sizes(Point(x=1, y=2), Point(x=2, y=5)), gpu)["series 'sizes'"][0] == "differs"
    assert verdicts(sizes(Point(x=1, y=2), Point(x=3, y=4)), gpu)["series 'sizes'"] == ("left out", "of other points")


@pytest.mark.parametrize(
    ("outcome", "claim", "verdict"),
    [
        ("failed", CLAIM, ("differs", "failed on the model, held on the GPU")),
        ("not-applicable", CLAIM, ("differs", "not-applicable on the model, held on the GPU")),
        ("not-evaluated", CLAIM, ("left out", "not evaluated")),
        ("failed", "b" * 16, ("left out", "reworded since")),
        ("held", CLAIM, ("equal", "")),
    ],
)
def test_outcomes_of_predictions(gpu: Record, outcome: str, claim: str, verdict: tuple[str, str]) -> None:
    judged = gpu.predictions | {"sure": Judgement(outcome=outcome, claim=claim)}  # type: ignore[arg-type]
    assert verdicts(dataclasses.replace(gpu, predictions=judged), gpu)["prediction 'sure'"] == verdict
