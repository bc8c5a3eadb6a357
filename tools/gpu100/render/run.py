"""How a reader runs a day's program: Python, nvcc, a notebook, Compiler Explorer, and without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gpu100.model.course import Day, ProgramSpec
from gpu100.model.gpus import PROFILES, modeled_slug
from gpu100.model.machine import Gpu
from gpu100.render.env import render
from gpu100.render.explorer import explorer_link
from gpu100.render.expressions import Block, Inline
from gpu100.render.value import ShownValue

WITHOUT_GPU = "setup/no-gpu.md"
"""Where a reader without a GPU is sent, from docs/; nowhere in a course without that page."""

_MODELS = {modeled_slug(gpu): word for word, gpu in PROFILES.items()}
"""What `--device model:` calls a GPU, by its slug."""


def lab_page(day: Day, program: ProgramSpec) -> str:
    """The page of a program's notebook, from docs/."""
    return f"labs/{day.tag}-{program.name}.ipynb"


def lab_file(day: Day, program: ProgramSpec) -> str:
    """The same notebook as a file to take along; what lies in labs/ becomes a page."""
    return f"notebooks/{day.tag}-{program.name}.ipynb"


@dataclass(frozen=True)
class Published:
    """What the host knows of the site as a whole, and a page shows."""

    address: str = ""
    """The site's own; empty where it has none, as on a reader's disk."""
    files: frozenset[str] = frozenset()
    """All that the site has, from docs/ or made by the build."""
    archive: str = ""
    """The site as one file, from its root; empty where this is not a site to be read from a server."""
    wheel: str = ""
    """The package that notebooks install, from the site's root."""


@dataclass(frozen=True)
class RunNames:
    """The functions that a page's expressions call to say how a program is run."""

    program: Callable[[str], ProgramSpec]
    """The day's, by name."""
    day: Callable[[], Day]
    gpus: tuple[Gpu, ...]
    """Those that any program was recorded on, the reference GPU first."""
    kernels: Mapping[tuple[int, str], str]
    """Every written program's ``.cu`` as readers see it, by day and name."""
    published: Published
    link: Callable[[str], str]
    """An address in HTML, by the page's or file's path."""
    relative: Callable[[str], str]
    """The same for a link in a sentence, which the host resolves."""
    values: dict[str, dict[str, ShownValue]] = field(default_factory=dict)
    """What follows the reader's choice of GPU: by GPU, then by what it is."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {"archive": self.archive, "lab": self.lab, "run": self.run}

    def lab(self, program: str) -> Inline:
        """A link to the program's notebook."""
        page = lab_page(self.day(), self.program(program))
        return Inline(f"{program} as a notebook", tag="a", attributes={"href": self.relative(page)})

    def run(self, program: str) -> Block:
        """The ways to run the program, each with its command."""
        spec, day = self.program(program), self.day()
        cu = self.kernels.get((day.number, program), "")
        archs = {gpu.slug: _arch(gpu) for gpu in self.gpus}
        arch = next(iter(archs.values()), ShownValue("sm_90", "arch", "")).text
        return Block(
            render(
                "run.html",
                day=day,
                program=spec,
                arch=self._followed("arch", archs, "native"),
                model=self._followed("model", self._models(), "h200"),
                notebook=self._existing(lab_page(day, spec)),
                download=self._existing(lab_file(day, spec)),
                wheel=self._existing(self.published.wheel),
                address=self.published.address,
                explorer=explorer_link(cu, arch) if cu else None,
                setup=self._existing("setup/index.md"),
                without=self._existing(WITHOUT_GPU),
            )
        )

    def archive(self) -> Block:
        """Where the site is had as one file, or how one is made."""
        return Block(render("archive.html", link=self._existing(self.published.archive)))

    def _existing(self, path: str) -> str:
        """The address of ``path`` where the site has it."""
        return self.link(path) if path and path in self.published.files else ""

    def _models(self) -> dict[str, ShownValue]:
        known = [gpu for gpu in self.gpus if gpu.slug in _MODELS]
        return {gpu.slug: ShownValue(_MODELS[gpu.slug], "arch", f"the model of {gpu.name}") for gpu in known}

    def _followed(self, name: str, by_gpu: dict[str, ShownValue], without: str) -> dict[str, str]:
        """The first GPU's value; the others' go into the page's data."""
        for gpu, value in by_gpu.items():
            self.values.setdefault(gpu, {})[name] = value
        first = next(iter(by_gpu.values()), ShownValue(without, "arch", ""))
        return {"name": name, "text": first.text, "title": first.title}


def _arch(gpu: Gpu) -> ShownValue:
    text = f"sm_{gpu.capability.replace('.', '')}"
    return ShownValue(text, "arch", f"{gpu.name}: compute capability {gpu.capability}")
