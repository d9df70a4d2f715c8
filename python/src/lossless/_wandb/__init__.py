"""W&B's module and API, beyond recording."""
