"""Trackio's projects: a file of SQLite each, and the files beside them."""
