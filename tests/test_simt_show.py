"""What people are told of counters: the table, the JSON, the listing, and the page's HTML."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from gpu100.decode import DecodeError
from gpu100.device.interface import Source
from gpu100.device.simt.ptx.file_names import with_own_names
from gpu100.device.simt.ptx.ir import Location
from gpu100.device.simt.report import AccessCount, LaunchReport, LineCount, by_kernel
from gpu100.device.simt.show import as_json, counters, listing, table
from gpu100.model.counters import PTX_NOT_SASS, UNITS, Counters
from gpu100.model.reading import marks, shown_lines
from gpu100.render.counters import counters_html, counters_listing

TEXT = """\
#include "shared.h"
// --8<-- [start:walk]
extern "C" __global__ void walk(float* out, const float* in) {
    int i = threadIdx.x;
    __shared__ float tile[32 * 32];
    tile[i * 32] = in[i];
    __syncthreads();
    if (i & 1) out[i * 8] = twice(tile[i * 32]);
}
// --8<-- [end:walk]



// the host



int main() {}
"""
SOURCE = Source(path=Path("walk.cu"), name="code/walk.cu", text=TEXT)
AT = {number: Location(SOURCE.name, number) for number in range(1, 20)}
INLINED = Location("shared.h", 3, 0, AT[8])


def access(location: Location | None, kind: str, space: str, **counts: int) -> AccessCount:
    values = {"requests": 10, "lanes": 320, "sectors": 0, "wavefronts": 0, "contention": 0, "worst": 0, "nbytes": 4}
    name = {"load": "ld", "store": "st", "atomic": "atom"}[kind]
    return AccessCount(location=location, name=f"{name}.{space}.f32", space=space, kind=kind, **values | counts)


ACCESSES = (
    access(AT[6], "load", "global", sectors=40),
    access(AT[6], "store", "shared", wavefronts=320),
    access(INLINED, "load", "shared", lanes=160, wavefronts=10),
    access(AT[8], "store", "global", lanes=160, sectors=160),
)
LINES = {
    AT[4]: LineCount(30, 960),
    AT[6]: LineCount(50, 1600),
    AT[7]: LineCount(10, 320, barriers=10),
    AT[8]: LineCount(40, 960, divergent_branches=10),
    INLINED: LineCount(10, 160),
    None: LineCount(10, 320),
}
REPORT = LaunchReport(
    kernel="walk", grid=(10, 1, 1), block=(32, 1, 1), lines=LINES, accesses=ACCESSES, spun=False, source=SOURCE
)


def row(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if line.strip().startswith(name)]
    return " ".join(line.split())


def test_a_table_has_each_number_beside_the_least() -> None:
    text = table([REPORT])
    assert text.splitlines()[0] == "walk <<<10, 32>>>, 1 launch"
    assert row(text, "warp instructions") == "warp instructions 150"
    assert row(text, "global loads") == "global loads 10 requests 4.00 sectors 4 is the least for 4-byte elements"
    assert row(text, "global stores").endswith("16.00 sectors 2 is the least for these lanes <- 8x")
    assert row(text, "shared stores").endswith("32.00 wavefronts 1 is without bank conflicts <- 32x")
    assert not row(text, "shared loads").endswith("x")
    assert row(text, "barriers").startswith("barriers 10 ")
    assert row(text, "divergent branches").startswith("divergent branches 10 ")
    assert PTX_NOT_SASS.split(":")[0] in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_table_has_no_lines_for_what_a_kernel_lacks() -> None:
    quiet = replace(REPORT, accesses=ACCESSES[:1], lines={AT[4]: LineCount(30, 960)})
    text = table([quiet])
    assert not any(word in text for word in ("shared loads", "local", "atomics", "barriers", "divergent"))
    assert table([]) == "Nothing was launched."


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"sectors": 50}, "4 is the least for 4-byte elements <- 1.25x"),
        ({"sectors": 160, "nbytes": 16}, "16 is the least for 16-byte elements"),
        ({"sectors": 10}, "lanes share elements; 4 if each had its own"),
        ({"sectors": 43}, "4 is the least for 4-byte elements"),
        ({"lanes": 10, "sectors": 10}, "1 is the least for these lanes"),
    ],
)
def test_the_least_depends_on_lanes_and_elements(counts: dict[str, int], said: str) -> None:
    text = table([replace(REPORT, accesses=(access(AT[6], "load", "global", **counts),))])
    assert row(text, "global loads").partition("sectors ")[2] == said


def test_wide_elements_of_shared_memory_take_several_wavefronts_without_a_conflict() -> None:
    wide = access(AT[6], "load", "shared", nbytes=16, wavefronts=40)
    assert row(table([replace(REPORT, accesses=(wide,))]), "shared loads").endswith("4 is without bank conflicts")
    assert marks(counters([replace(REPORT, accesses=(wide,), lines={})]).kernels[0]) == {}


def test_contention_of_atomics_is_told() -> None:
    atomic = access(AT[6], "atomic", "global", sectors=10, contention=320, worst=32)
    report = replace(REPORT, accesses=(atomic,))
    assert "32.00 lanes on one address, 32 at worst" in row(table([report]), "global atomics")
    assert marks(counters([report]).kernels[0])[6] == "32 on one address"


def test_launches_of_one_extent_are_added_up() -> None:
    other = replace(REPORT, grid=(20, 1, 1))
    text = table([REPORT, other, REPORT])
    assert "walk <<<10, 32>>>, 2 launches" in text
    assert "walk <<<20, 32>>>, 1 launch" in text
    assert row(text.split("\n\n")[0], "warp instructions") == "warp instructions 300"


def test_kernels_of_one_name_and_different_files_stay_apart() -> None:
    namesake = replace(REPORT, source=Source(path=Path("b.cu"), name="b.cu", text=""), accesses=ACCESSES[:1])
    assert [report.launches for report in by_kernel([REPORT, namesake])] == [1, 1]


def test_a_spinning_kernel_shows_no_issue_counts_and_says_why() -> None:
    spun = replace(REPORT, spun=True)
    text = table([spun])
    assert "wait for each other in a loop" in text
    assert row(text, "global loads") == "global loads 4.00 sectors 4 is the least for 4-byte elements"
    assert not any(word in text for word in ("warp instructions", "active lanes", "requests", "barriers", "divergent"))
    data = as_json([spun])["kernels"]
    assert isinstance(data, list)
    assert (data[0]["lines"], data[0]["totals"]) == ([], {})
    shown = listing(spun)
    assert "wait for each other in a loop" in " ".join(shown.split())
    assert "instr." not in shown


def test_json_holds_everything_and_is_read_back() -> None:
    data = json.loads(json.dumps(as_json([REPORT, REPORT])))
    assert data["schema"] == 1
    assert data["units"] == UNITS
    (kernel,) = data["kernels"]
    assert (kernel["source"], kernel["grid"], kernel["launches"]) == ("code/walk.cu", [10, 1, 1], 2)
    assert [(a["line"], a["inlined"]) for a in kernel["accesses"]] == [(6, ""), (6, ""), (8, "shared.h:3"), (8, "")]
    assert set(UNITS) <= {*kernel["totals"], *kernel["accesses"][0]}
    assert sum(line["warp_instructions"] for line in kernel["lines"]) == kernel["totals"]["warp_instructions"] == 300
    assert Counters.read(data) == counters([REPORT, REPORT])


@pytest.mark.parametrize("change", [{"schema": 2}, {"schema": None}, {"kernels": 1}, {"more": 0}])
def test_other_json_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(DecodeError):
        Counters.read(as_json([REPORT]) | change)
    with pytest.raises(DecodeError):
        Counters.read([])


def test_a_listing_has_what_each_line_asked_for_beside_it() -> None:
    lines = listing(REPORT).splitlines()
    assert lines[0] == "code/walk.cu: walk <<<10, 32>>>, 1 launch"
    tile = next(line for line in lines if line.endswith("tile[i * 32] = in[i];"))
    assert tile.split()[:4] == ["50", "32.0", "4.00", "32.00"]
    assert "32-way banks" in tile
    # What was inlined from shared.h counts for the line that called it.
    odd = next(line for line in lines if "if (i & 1)" in line)
    assert odd.split()[:2] == ["50", "22.4"]
    assert all(word in odd for word in ("8x sectors", "diverges", "22 of 32 lanes"))
    assert "10 more warp instructions belong to no line of it." in lines


def test_a_listing_leaves_out_what_is_far_from_the_kernel() -> None:
    kernel = counters([REPORT]).kernels[0]
    shown = shown_lines(kernel, TEXT)
    assert all("--8<--" not in line.text for line in shown)
    assert [line.number for line in shown if line.number] == [1, *range(3, 10)]
    assert shown[-1].text == "... 8 more lines"
    lines = TEXT.splitlines()
    assert all(lines[line.number - 1] == line.text for line in shown if line.number)


def test_only_what_a_line_has_too_much_of_is_marked() -> None:
    kernel = counters([REPORT]).kernels[0]
    assert marks(kernel) == {6: "32-way banks", 8: "8x sectors, diverges, 22 of 32 lanes"}
    better = tuple(replace(a, sectors=min(a.sectors, a.lanes // 8), wavefronts=min(a.wavefronts, 10)) for a in ACCESSES)
    whole = {place: LineCount(count.warp_instructions, count.warp_instructions * 32) for place, count in LINES.items()}
    assert marks(counters([replace(REPORT, accesses=better, lines=whole)]).kernels[0]) == {}


def test_the_html_has_the_same_content() -> None:
    text = TEXT.replace("in[i]", "in[i < 8]")
    soup = BeautifulSoup(counters_html(Counters.read(as_json([REPORT])), {SOURCE.name: text}), "html.parser")
    assert not soup.select("script, style, [style]")
    words = {" ".join(row.get_text(" ").split()) for row in soup.select(".counters tbody tr")}
    assert "global stores 10 requests 16.00 sectors 2 is the least for these lanes 8x" in words
    assert len(soup.select(".counters tr.notable")) == 2
    rows = soup.select(".listing tbody tr")
    marked = [row for row in rows if "notable" in row.get_attribute_list("class")]
    assert [cell.text for cell in marked[0].select("td")] == [
        *("50", "32.0", "4.00", "32.00", "", "32-way banks", "6"),
        "    tile[i * 32] = in[i < 8];",
    ]
    assert [row.select_one(".word").text for row in marked] == [*marks(counters([REPORT]).kernels[0]).values()]  # type: ignore[union-attr]
    assert all(head.get("scope") for head in soup.select("th"))
    # Every row has as many columns as the head.
    widths = {
        sum(int(str(cell.get("colspan", 1))) for cell in row.select("th, td")) for row in soup.select(".listing tr")
    }
    assert len(widths) == 1


def test_a_name_in_the_source_cannot_become_markup() -> None:
    html = counters_listing(counters([REPORT]).kernels[0], TEXT.replace("in[i]", "<script>in</script>"))
    assert "<script>" not in html


def test_files_are_named_as_the_course_names_them() -> None:
    source = Source(path=Path("/home/reader/course/code/walk.cu"), name="code/walk.cu", text=TEXT)
    ptx = '\t.file\t1 "/home/reader/course/code/walk.cu"\n'
    ptx += '\t.file\t2 "/opt/cuda/include/cccl/include/cuda/atomic"\n.file 3 "/home/reader/course/code/own.h"\n'
    ptx += '.file 4 "/elsewhere/x.h"\n'
    found = with_own_names(ptx, source)
    assert [line.split('"')[1] for line in found.splitlines()] == ["code/walk.cu", "cuda/atomic", "own.h", "x.h"]
    assert with_own_names(found, source).count('"code/walk.cu"') == 1
