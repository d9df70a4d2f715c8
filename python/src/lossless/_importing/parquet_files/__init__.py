"""Parquet, read without a package; pyarrow is asked only for what this cannot unpack."""
