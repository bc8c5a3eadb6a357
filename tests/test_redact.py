"""Paths out of whatever is kept."""

from __future__ import annotations

import sys
from pathlib import Path

from gpu100.capture.redact import redactor


def test_the_courses_root_goes_before_the_home_it_lies_in() -> None:
    redact = redactor(Path.home() / "courses" / "gpu")
    assert redact(f"{Path.home()}/courses/gpu/code/x.py") == "[ROOT]/code/x.py"
    assert redact(f"{Path.home()}/data") == "[HOME]/data"


def test_python_goes_too(tmp_path: Path) -> None:
    redact = redactor(tmp_path)
    assert redact(f"{sys.prefix}/lib/x.py") == "[PYTHON]/lib/x.py"
    assert redact(f"{sys.base_prefix}/lib/x.py") == "[PYTHON]/lib/x.py"


def test_an_environment_inside_the_course_is_python(tmp_path: Path) -> None:
    redact = redactor(Path(sys.prefix).parent)
    assert redact(f"{sys.prefix}/lib/x.py") == "[PYTHON]/lib/x.py"


def test_every_place_in_a_text_goes(tmp_path: Path) -> None:
    assert redactor(tmp_path)(f"{tmp_path}/a and {tmp_path}/b") == "[ROOT]/a and [ROOT]/b"


def test_other_text_stays(tmp_path: Path) -> None:
    assert redactor(tmp_path)("3 / 4 blocks") == "3 / 4 blocks"
