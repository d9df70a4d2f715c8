"""What a process prints and logs, as lines in the directory of a recording."""
