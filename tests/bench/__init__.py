"""Benchmarks: `make bench` measures what the site and capture cost, and holds it to limits."""
