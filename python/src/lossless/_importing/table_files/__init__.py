"""Tables in CSV or TSV as any program writes them, JSON lines, and DVCLive's directories."""
