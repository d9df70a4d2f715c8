"""The directory of a recording on this machine: one process writes here, another one sends."""
