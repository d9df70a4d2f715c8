"""What every other package stands on: errors, warnings, files and locks, settings, the wire."""
