"""Where a recording waits on this machine: one process writes here, another one sends."""
