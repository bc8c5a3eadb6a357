# %% [markdown]
# # What fits what
#
# Source becomes code for a GPU in two steps, and either may be done by somebody else's
# version. This program compiles one kernel for every architecture that its compiler
# knows, as a cubin and as PTX, and hands each to the driver of this machine. It expects
# some to be refused, and writes down how the driver says so, and how the runtime does.

# %%
import ctypes
import re
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

from gpu100 import lab

device = lab.device()
gpu = device.gpu
print(f"{gpu.name}, compute capability {gpu.capability}")
plus_one = lab.compile(device, "device_report.cu")["plus_one"]

# %% [markdown]
# ## One element
#
# The smallest run that proves a set-up: compile, launch, copy back, compare. The input
# is random, and the memory was poisoned, so that the answer cannot be there by accident.

# %%
# --8<-- [start:one]
x = np.int32(np.random.default_rng(3).integers(1, 1 << 30))
y = device.empty(1, "int32")  # filled with poison, which reads as minus one
lab.check("the comparison rejects what no kernel wrote", y.to_numpy() != x + 1)
plus_one.launch(1, 1, y, x)
equal = y.to_numpy() == x + 1
# --8<-- [end:one]
print(f"{int(equal.sum())} of 1 element right")
lab.check("the one element equals the CPU's", equal)
lab.exact("right", int(equal.sum()))

# %% [markdown]
# ## What the compiler makes
#
# A real architecture gives a cubin, machine code in an ELF file. A virtual one gives
# PTX, a text. Neither needs a GPU, so this part runs anywhere.


# %%
# --8<-- [start:checked]
def checked(result: tuple[Any, ...]) -> Any:
    """What a call returned besides its status; an error ends the program, by its name."""
    status, *values = result
    if status.value != 0:
        raise RuntimeError(status.name)
    return values[0] if values else None


# --8<-- [end:checked]


# --8<-- [start:compiled]
def compiled(architecture: str) -> bytes:
    """The kernel as a cubin, for ``sm_90``, or as PTX, for ``compute_90``."""
    source = plus_one.source.text.encode()
    program = checked(nvrtc.nvrtcCreateProgram(source, b"device_report.cu", 0, [], []))
    option = f"--gpu-architecture={architecture}".encode()
    checked(nvrtc.nvrtcCompileProgram(program, 1, [option]))
    if architecture.startswith("sm_"):
        image = bytearray(checked(nvrtc.nvrtcGetCUBINSize(program)))
        checked(nvrtc.nvrtcGetCUBIN(program, image))
    else:
        image = bytearray(checked(nvrtc.nvrtcGetPTXSize(program)))
        checked(nvrtc.nvrtcGetPTX(program, image))  # with the zero that ends it
    checked(nvrtc.nvrtcDestroyProgram(program))
    return bytes(image)


# --8<-- [end:compiled]


def version_line(ptx: bytes) -> str:
    """The version of PTX that a text says it is written in."""
    found = re.search(rb"^\.version (\d+\.\d+)$", ptx, re.MULTILINE)
    return found[1].decode() if found else "none"


Version = tuple[int, int]


def version(text: str) -> Version:
    """A version or capability as numbers, so that they compare as such."""
    major, minor = text.split(".")
    return int(major), int(minor)


_, *compiler = nvrtc.nvrtcVersion()
nvrtc_version = ".".join(str(number) for number in compiler)
known = [divmod(number, 10) for number in checked(nvrtc.nvrtcGetSupportedArchs())]
cubin = {(major, minor): compiled(f"sm_{major}{minor}") for major, minor in known}
ptx = {(major, minor): compiled(f"compute_{major}{minor}") for major, minor in known}
written = version_line(ptx[known[0]])

print(f"NVRTC {nvrtc_version}")
print("compiles for", *(f"{major}.{minor}" for major, minor in known))
print(f"and writes PTX of version {written}")
elf = [image[:4] == b"\x7fELF" for image in cubin.values()]
lab.check("each cubin is an ELF file", elf)
one_version = [version_line(text) == written for text in ptx.values()]
lab.check("each PTX is of one version", one_version)
by_compiler = {"nvrtc": nvrtc_version}
lab.exact("written", written, scale=by_compiler)
lab.exact("architectures", len(known), scale=by_compiler)
lab.predict(
    "ptx-written",
    version(written) == (9, compiler[1]),
    saw=f"PTX of version {written}",
    applies=compiler[0] == 13,
)

# %% [markdown]
# ## What the driver is
#
# From here on the driver is asked. Nothing that is printed tells one machine from
# another of its kind: no serial number, no address, no name of the machine.

# %%
lab.rest_needs_gpu("loading is the driver's, and the model has none")

raw = checked(driver.cuDriverGetVersion())
serves = (raw // 1000, raw % 1000 // 10)
ask_for = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT
limited = checked(driver.cuDeviceGetAttribute(ask_for, checked(driver.cuCtxGetDevice())))
print(f"the driver serves CUDA {serves[0]}.{serves[1]}")
print(f"time limit for a kernel: {'yes' if limited else 'none'}")


# %% [markdown]
# ## Load it, and see what it says
#
# Loading is asked of the driver directly. A program that goes through a library may be
# told later, at the first use of a kernel, because loading is put off until then.


# %%
# --8<-- [start:load]
LOG_BYTES = 4096
LOG_OPTIONS = [
    driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER,
    driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
]


def load(image: bytes) -> tuple[str, str]:
    """The driver's answer to ``image``, and its log; what loads must run and be right."""
    log = bytearray(LOG_BYTES)
    options = (len(LOG_OPTIONS), LOG_OPTIONS, [log, LOG_BYTES])
    status, module = driver.cuModuleLoadDataEx(image, *options)
    if status.value != 0:
        return status.name, " ".join(log.split(b"\0")[0].decode().split())
    status, function = driver.cuModuleGetFunction(module, b"plus_one")
    if status.value == 0:  # a kernel may be loaded only now
        run(function)
    checked(driver.cuModuleUnload(module))
    return status.name, ""


# --8<-- [end:load]


def run(function: driver.CUfunction) -> None:
    """Launch a loaded kernel, and end the program if its answer is wrong."""
    y = device.empty(1, "int32")
    arguments = (int(y.buffer.handle), int(x)), (ctypes.c_void_p, ctypes.c_int)
    one, stream = (1, 1, 1), device.stream.handle
    checked(driver.cuLaunchKernel(function, *one, *one, 0, stream, arguments, 0))
    if y.to_numpy()[0] != x + 1:
        raise RuntimeError("a kernel that loaded gave a wrong answer")


# --8<-- [start:runtime]
def through_runtime(image: bytes) -> tuple[str, str]:
    """The runtime's answer, and the call that gave it: the first that failed."""
    status, library = runtime.cudaLibraryLoadData(image, [], [], 0, [], [], 0)
    if status.value != 0:
        runtime.cudaGetLastError()  # the runtime keeps it: no later check may find it
        return status.name, "cudaLibraryLoadData"
    status, kernel = runtime.cudaLibraryGetKernel(library, b"plus_one")
    call = "cudaLibraryGetKernel"
    if status.value == 0:
        status, _ = runtime.cudaFuncGetAttributes(int(kernel))
        call = "cudaFuncGetAttributes"
    checked(runtime.cudaLibraryUnload(library))
    runtime.cudaGetLastError()  # the runtime keeps it: no later check may find it
    return status.name, call


# --8<-- [end:runtime]

# %% [markdown]
# ## Every architecture
#
# One kernel, compiled by one compiler, offered to one GPU.

# %%
said_to_cubin = {name: load(image)[0] for name, image in cubin.items()}
said_to_ptx = {name: load(image)[0] for name, image in ptx.items()}
lab.table(
    ["compiled for", "the cubin", "the PTX"],
    [[f"{a}.{b}", said_to_cubin[a, b], said_to_ptx[a, b]] for a, b in known],
)
here = {"nvrtc": nvrtc_version, "driver": raw}
for name, words in (("cubin", said_to_cubin), ("ptx", said_to_ptx)):
    lab.exact(name, {f"{a}.{b}": word for (a, b), word in words.items()}, scale=here)


# %% [markdown]
# ## Every version of PTX
#
# The architecture is the oldest, so that the GPU is no reason to refuse it. Only the
# line with the version is changed.


# %%
# --8<-- [start:versions]
def as_of(edition: str, text: bytes = ptx[known[0]]) -> bytes:
    """A PTX text, the oldest architecture's if no other, that says another version."""
    line = rb"^\.version \d+\.\d+$"
    return re.sub(line, b".version " + edition.encode(), text, flags=re.MULTILINE)


# The versions that there are, and after the newest of them those that there may be.
tried = [f"8.{minor}" for minor in range(9)]
tried += [f"{major}.{minor}" for major in (9, 10) for minor in range(10)]
answers = {text: load(as_of(text)) for text in tried}
loads = [text for text in tried if answers[text][0] == "CUDA_SUCCESS"]
newest = loads[-1]
next_one = tried[tried.index(newest) + 1]
oldest = tried.index(loads[0])
in_one_piece = loads == tried[oldest : oldest + len(loads)]
lab.check("the versions that load have no gap", in_one_piece)
# --8<-- [end:versions]
newer_says, newer_call = through_runtime(as_of(next_one))
print(f"newest PTX that loads: version {newest}")
print(f"PTX {next_one}: {newer_says} from {newer_call}")
print(f"PTX {next_one}: {answers[next_one][0]} from cuModuleLoadDataEx")
lab.exact("newest", newest, scale={"driver": raw})
lab.exact("next", next_one, scale={"driver": raw})

# %% [markdown]
# ## Two names for each error
#
# The same images through the runtime. What it calls an error is not what the driver
# calls it, and the call that fails need not be the one that was handed the image.

# %%
own = version(gpu.capability)
others = [name for name in known if name[0] != own[0]]
older = [name for name in known if name < own]
newer = [name for name in known if name > own]
other = max([name for name in others if name < own], default=min(others))
spoken = min(written, newest, key=version)  # by both, so the version is no reason
cases = {
    "its own cubin": cubin.get(own),
    "a cubin of another major": cubin[other],
    "PTX of an older architecture": as_of(spoken, ptx[older[0]]) if older else None,
    "PTX of a newer architecture": as_of(spoken, ptx[newer[0]]) if newer else None,
    "PTX of a newer version": as_of(next_one),
    "PTX cut off in the middle": as_of(spoken)[:300] + b"\0",
}
NOT_TRIED = "not tried"
rows, logs = [], {}
for case, image in cases.items():
    by_driver, logs[case] = load(image) if image else (NOT_TRIED, "")
    by_runtime = through_runtime(image) if image else (NOT_TRIED, NOT_TRIED)
    rows.append([case, by_driver, *by_runtime])
lab.table(["image", "driver", "runtime", "which call of the runtime"], rows)
print("The driver's compiler, where it was asked and refused:")
for case, log in logs.items():
    if log:
        print(f"{case}: {log}")
for column, name in enumerate(("driver_says", "runtime_says", "call"), start=1):
    lab.exact(name, {row[0]: row[column] for row in rows}, scale=here)

# %% [markdown]
# After all these refusals, the kernel of the beginning runs again: none of them has
# harmed the context.

# %%
y = device.empty(1, "int32")
plus_one.launch(1, 1, y, x)
usable = bool((y.to_numpy() == x + 1).all())
said = [*said_to_cubin.values(), *said_to_ptx.values()]
refused = sum(word != "CUDA_SUCCESS" for word in said)
print(f"after {refused} refusals above, one element is {'right' if usable else 'wrong'}")

# %% [markdown]
# ## The predictions

# %%
OK = "CUDA_SUCCESS"
NO_BINARY = "CUDA_ERROR_NO_BINARY_FOR_GPU"
# One is embedded, one on no list of GPUs: nothing is promised between them and others.
APART = {(8, 7), (8, 8)}

in_time = version(written) <= version(newest)
lab.predict("own-cubin", said_to_cubin.get(own) == OK, applies=own in known)
lab.predict(
    "other-majors",
    all(said_to_cubin[name] == NO_BINARY for name in others) and usable,
    saw=f"{len(others)} cubins of other majors",
)
relatives = [n for n in known if n[0] == own[0] and n != own and n not in APART]
lab.predict(
    "same-major",
    all((said_to_cubin[name] == OK) == (name < own) for name in relatives),
    saw=f"{len(relatives)} cubins of this major",
    applies=bool(relatives) and own not in APART,
)
lab.predict(
    "older-ptx",
    all(said_to_ptx[name] == OK for name in older),
    saw=f"{len(older)} architectures",
    applies=in_time and bool(older),
)
lab.predict(
    "newer-target",
    all(said_to_ptx[name] == "CUDA_ERROR_INVALID_PTX" for name in newer),
    saw=f"{len(newer)} architectures",
    applies=in_time and bool(newer),
)
lab.predict(
    "newest-version",
    version(newest) == (9, serves[1]),
    saw=f"PTX {newest} with CUDA {serves[0]}.{serves[1]}",
    applies=serves[0] == 13,
)
both = (answers[next_one][0], newer_says)
lab.predict(
    "newer-version",
    both == ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cudaErrorUnsupportedPtxVersion"),
    saw=" and ".join(both),
)
