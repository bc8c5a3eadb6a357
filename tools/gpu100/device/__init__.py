"""The devices a program can run on, behind the one interface of :mod:`gpu100.device.interface`."""
