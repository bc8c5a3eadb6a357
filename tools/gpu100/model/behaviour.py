"""What a record depends on besides the program's own files."""

HARNESS_BEHAVIOUR = 1
"""Bumped by hand when the harness changes what a program computes or prints, and only then.

It is part of every record's key: a bump makes all evidence stale, so the CHANGELOG says why
and the same commit brings the fresh capture.
"""

COMPILE_OPTIONS: tuple[str, ...] = ("--std=c++17", "--generate-line-info")
"""NVRTC's options for every program, besides the architecture and what a program adds."""
