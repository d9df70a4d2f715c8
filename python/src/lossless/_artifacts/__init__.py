"""Versioned artifacts: saving and restoring them, with or without an experiment."""
