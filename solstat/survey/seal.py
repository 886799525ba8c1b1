"""A checksum of a Parquet file's footer, kept in the footer itself.

Parquet has checksums for pages, none for the footer, which says where the pages are and what is in
them. A damaged one can end a process that reads it. So the text that solstat keeps in the footer
has a place for the checksum of all of the footer, in which that place counts as zeros.
"""

from __future__ import annotations

import os
import zlib
from typing import BinaryIO

KEY = "footer_crc32"
UNSEALED = "0" * 8
_MARK = f'"{KEY}": "'.encode()
_MAGIC = b"PAR1"
_TAIL = 4 + len(_MAGIC)  # the footer's length comes before the letters that end the file
_LONGEST = 1 << 20


def seal(file: BinaryIO) -> None:
    """Put the checksum into the footer of a whole file, open for reading and writing."""
    start, footer = _footer(file)
    place = footer.index(_MARK) + len(_MARK)
    file.seek(start + place)
    file.write(_checksum(footer, place))


def is_broken(file: BinaryIO) -> bool:
    """Whether an open file has no footer, or another than was sealed.

    Files of earlier versions have no checksum, and those that other programs have written
    from one have zeros; they are taken as they are.
    """
    try:
        start, footer = _footer(file)
    except ValueError:
        return True
    found = footer.find(_MARK)
    if found < 0:  # nor may it be before what a damaged length takes for the start
        file.seek(max(0, start - _LONGEST))
        return _MARK in file.read()
    place = found + len(_MARK)
    said = footer[place : place + len(UNSEALED)]
    return said not in (_checksum(footer, place), UNSEALED.encode())


def _checksum(footer: bytes, place: int) -> bytes:
    zeroed = footer[:place] + UNSEALED.encode() + footer[place + len(UNSEALED) :]
    return f"{zlib.crc32(zeroed):08x}".encode()


def _footer(file: BinaryIO) -> tuple[int, bytes]:
    """Where the footer of a file starts, and the footer with all that follows it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    tail = file.read()
    length = int.from_bytes(tail[:4], "little")
    start = size - _TAIL - length
    if not tail.endswith(_MAGIC) or start < len(_MAGIC):
        raise ValueError("no Parquet file")
    file.seek(start)
    return start, file.read()
