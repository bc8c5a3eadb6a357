"""Benchmarks: `make bench` measures what the site, capture and the SIMT model cost, and holds it to limits."""
