"""content/errors.toml, held against the libraries that raise the errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gpu100.content.course import load_course
from gpu100.content.error_reference import load_error_reference
from gpu100.content.sources import load_sources
from gpu100.errors import ContentError
from gpu100.model.cuda_error import CudaError, ErrorName
from gpu100.paths import Layout
from gpu100.render.lookup import errors_page
from gpu100.render.provoked import Found, Provoked

Edit = Callable[[Path, str, str], None]
Lookup = Callable[[str, str], int | None]
"""The number of an API's error by its name; None where there is no such name."""


def errors_of(layout: Layout) -> dict[str, CudaError]:
    return load_error_reference(layout, load_course(layout), load_sources(layout))


@pytest.fixture(scope="session")
def reference(repository: Layout) -> dict[str, CudaError]:
    """The real one."""
    return errors_of(repository)


@pytest.fixture(scope="session")
def bindings() -> Any:
    """cuda-python's low level, whose enumerations come from CUDA's headers."""
    reason = "cuda-bindings is not installed, so there is nothing to compare names and numbers with"
    pytest.importorskip("cuda.bindings.driver", reason=reason)
    import cuda.bindings

    return cuda.bindings


def members(bindings: Any) -> dict[str, Any]:
    from cuda.bindings import driver, nvrtc, runtime

    return {"driver": driver.CUresult, "runtime": runtime.cudaError_t, "nvrtc": nvrtc.nvrtcResult}


def wrong_names(errors: Iterable[CudaError], enums: dict[str, Any]) -> Iterator[str]:
    """Names that a library does not have, or has with another number."""
    for error in errors:
        for name in error.names:
            if name.api in enums:
                member = getattr(enums[name.api], name.name, None)
                if member is None or int(member) != name.number:
                    yield f"{error.id}: {name.name} is {name.number} here and {member!r} there"


def wrong_texts(errors: Iterable[CudaError], text_of: Callable[[str], str]) -> Iterator[str]:
    """Messages that differ from the runtime's."""
    for error in errors:
        for name in error.names:
            if name.api == "runtime" and text_of(name.name) != error.text:
                yield f"{error.id}: {error.text!r} here, {text_of(name.name)!r} there"


def runtime_text(name: str) -> str:
    from cuda.bindings import runtime

    status, text = runtime.cudaGetErrorString(getattr(runtime.cudaError_t, name))
    assert status == runtime.cudaError_t.cudaSuccess
    return text.decode()


def test_there_are_enough_of_them(reference: dict[str, CudaError]) -> None:
    named = [error for error in reference.values() if {name.api for name in error.names} >= {"driver", "runtime"}]
    assert len(reference) >= 25
    assert len(named) >= 25


def test_every_name_and_number_is_the_librarys(reference: dict[str, CudaError], bindings: Any) -> None:
    enums = members(bindings)
    compared = [name for error in reference.values() for name in error.names if name.api in enums]
    print(f"{len(compared)} names compared")
    assert len(compared) >= 50
    assert list(wrong_names(reference.values(), enums)) == []


def test_every_text_is_the_runtimes(reference: dict[str, CudaError], bindings: Any) -> None:
    compared = [name for error in reference.values() for name in error.names if name.api == "runtime"]
    print(f"{len(compared)} texts compared")
    assert len(compared) >= 25
    assert list(wrong_texts(reference.values(), runtime_text)) == []


@pytest.mark.parametrize(
    "planted",
    [
        {"names": (ErrorName(api="driver", name="CUDA_ERROR_ILLEGAL_ADDRESS", number=701),)},
        {"names": (ErrorName(api="driver", name="CUDA_ERROR_ILLEGAL_ADRESS", number=700),)},
        {"names": (ErrorName(api="nvrtc", name="NVRTC_ERROR_COMPILATION", number=7),)},
    ],
)
def test_a_wrong_name_or_number_is_found(
    reference: dict[str, CudaError], bindings: Any, planted: dict[str, Any]
) -> None:
    error = dataclasses.replace(reference["illegal-address"], **planted)
    assert len(list(wrong_names([error], members(bindings)))) == 1


def test_a_wrong_text_is_found(reference: dict[str, CudaError], bindings: Any) -> None:
    error = dataclasses.replace(reference["illegal-address"], text="an illegal memory access was met")
    assert len(list(wrong_texts([error], runtime_text))) == 1


def test_what_the_headers_say_is_lost_is_said_to_be_lost(reference: dict[str, CudaError], bindings: Any) -> None:
    """The header's sentence about the process is the source of every `no`."""
    driver = members(bindings)["driver"]
    lost = {
        error.id: any(
            word in " ".join((getattr(driver, name.name).__doc__ or "").split())
            for word in ("process must be terminated", "context cannot be used anymore")
        )
        for error in reference.values()
        for name in error.names
        if name.api == "driver"
    }
    if not any(lost.values()):
        pytest.skip("this cuda-bindings carries no comments, so there is nothing to compare with")
    assert [id for id, is_lost in lost.items() if is_lost != (reference[id].survives == "no")] == []


def test_a_course_may_have_none(mini: Layout) -> None:
    (mini.content / "errors.toml").unlink()
    assert errors_of(mini) == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("days = [2]", "days = [3]", "refers to day 3, which does not exist"),
        ('survives_source = "guide.hardware"', 'survives_source = "guide.hardwear"', "did you mean 'guide.hardware'?"),
        ('survives_source = "guide.hardware"', "", "known exactly where a source says so"),
        ('survives = "no"', 'survives = "never"', "is none of"),
        ('id = "out-of-memory"', 'id = "illegal-address"', "'illegal-address' stands twice"),
        ("cudaErrorMemoryAllocation", "cudaErrorIllegalAddress", "'cudaErrorIllegalAddress' stands twice"),
        ('cure = ["Work on pieces."]', "cure = []", "has a cause and a cure"),
    ],
)
def test_an_error_that_leads_nowhere_is_refused(mini: Layout, edit: Edit, old: str, new: str, said: str) -> None:
    edit(mini.content / "errors.toml", old, new)
    with pytest.raises(ContentError, match=r"content/errors\.toml:\d+") as caught:
        errors_of(mini)
    assert said in str(caught.value)


def test_unknown_is_not_said_where_it_was_seen(mini: Layout, edit: Edit) -> None:
    edit(mini.content / "errors.toml", 'cure = ["Work on pieces."]', 'cure = ["Work on pieces."]\nsurvives = "unknown"')
    course, errors, sources = load_course(mini), errors_of(mini), load_sources(mini)
    day = course.days[0]
    seen: Found = {"out-of-memory": {Provoked(day, "a GPU", "driver", "the call", survives=True): ["too big"]}}

    def page(provoked: Found) -> str:
        return errors_page(errors.values(), sources, lambda number: (day, None), provoked)

    assert "not measured yet" in page({})
    assert "not measured yet" not in page(seen)
    assert "a GPU: too big. Reported by the call, and called so by driver; the context works afterward" in page(seen)
