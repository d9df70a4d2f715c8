"""Versioned artifacts: saving and restoring them, by anybody."""
