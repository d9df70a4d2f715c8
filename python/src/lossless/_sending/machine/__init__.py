"""Metrics of a machine: its node, the training's processes, and accelerators."""
