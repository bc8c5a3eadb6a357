"""The benchmarks' own machinery; what they measure is `make bench`'s to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import __main__ as command
from bench.build import build
from bench.figures import Figure, in_turn, ratio, table
from bench.plain import write_plain
from bench.sites import configured
from bench.synthetic import write_course
from gpu100.render.loading import load_site, shortfalls


def figure(value: float) -> Figure:
    return Figure("a figure", value, 2.0, "x", (value, value), "nothing")


def test_contestants_take_turns() -> None:
    ran: list[str] = []

    def measure(name: str) -> float:
        ran.append(name)
        return float(len(ran))

    assert in_turn(measure, {"A": "a", "B": "b"}, 2) == {"A": [1.0, 3.0], "B": [2.0, 4.0]}
    assert ran == ["a", "b", "a", "b"]


def test_a_ratio_is_the_median_of_the_rounds_ratios() -> None:
    found = ratio("", {"A": [2.0, 3.0, 40.0], "B": [2.0, 2.0, 4.0]}, "A", "B", 1.15)
    assert (found.value, found.spread, found.met) == (1.5, (1.0, 10.0), False)


@pytest.mark.parametrize(("value", "code", "said"), [(2.0, 0, "met"), (2.01, 1, "MISSED")])
def test_a_missed_limit_fails_the_command(
    value: float, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench"])
    monkeypatch.setattr(command, "allow_longer_courses", lambda: None)
    monkeypatch.setattr(command, "simt_figures", lambda scratch, rounds: [])
    monkeypatch.setattr(command, "site_figures", lambda scratch, rounds: [figure(1.0), figure(value)])
    monkeypatch.setattr(command, "page_figures", lambda scratch: [])
    monkeypatch.setattr(command, "reader_figures", lambda scratch, rounds: [])
    monkeypatch.setattr(command, "record_figures", lambda scratch, rounds: [])
    monkeypatch.setattr(command, "capture_figure", lambda scratch, rounds: figure(1.0))
    monkeypatch.setattr(command, "kill_figures", lambda scratch, rounds: [])
    assert command.main() == code
    assert said in capsys.readouterr().out.splitlines()[2]
    assert "MISSED" not in table([figure(2.0)])


@pytest.mark.parametrize("name", ["with labs", "plain with labs"])
def test_what_is_compared_builds(name: str, tmp_path: Path) -> None:
    assert build(configured(tmp_path, 1)[name], tmp_path / "site") > 0
    assert len(list(tmp_path.glob("site/labs/*/index.html"))) == 1


def test_a_synthetic_course_is_whole_and_fresh(tmp_path: Path) -> None:
    layout = write_course(tmp_path / "course", 3)
    site = load_site(layout)
    states = [standing.state for found in site.standings.values() for standing in found]
    assert states == ["fresh"] * 6  # three programs on two machines
    assert list(shortfalls(site)) == []
    write_plain(layout, tmp_path / "plain", labs=True)
    pages = list((tmp_path / "plain").rglob("*.md"))
    assert len(pages) == 7
    assert all("{{" not in page.read_text(encoding="utf-8") for page in pages)
