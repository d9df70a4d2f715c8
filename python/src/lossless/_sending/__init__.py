"""From the spool to the service: the process that sends, and what it does."""
