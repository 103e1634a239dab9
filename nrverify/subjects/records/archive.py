"""Zip files of arrays from strangers: every size is checked before anything is read, and nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 2 * 2**30
"""What a file may hold when it is unpacked: arrays are held in memory, with copies made of them."""
MOST_MEMBERS = 64
"""More than all the arrays a record can have; the limit keeps a hostile directory from costing time."""
MOST_TIGHT, TIGHTEST = 64 * 2**20, 200
"""Beyond 64 MB, what was packed more than 200 to one is refused: noise does not compress."""
PIECE = 2**20
"""Bytes read at once: large enough to be fast, small against what a file may hold."""
LOCAL_HEADER = 30
"""Bytes before a member's name, at least, by the zip format."""

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    OverflowError,
    IndexError,
    MemoryError,
)
"""What zipfile and numpy may raise on hostile bytes: all of it is the fault of the file."""
_ITEM = (
    r"['\"](?:descr['\"]\s*:\s*['\"](?P<descr>[^'\"]*)['\"]"
    r"|fortran_order['\"]\s*:\s*(?P<order>True|False)"
    r"|shape['\"]\s*:\s*\((?P<shape>[0-9,\s]*)\))"
)
"""Of an .npy header, matched as text: the dictionary of a stranger is never evaluated."""
_TYPE = re.compile(r"(?P<byteorder>[<>|=]?)(?P<kind>[biufU])(?P<size>[0-9]{1,6})")
"""Plain numbers and text alone: an object type would be unpickled."""


class BadArchive(ValueError):
    """The file is not an archive of plain arrays, or one that cannot be trusted; the words say why."""


class Archive:
    """An open zip file whose sizes have been found acceptable."""

    def __init__(self, file: zipfile.ZipFile, sizes: dict[str, int]) -> None:
        self._file = file
        self.sizes = sizes
        """The members and their unpacked sizes."""
        self.packed = {member.filename: member.compress_size for member in file.infolist()}
        """The members and the bytes they take in the file."""

    def text(self, name: str, most: int) -> str:
        """A member as text, if it is no longer than `most` bytes."""
        if self.sizes[name] > most:
            raise BadArchive(f"{name} is {self.sizes[name]} bytes long: at most {most} are allowed")
        with _reading(name), self._file.open(name) as stream:
            content = stream.read(most + 1)
            if len(content) != self.sizes[name]:
                raise BadArchive(f"{name} ends early")
            return content.decode("utf-8")

    def sum(self, name: str) -> str:
        """The SHA-256 of a member."""
        total = hashlib.sha256()
        with _reading(name), self._file.open(name) as stream:
            while piece := stream.read(PIECE):
                total.update(piece)
        return total.hexdigest()

    def array(self, name: str) -> NDArray[Any]:
        """The member `name`.npy as an array of numbers or text."""
        with _reading(name), self._file.open(f"{name}.npy") as stream:
            header, descr, fortran, shape = _array_header(name, stream)
            dtype = _plain_type(name, descr)
            count = 1
            for length in shape:
                count *= length
            expected = header + count * dtype.itemsize
            if expected != self.sizes[f"{name}.npy"]:
                raise BadArchive(
                    f"array {name} says it has shape {shape} of {dtype}, which needs {expected} bytes; "
                    f"the file has {self.sizes[f'{name}.npy']}"
                )
            content = np.empty(count * dtype.itemsize, np.uint8)
            _fill(name, stream, content.data)
            flat = content.view(dtype)
            return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive at a path; `BadArchive` when it is not a zip file or its sizes are out of proportion."""
    with _reading(str(path)):
        if not path.is_file():
            raise BadArchive("there is no such file" if not path.exists() else "this is not an ordinary file")
        if path.stat().st_size > MOST_BYTES:
            raise BadArchive(f"the file is larger than {MOST_BYTES} bytes")
        try:
            file = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise BadArchive("this is not a zip file, or it is cut short") from None
    with file:
        yield Archive(file, _acceptable(file.infolist(), path.stat().st_size))


def _acceptable(members: list[zipfile.ZipInfo], size: int) -> dict[str, int]:
    """The sizes of the members, once none of them is encrypted, doubled, oddly packed or out of proportion."""
    if len(members) > MOST_MEMBERS:
        raise BadArchive(f"the file has {len(members)} members: at most {MOST_MEMBERS} are allowed")
    for member in members:
        if member.flag_bits & 1:
            raise BadArchive(f"{member.filename!r} is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadArchive(f"{member.filename!r} is packed by a method other than deflate")
    sizes = {member.filename: member.file_size for member in members}
    if len(sizes) < len(members):
        raise BadArchive("two members of the file have the same name")
    unpacked = sum(sizes.values())
    packed = max(sum(member.compress_size for member in members), 1)
    places = sorted((member.header_offset, member.compress_size) for member in members)
    for (start, length), (end, _) in pairwise([*places, (size, 0)]):
        if start + LOCAL_HEADER + length > end:
            raise BadArchive("two members of the file share bytes, or one goes on beyond its end")
    if unpacked > MOST_BYTES:
        raise BadArchive(f"the file unpacks to {unpacked} bytes: at most {MOST_BYTES} are allowed")
    if unpacked > MOST_TIGHT and unpacked > TIGHTEST * packed:
        raise BadArchive(f"the file unpacks {packed} bytes to {unpacked}: this is not a record of noise")
    return sizes


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Whatever a damaged file does to its reader becomes a sentence."""
    try:
        yield
    except BadArchive:
        raise
    except _UNREADABLE as error:
        words = " ".join(str(error).split())[:160] or type(error).__name__
        raise BadArchive(f"{what} cannot be read: {words}") from None


def _array_header(name: str, stream: IO[bytes]) -> tuple[int, str, bool, tuple[int, ...]]:
    """(length, type, whether Fortran-ordered, shape) of a .npy header, matched and never evaluated."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6:] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise BadArchive(f"array {name} is not an .npy array")
    width = 2 if magic[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > 4096:
        raise BadArchive(f"array {name} has a header of {length} bytes: a plain array needs no more than 4096")
    words = stream.read(length).decode("latin-1")
    found: dict[str, str] = {}
    for item in re.finditer(_ITEM, words):
        found |= {key: text for key, text in item.groupdict().items() if text is not None}
    rest = re.sub(_ITEM, "", words)
    if len(found) != 3 or re.sub(r"[{},\s]", "", rest):
        raise BadArchive(f"array {name} has a header that does not describe a plain array of numbers")
    shape = tuple(int(length) for length in found["shape"].split(",") if length.strip())
    if len(shape) > 3 or any(length > MOST_BYTES for length in shape):
        raise BadArchive(f"array {name} has the shape {shape}: at most three dimensions are used here")
    return 8 + width + length, found["descr"], found["order"] == "True", shape


def _plain_type(name: str, descr: str) -> np.dtype[Any]:
    """Numbers, truth values and text; anything else would have to be unpickled or guessed."""
    if "O" in descr:
        raise BadArchive(f"array {name} holds Python objects, which are never unpickled: save plain numbers")
    if not _TYPE.fullmatch(descr):
        raise BadArchive(f"array {name} has the type {descr!r}: plain numbers or text are needed")
    try:
        dtype = np.dtype(descr)
    except TypeError:
        raise BadArchive(f"array {name} has the unknown type {descr!r}: plain numbers or text are needed") from None
    if dtype.itemsize == 0:
        raise BadArchive(f"array {name} holds empty text")
    return dtype


def _fill(name: str, stream: IO[bytes], into: memoryview) -> None:
    """Reads exactly the array, in pieces; reading past its end makes the zip file check its sum."""
    done = 0
    while done < len(into):
        piece = stream.read(min(PIECE, len(into) - done))
        if not piece:
            raise BadArchive(f"array {name} ends early")
        into[done : done + len(piece)] = piece
        done += len(piece)
    if stream.read(1):
        raise BadArchive(f"array {name} goes on after its end")
