"""What a recording was started from: its source, and its environment."""
