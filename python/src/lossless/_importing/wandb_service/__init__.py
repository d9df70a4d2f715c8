"""Runs of W&B's service, read by its GraphQL without its package."""
