"""Calls of the service: connections, credentials, what is tried again."""
