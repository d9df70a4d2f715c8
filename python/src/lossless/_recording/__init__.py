"""What a training script calls, down to the line in the spool."""
