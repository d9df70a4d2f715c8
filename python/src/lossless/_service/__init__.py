"""Calls of the service: connections, credentials, retries."""
