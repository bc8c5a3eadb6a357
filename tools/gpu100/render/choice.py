"""The reader's GPU: what the header offers, which is every GPU that some day was recorded on."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment

from gpu100.render.page import Site
from gpu100.render.words import short_name


@dataclass(frozen=True)
class RecordedGpu:
    """A GPU to choose."""

    slug: str
    name: str
    short: str
    """Its name without its maker's, for a narrow header."""


def recorded_gpus(site: Site) -> list[RecordedGpu]:
    """The GPUs of all records that pages show, the reference GPU first, then by name."""
    machines = {at.machine.gpu.slug: at.machine for found in site.standings.values() for at in found}
    gpus = [RecordedGpu(slug, at.gpu.name, short_name(at.gpu.name)) for slug, at in machines.items()]
    return sorted(gpus, key=lambda gpu: (gpu.slug != site.course.reference_gpu, gpu.short))


def offer(env: Environment, site: Site, without: str | None) -> None:
    """Let the theme's templates offer the choice; ``without`` is the page for readers who have no GPU."""
    env.globals.update(recorded_gpus=recorded_gpus(site), without_gpu=without)
