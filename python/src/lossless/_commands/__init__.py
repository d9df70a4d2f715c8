"""Commands of `python -m lossless` besides syncing and importing."""
