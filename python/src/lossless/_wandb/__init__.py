"""W&B's module and API, as far as they are more than recording."""
