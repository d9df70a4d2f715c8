"""
Prints the rows of an Arrow stream as each reader gives them, in JSON: integers as texts and doubles
bit by bit. With a second word, whether each reader refuses the stream.
"""

import io
import json
import struct
import sys

import duckdb
import polars
import pyarrow.ipc

Rows = list[dict[str, object]]


def of_pyarrow(content: bytes) -> Rows:
    return pyarrow.ipc.open_stream(content).read_all().to_pylist()


def of_pandas(content: bytes) -> Rows:
    return pyarrow.ipc.open_stream(content).read_pandas().to_dict("records")


def of_polars(content: bytes) -> Rows:
    return polars.read_ipc_stream(io.BytesIO(content)).to_dicts()


def of_duckdb(content: bytes) -> Rows:
    stream = pyarrow.ipc.open_stream(content)  # noqa: F841
    found = duckdb.connect().execute("SELECT * FROM stream")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found.fetchall()]


READERS = {"pyarrow": of_pyarrow, "pandas": of_pandas, "polars": of_polars, "duckdb": of_duckdb}


def told(value: object) -> object:
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    return value if isinstance(value, str) else str(value)


def is_refused(read: object, content: bytes) -> bool:
    try:
        read(content)  # type: ignore[operator]
    except Exception:
        return True
    return False


def ends(content: bytes) -> dict[str, str]:
    """Returns the metadata of the last batch."""
    said: dict[str, str] = {}
    with pyarrow.ipc.open_stream(content) as stream:
        for batch, metadata in stream.iter_batches_with_custom_metadata():
            if batch.num_rows == 0 and metadata:
                said = {key.decode(): value.decode() for key, value in metadata.items()}
    return said


def main(path: str, cuts: list[int]) -> None:
    with open(path, "rb") as file:
        content = file.read()
    if cuts:
        refused = {name: [is_refused(read, content[:cut]) for cut in cuts] for name, read in READERS.items()}
        print(json.dumps(refused))
        return
    rows = {
        name: [{key: told(each) for key, each in row.items()} for row in read(content)]
        for name, read in READERS.items()
    }
    schema = pyarrow.ipc.open_stream(content).schema
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    print(json.dumps({"rows": rows, "ends": ends(content), "metadata": metadata}))


if __name__ == "__main__":
    main(sys.argv[1], [int(cut) for cut in sys.argv[2:]])
