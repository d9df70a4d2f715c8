"""Neptune's runs as neptune-exporter has written them: Parquet, and files beside it."""
