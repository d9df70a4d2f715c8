"""Prints the rows of a Parquet file as each reader gives them, in JSON."""

import json
import sys

import duckdb
import pandas
import polars


def told(value: object) -> object:
    """Whole numbers as texts and doubles bit by bit: JSON of either would lose digits."""
    if value is None or value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        return None if value != value else value.hex()
    return str(int(value))


def rows_of(path: str) -> dict[str, list[dict[str, object]]]:
    found = duckdb.connect().execute("SELECT * FROM read_parquet(?)", [path])
    names = [column[0] for column in found.description]
    # Columns that lack values become doubles in pandas unless they are kept as Arrow has them.
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    return {
        "duckdb": [dict(zip(names, row)) for row in found.fetchall()],
        "pandas": frame.to_dict("records"),
        "polars": polars.read_parquet(path).to_dicts(),
    }


def filtered(path: str, slug: str) -> dict[str, int]:
    """Readers skip row groups by their bounds."""
    where = polars.col("slug") == slug
    return {
        "duckdb": duckdb.connect()
        .execute("SELECT count(*) FROM read_parquet(?) WHERE slug = ? AND step >= 0", [path, slug])
        .fetchall()[0][0],
        "pandas": len(pandas.read_parquet(path, filters=[("slug", "==", slug), ("step", ">=", 0)])),
        "polars": polars.scan_parquet(path).filter(where & (polars.col("step") >= 0)).collect().height,
    }


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(filtered(sys.argv[1], sys.argv[2])))
    else:
        rows = rows_of(sys.argv[1])
        told_rows = {
            reader: [{name: told(value) for name, value in row.items()} for row in found]
            for reader, found in rows.items()
        }
        print(json.dumps(told_rows))
