"""Reading back what was recorded."""
