"""The calls of a training script, down to the line in the spool."""
