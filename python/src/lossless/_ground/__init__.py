"""What every other package stands on: errors, warnings, files and locks of our own, settings, the numbers of the wire."""
