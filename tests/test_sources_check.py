"""``gpu100 sources check`` against a server on this machine, and against nothing else."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from gpu100.author.sources import AGENT, Outcome, Probe, Probes, check_sources
from gpu100.cli import main
from gpu100.model.source import Source
from gpu100.paths import Layout

TITLE = "A &amp; B,\n  the guide"
PAGE = f"<!doctype html><html><head><TITLE lang=en>{TITLE}</TITLE></head><body>x</body></html>".encode()
QUICK = 0.5


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, str, str]] = []
        """Method, path and user agent of every request."""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on a server that trickles is what is tested."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server
    redirects: ClassVar = {
        "/old": (301, "/page"),
        "/older": (308, "/old"),
        "/detour": (302, "/page"),
        "/old-detour": (301, "/detour"),
        "/detour-old": (302, "/old"),
        "/old-gone": (301, "/gone"),
        "/circle": (301, "/circle"),
    }

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        self.server.asked.append((self.command, self.path, self.headers["User-Agent"]))
        if self.path in self.redirects:
            status, to = self.redirects[self.path]
            self.send_response(status)
            self.send_header("Location", to)
            self.end_headers()
        elif self.path == "/hang":
            time.sleep(QUICK * 4)
        elif self.path == "/trickle":
            self.send_response(200)
            self.end_headers()
            for _ in range(40):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(QUICK / 5)
        elif self.path == "/no-head" and not body:
            self.send_error(405)
        elif self.path in ("/page", "/no-head"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(PAGE if body else b"")
        else:
            self.send_error({"/gone": 410, "/forbidden": 403, "/broken": 500}.get(self.path, 404))

    def log_message(self, format: str, *args: Any) -> None:
        """Not in the tests' output."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    """The server; no connection leaves the machine while it stands."""
    monkeypatch.setenv("no_proxy", "*")
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1", f"a test asks {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)
    with _Server() as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def source(address: str, id: str = "one", title: str = "") -> Source:
    return Source(id=id, title="T", publisher="P", section="S", address=address, page_title=title, backs="B.")


def probed(server: _Server, path: str, *, title: str = "", timeout: float = 10.0) -> Probe:
    [probe] = check_sources([source(server.base + path, title=title)], timeout).found
    return probe


@pytest.mark.parametrize(
    ("path", "outcome", "detail"),
    [
        ("/page", "ok", ""),
        ("/no-head", "ok", ""),
        ("/detour", "ok", ""),
        ("/detour-old", "ok", ""),
        ("/old", "moved", "{}/page"),
        ("/older", "moved", "{}/page"),
        ("/old#part", "moved", "{}/page#part"),
        ("/old-detour", "moved", "{}/detour"),
        ("/gone", "gone", "status 410"),
        ("/missing", "gone", "status 404"),
        ("/old-gone", "gone", "status 410"),
        ("/forbidden", "unreachable", "status 403"),
        ("/broken", "unreachable", "status 500"),
        ("/circle", "unreachable", "it redirects without end"),
    ],
)
def test_what_becomes_of_an_address(server: _Server, path: str, outcome: Outcome, detail: str) -> None:
    probe = probed(server, path)
    assert (probe.outcome, probe.detail) == (outcome, detail.format(server.base))


@pytest.mark.parametrize(
    ("path", "title", "outcome"),
    [
        ("/page", "A & B, the guide", "ok"),
        ("/page", "a & b", "ok"),
        ("/page", "The handbook", "changed"),
        ("/old", "The handbook", "moved"),
    ],
)
def test_a_title_is_compared_where_one_is_on_record(server: _Server, path: str, title: str, outcome: Outcome) -> None:
    probe = probed(server, path, title=title)
    assert probe.outcome == outcome
    if outcome == "changed":
        assert probe.detail == "its title is now 'A & B, the guide'"


@pytest.mark.parametrize("path", ["/hang", "/trickle"])
def test_a_server_that_does_not_finish_is_left_behind(server: _Server, path: str) -> None:
    begun = time.monotonic()
    probe = probed(server, path, title="A", timeout=QUICK)
    assert probe.outcome == "unreachable"
    assert time.monotonic() - begun < QUICK * 3


def test_a_port_where_nobody_listens_is_unreachable(server: _Server) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        [probe] = check_sources([source(address)], 10.0).found
    assert probe.outcome == "unreachable"
    assert "refused" in probe.detail


def test_what_is_no_address_of_the_web_is_not_opened(server: _Server) -> None:
    [probe] = check_sources([source("file:///etc/hostname")], 10.0).found
    assert (probe.outcome, probe.detail) == ("unreachable", "not an address of the web")


def test_an_address_is_asked_once_by_name_and_only_for_its_head(server: _Server) -> None:
    same = [source(f"{server.base}/page#{part}", id=part) for part in ("a", "b")]
    probes = check_sources([*same, source("", id="nowhere")], 10.0)
    assert [probe.source.id for probe in probes.found] == ["a", "b"]
    assert server.asked == [("HEAD", "/page", AGENT)]
    assert "100-Days-of-GPU" in AGENT


def test_the_method_is_kept_over_a_redirect_and_get_asked_where_head_is_refused(server: _Server) -> None:
    probed(server, "/older")
    assert [method for method, _, _ in server.asked] == ["HEAD"] * 3
    server.asked.clear()
    probed(server, "/no-head")
    assert [method for method, _, _ in server.asked] == ["HEAD", "GET"]


def test_probes_are_counted_and_none_is_no_success() -> None:
    probes = Probes((Probe(source("x"), "ok"), Probe(source("y"), "unreachable", "status 403")))
    assert str(probes) == "2 sources probed: 1 ok, 0 moved, 0 gone, 0 changed, 1 unreachable"
    assert probes.ok
    assert not Probes(()).ok
    assert not Probes(probes.found[1:]).ok
    assert not Probes((*probes.found, Probe(source("z"), "moved", "w"))).ok


Run = Callable[..., tuple[int, str]]
FIELDS = 'title = "T"\npublisher = "P"\nsection = "S"\nbacks = "B."\n'


@pytest.fixture
def run(mini: Layout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in a course whose sources have these addresses: its exit code, and what it said."""

    def command(*addresses: str) -> tuple[int, str]:
        entries = (f'[[source]]\nid = "s{i}"\n{FIELDS}address = "{address}"\n' for i, address in enumerate(addresses))
        (mini.content / "sources.toml").write_text("\n".join(entries) or "source = []\n", encoding="utf-8")
        monkeypatch.chdir(mini.root)
        monkeypatch.setattr("sys.argv", ["gpu100", "sources", "check", "--timeout", "5"])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out + captured.err

    return command


def test_the_command_says_what_to_mend_and_fails(server: _Server, run: Run) -> None:
    code, said = run(f"{server.base}/page", f"{server.base}/old", f"{server.base}/gone", f"{server.base}/broken")
    assert code == 1
    assert f"s1: {server.base}/old moved to {server.base}/page" in said
    assert f"s2: {server.base}/gone is gone: status 410" in said
    assert f"s3: {server.base}/broken did not answer: status 500" in said
    assert "4 sources probed: 1 ok, 1 moved, 1 gone, 0 changed, 1 unreachable" in said


def test_an_address_that_does_not_answer_is_no_failure_unless_none_does(server: _Server, run: Run) -> None:
    assert run(f"{server.base}/page", f"{server.base}/broken")[0] == 0
    code, said = run(f"{server.base}/broken")
    assert code == 1
    assert "no address answered" in said


def test_no_address_to_probe_is_a_failure(server: _Server, run: Run) -> None:
    code, said = run()
    assert code == 1
    assert "no source has an address to probe" in said
    assert server.asked == []
