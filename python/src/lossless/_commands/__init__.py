"""What `python -m lossless` does beside syncing and importing."""
