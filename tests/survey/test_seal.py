from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solstat.survey.seal import KEY, UNSEALED, is_broken, seal


def parquet(text: str | None) -> bytearray:
    """A Parquet file whose footer has a text."""
    schema = pa.schema([("index", pa.int64())], {} if text is None else {b"solstat": text})
    file = BytesIO()
    pq.write_table(pa.table({"index": [1, 2, 3]}, schema), file)
    return bytearray(file.getvalue())


@pytest.fixture
def sealed() -> bytearray:
    file = BytesIO(parquet(json.dumps({"schema": 1, KEY: UNSEALED})))
    seal(file)
    return bytearray(file.getvalue())


def test_a_sealed_file_is_read_as_ever(sealed: bytearray) -> None:
    table = pq.read_table(BytesIO(sealed))
    assert table["index"].to_pylist() == [1, 2, 3]
    checksum = json.loads(pq.read_metadata(BytesIO(sealed)).metadata[b"solstat"])[KEY]
    assert len(checksum) == len(UNSEALED)
    assert checksum != UNSEALED
    assert not is_broken(BytesIO(sealed))


def test_sealing_twice_changes_nothing(sealed: bytearray) -> None:
    file = BytesIO(sealed)
    seal(file)
    assert file.getvalue() == sealed


def test_each_bit_of_the_footer_counts(sealed: bytearray) -> None:
    """But for the words by which the checksum is found: without them it is an older file."""
    start = len(sealed) - 8 - int.from_bytes(sealed[-8:-4], "little")
    words = f'"{KEY}": "'.encode()
    place = sealed.index(words)
    unnoticed = set()
    for at in range(start, len(sealed)):
        for bit in range(8):
            sealed[at] ^= 1 << bit
            if not is_broken(BytesIO(sealed)):
                unnoticed.add(at)
            sealed[at] ^= 1 << bit
    assert unnoticed == set(range(place, place + len(words)))


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1PAR1", b"PAR1\xff\xff\xff\xffPAR1", b"x" * 99]
)
def test_no_parquet_file(content: bytes) -> None:
    assert is_broken(BytesIO(content))


def test_cut_short(sealed: bytearray) -> None:
    assert all(is_broken(BytesIO(sealed[:size])) for size in range(len(sealed)))


def test_files_of_earlier_versions_are_taken_as_they_are() -> None:
    assert not is_broken(BytesIO(parquet(json.dumps({"schema": 1}))))
    assert not is_broken(BytesIO(parquet(None)))


def test_so_is_what_another_program_writes_from_one(sealed: bytearray) -> None:
    copy = BytesIO()
    pq.write_table(pq.read_table(BytesIO(sealed)), copy)
    assert KEY.encode() in copy.getvalue()
    assert not is_broken(copy)


def test_a_footer_that_would_end_the_process_is_not_read(tmp_path: Path) -> None:
    """Some types that a damaged footer gives a column make Arrow abort, whoever asks."""
    program = f"""
from pathlib import Path
from solstat.deals import SeedRange
from solstat.games import rules
from solstat.survey.executors import solve_chunk
from solstat.survey.plan import Plan, Range
from solstat.survey.reader import open_run
from solstat.survey.store import Store
from solstat.survey.parts import name
from solstat.errors import SolstatError
directory = Path({str(tmp_path)!r})
part = Range(0, 5)
with Store(directory, Plan(rules("wasp"), SeedRange(0, 5), 300, "solstat"), 1) as store:
    store.start({{}}, {{}})
    store.write(part, solve_chunk(store.chunk(part)))
path = directory / name(part)
content = path.read_bytes()
length = int.from_bytes(content[-8:-4], "little")
refused = 0
for at in range(len(content) - 8 - length, len(content), 5):
    for bit in (1, 4):
        path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1:])
        try:
            list(open_run(directory).rows())
        except SolstatError:
            refused += 1
print(refused, length)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd="/", capture_output=True, text=True, check=True
    )
    refused, length = map(int, done.stdout.split())
    assert refused > 2 * (length // 5 - 10)
