"""What to tell a learner about an access that must not be: which thread, which line, which memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from gpu100.device.simt.faults import Fault, Kind, Place
from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.device_memory import NULL_PAGE, Allocation, DeviceMemory
from gpu100.device.simt.memory.lanes import Lanes, Words
from gpu100.device.simt.ptx import ir as ptx
from gpu100.errors import plural

NEAR = 1 << 20
"""How far from an allocation an address may be and still be told by its distance."""


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction that accesses memory."""

    instruction: ptx.Instruction
    space: str
    """``global``, ``const``, ``shared``, ``local`` or ``generic``."""
    kind: str
    """``load``, ``store`` or ``atomic``."""
    nbytes: int
    """Per lane."""

    @property
    def verb(self) -> str:
        return {"load": "reads", "store": "writes", "atomic": "updates"}[self.kind]

    @property
    def past(self) -> str:
        return {"load": "read", "store": "wrote", "atomic": "updated"}[self.kind]

    @property
    def ordered(self) -> bool:
        """Whether it is meant to be seen by other threads without a barrier: volatile, relaxed, acquire, release."""
        return bool(_ORDERED & set(self.instruction.modifiers))


_ORDERED = frozenset(("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"))


def refuse(kind: Kind, what: str, place: Place, *, hint: str | None = None) -> NoReturn:
    """Raise the fault, its message opened by who did it."""
    raise Fault(kind, f"{place}: {what}", place=place, hint=hint)


def first_global(memory: DeviceMemory, site: Site, lanes: Lanes, active: Active, address: Words) -> None:
    """Raise for the first lane that may not access its address; return if all may."""
    for at, one in zip(active.numbers.tolist(), _each(active, address), strict=True):
        found = _global_problem(memory, site, one)
        if found:
            refuse(found[0], found[1], lanes.place(at, site.instruction.location), hint=found[2])


def first_window(what: str, size: int, site: Site, lanes: Lanes, active: Active, offset: Words) -> None:
    """The same for shared or local memory of ``size`` bytes."""
    signed = 1 << (8 * offset.dtype.itemsize - 1)
    for at, one in zip(active.numbers.tolist(), _each(active, offset), strict=True):
        distance = one - 2 * signed if one >= signed else one
        found = _misaligned(site, one) or _outside(site, distance, size, what)
        if found:
            refuse(found[0], found[1], lanes.place(at, site.instruction.location))


def _each(active: Active, address: Words) -> list[int]:
    addresses: list[int] = address.tolist()
    return addresses * active.count if address.size == 1 else addresses


Problem = tuple[Kind, str, str | None]


def _global_problem(memory: DeviceMemory, site: Site, address: int) -> Problem | None:
    if found := _misaligned(site, address):
        return found
    owner = memory.find(address)
    end = address + site.nbytes
    if owner and end <= owner.end:
        if owner.read_only and site.kind != "load":
            return "read-only", f"{site.verb} {_bytes(site)} of {owner.name}, which is constant", None
        return None
    return (
        _near_null(site, address)
        or _freed(memory, site, address)
        or _beside(site, address, owner, memory.following(address))
        or ("out-of-bounds", f"{site.verb} {_bytes(site)} at {address:#x}, which is nowhere near any allocation", None)
    )


def _misaligned(site: Site, address: int) -> Problem | None:
    size = site.nbytes
    if address % size == 0:
        return None
    what = f"a {size}-byte access at an address that is not a multiple of {size} ({address:#x})"
    return "misaligned", f"{site.verb} {_bytes(site)} misaligned: {what}", None


def _near_null(site: Site, address: int) -> Problem | None:
    signed = address - (1 << 64) if address >= 1 << 63 else address
    if abs(signed) >= NULL_PAGE:
        return None
    what = "through a null pointer" if signed == 0 else f"{signed} bytes from a null pointer"
    return "out-of-bounds", f"{site.verb} {_bytes(site)} {what}", "was the pointer argument passed, or set at all?"


def _freed(memory: DeviceMemory, site: Site, address: int) -> Problem | None:
    old = memory.freed_at(address)
    if old is None:
        return None
    at = f"{old.name} + {address - old.address}"
    return "use-after-free", f"{site.verb} {_bytes(site)} at {at}, which has been freed", None


def _beside(site: Site, address: int, below: Allocation | None, above: Allocation | None) -> Problem | None:
    """Past the end of the allocation below or before the start of the one above, whichever is nearer."""
    past = address - below.end if below else NEAR + 1
    before = above.address - address if above else NEAR + 1
    if below and past <= min(before, NEAR):
        return _outside(site, address - below.address, below.nbytes, below.name)
    if above and before <= NEAR:
        return _outside(site, -before, above.nbytes, above.name)
    return None


def _outside(site: Site, offset: int, size: int, name: str) -> Problem | None:
    """How an access at ``offset`` lies to ``size`` bytes."""
    if offset >= 0 and offset + site.nbytes <= size:
        return None
    if offset < 0:
        where = f"{name} - {-offset}, which is {-offset} bytes before its start"
    elif offset < size:
        where = f"{name} + {offset}, whose last {offset + site.nbytes - size} lie past its end"
    else:
        where = f"{name} + {offset}, which is {offset - size} bytes past its end"
    hint = "compare the index with the size before the access" if site.kind != "atomic" else None
    return "out-of-bounds", f"{site.verb} {_bytes(site)} at {where} (it has {plural(size, 'byte')})", hint


def _bytes(site: Site) -> str:
    return plural(site.nbytes, "byte")


def uninitialized(site: Site, place: Place, name: str, offset: int) -> NoReturn:
    """Raise for a read of bytes that nobody has written."""
    refuse(
        "uninitialized",
        f"{site.verb} {_bytes(site)} at {name} + {offset}, which nobody has written",
        place,
        hint="memory is not zeroed: copy to it, or write it in a kernel, before reading it",
    )
