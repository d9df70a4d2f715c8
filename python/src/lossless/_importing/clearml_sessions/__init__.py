"""ClearML's offline sessions: a zip file or a directory each."""
