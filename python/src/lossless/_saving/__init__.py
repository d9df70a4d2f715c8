"""Artifacts and checkpoints of one recording, saved while the training continues."""
