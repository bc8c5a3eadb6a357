"""The engine of 100 Days of GPU: programs run, evidence kept, pages built from it.

Programs import one thing from here: ``from gpu100 import lab``.  The layers are
drawn in CONTRIBUTING.md and held by ``tests/test_layers.py``.
"""

__version__ = "0.1.0"
