"""How a program is run: commands for the reader's GPU, a notebook that runs elsewhere, and Compiler Explorer."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest
from browsing import browsing, looks, opening, serving
from bs4 import BeautifulSoup, Tag
from conftest import REPOSITORY, built, second_machine
from gpu100.model.machine import Machine
from gpu100.paths import Layout
from gpu100.render.explorer import MOST_CHARACTERS, MOST_LINES, explorer_link
from gpu100.render.notebook import notebook
from gpu100.site.labs import WHEEL
from mkdocs.exceptions import Abort
from playwright.sync_api import expect

HOST = "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#ifdef X\n#endif\nint main() {\n%s    return 0;\n}\n#endif\n"
KERNEL = 'extern "C" __global__ void k(int* a) {\n    *a = 1;  // ½\n}\n'


def opened(link: str) -> dict[str, object]:
    """The session that Compiler Explorer would open."""
    state = unquote(link.removeprefix("https://godbolt.org/clientstate/"))
    (session,) = json.loads(base64.b64decode(state, validate=True))["sessions"]
    return dict(session)


# Compiler Explorer


def test_a_short_program_is_linked_whole_with_compiler_and_architecture() -> None:
    cu = KERNEL + "\n" + HOST % ""
    found = explorer_link(cu, "sm_89")
    assert found is not None
    what, link = found
    assert what == "the program"
    session = opened(link)
    assert session["source"] == cu
    assert session["language"] == "cuda"
    assert session["compilers"] == [{"id": "nvcc130u2", "options": "-std=c++17 -arch=sm_89"}]
    assert set(link.removeprefix("https://")) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.%/"
    )


def test_of_a_longer_one_the_kernels_are_linked() -> None:
    cu = KERNEL + "\n" + HOST % ('    std::puts("");\n' * MOST_LINES)
    found = explorer_link(cu, "sm_90")
    assert found is not None
    what, link = found
    assert what == "its kernels"
    assert opened(link)["source"] == KERNEL


@pytest.mark.parametrize(
    "cu",
    [
        KERNEL + "// more\n" * MOST_LINES + HOST % "",
        KERNEL + "".join(f"// {i} {'x' * 200}\n" for i in range(40)),
        '#include "scale.cuh"\n' + KERNEL,
    ],
)
def test_what_does_not_fit_or_is_not_alone_has_no_link(cu: str) -> None:
    assert explorer_link(cu, "sm_90") is None


def test_every_link_of_the_course_is_short_enough_and_holds_what_a_reader_sees() -> None:
    looked = 0
    for path in sorted(REPOSITORY.code.glob("day*/*.cu")):
        if found := explorer_link(path.read_text(encoding="utf-8"), "sm_90"):
            looked += 1
            assert len(found[1]) <= MOST_CHARACTERS
            assert "__global__" in str(opened(found[1])["source"])
    assert looked


# The block of a day's page


def ways(site: Path, day: str) -> dict[str, Tag]:
    page = BeautifulSoup((site / "days" / day / "index.html").read_text(encoding="utf-8"), "html.parser")
    return {str(row.dt.get_text()): row for row in page.select(".run > div") if row.dt}


def test_a_day_says_every_way_and_leaves_out_what_there_is_not(captured_mini: Path) -> None:
    site = built(Layout(captured_mini))
    assert list(ways(site, "day01-hello")) == ["Python", "nvcc", "Notebook", "Compiler Explorer", "Without a GPU"]
    # Its kernel includes a file of ours.
    assert list(ways(site, "day02-twice")) == ["Python", "nvcc", "Notebook", "Without a GPU"]
    found = ways(site, "day02-twice")
    assert "make evidence DAYS=2\n.venv/bin/python code/day02-twice/twice.py" in found["Python"].get_text()
    assert "nvcc -arch=sm_90 code/day02-twice/twice.cu -o twice\n./twice" in found["nvcc"].get_text()
    assert "gpu100 run 2 --device model:h200" in found["Without a GPU"].get_text()


def test_no_link_is_asked_for_when_the_page_is_read(captured_mini: Path) -> None:
    site = built(Layout(captured_mini))
    page = BeautifulSoup((site / "days/day01-hello/index.html").read_text(encoding="utf-8"), "html.parser")
    assert [tag.name for tag in page.find_all() if "godbolt" in str(tag.attrs)] == ["a"]


def test_a_program_that_is_not_the_days_stops_the_build(layout: Layout, caplog: pytest.LogCaptureFixture) -> None:
    path = layout.docs / "days" / "day01-hello.md"
    path.write_text(path.read_text(encoding="utf-8").replace('run("hello")', 'run("helo")'), encoding="utf-8")
    with pytest.raises(Abort):
        built(layout)
    assert "day01 has no program 'helo'" in caplog.text


def test_the_architecture_follows_the_choice_even_where_the_day_has_no_record(layout: Layout, t4: Machine) -> None:
    shutil.copytree(REPOSITORY.docs / "assets", layout.docs / "assets", dirs_exist_ok=True)
    second_machine(layout, t4)  # of day 1
    site = layout.root / "site"
    with browsing() as browser, serving(site) as address:
        built(layout, **looks(address))
        with opening(browser, address) as open_page:
            page = open_page("days/day02-twice/")
            arch, model = page.locator(".run .arch").all()
            expect(arch).to_have_text("sm_90")
            page.locator("#gpu-choice").select_option("tesla-t4")
            expect(arch).to_have_text("sm_75")
            expect(arch).to_have_attribute("title", "Tesla T4: compute capability 7.5")
            expect(model).to_have_text("t4")
            page.locator("#gpu-choice").select_option("h200")
            expect(arch).to_have_text("sm_90")
            expect(page.locator(".run .whose")).to_have_count(0)


# The notebook


@pytest.fixture
def with_wheel(layout: Layout) -> Layout:
    path = layout.root / "build" / "wheel" / Path(WHEEL).name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a wheel")
    return layout


def first_cell(site: Path) -> str:
    cells = json.loads((site / "notebooks" / "day01-hello.ipynb").read_text(encoding="utf-8"))["cells"]
    return str(cells[0]["source"])


def test_with_an_address_the_notebook_fetches_the_package_from_it(with_wheel: Layout) -> None:
    site = built(with_wheel, site_url="https://course.example/gpu/")
    assert f"%pip install --quiet https://course.example/gpu/{WHEEL} " in first_cell(site)
    assert (site / WHEEL).read_bytes() == b"a wheel"
    text = ways(site, "day01-hello")["Notebook"].get_text()
    assert "take the file" in text
    assert "no address" not in text


def test_without_one_page_and_notebook_say_to_bring_the_package_along(with_wheel: Layout) -> None:
    site = built(with_wheel)
    assert "%pip install --quiet ./gpu100-" in first_cell(site)
    assert "Upload it too" in first_cell(site)
    row = ways(site, "day01-hello")["Notebook"]
    assert "no address that a cloud could reach" in row.get_text()
    assert [link["href"] for link in row.select("a[download]")] == [
        "../../notebooks/day01-hello.ipynb",
        f"../../{WHEEL}",
    ]


def test_the_package_is_never_installed_by_its_name() -> None:
    cell = json.loads(notebook("k", b"", b"# %%\n1\n", None, "./w.whl"))["cells"][0]["source"]
    assert "gpu100" not in cell.split("\n")[0].replace("./w.whl", "")
