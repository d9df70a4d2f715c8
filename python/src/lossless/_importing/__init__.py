"""Imports of what other trackers have stored: read, mapped, sent, and compared with the source."""
