"""Foundations of all other packages: errors, warnings, files and locks, settings, the wire."""
