"""Sending spools to the service: the sender process and its parts."""
