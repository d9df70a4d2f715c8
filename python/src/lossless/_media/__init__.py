"""Pictures, tables and the like that a script logs."""
