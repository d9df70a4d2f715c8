"""Reading recorded data."""
