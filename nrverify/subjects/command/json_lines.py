"""Lines of the subprocess protocol: requests as bytes, replies checked, arrays in either encoding (PROTOCOL.md)."""

from __future__ import annotations

import binascii
import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

OUTCOMES = ("result", "refused", "skipped", "error")
LARGEST_ARRAY = 2**63
"""Bytes that no array reaches; sizes of 0 do not count, so that one of no numbers is refused too."""
PACKED = {"f64le": np.dtype("<f8"), "i64le": np.dtype("<i8")}
"""The encodings of an array beside nested JSON numbers: base64 of little-endian numbers in C order."""

_PACKED_KEY = re.compile(rb'"(f64le|i64le)"[ \t]*:[ \t]*"')
LONG = 1 << 14
"""Bytes beyond which a packed array is cut out before the JSON is read: it affects speed alone, and short lines gain
nothing."""

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class BadReply(Exception):
    """What is wrong with a reply, as the end of a sentence that begins with 'the reply to …'."""


@dataclass(frozen=True)
class Reply:
    """One of `result`, `refused`, `skipped`, `error`, and what it holds."""

    outcome: str
    content: Any


def request_line(identity: int, op: str, fields: dict[str, Any]) -> bytes:
    """A request as one line."""
    return _encode({"id": identity, "op": op, **fields}).encode() + b"\n"


def read_reply(line: bytes, identity: int) -> Reply:
    """The reply on a line; `BadReply` unless it is an object that repeats the id and holds exactly one outcome."""
    reply = _read_long(line) if len(line) > LONG else _read_json(line)
    if not isinstance(reply, dict):
        raise BadReply(f"is not a JSON object: {excerpt(line)}")
    outcomes = [name for name in OUTCOMES if name in reply]
    if not _same_id(reply.get("id"), identity):
        found = f"has the id {_id_text(reply['id'])}" if "id" in reply else "has no id"
        said = f" and says {excerpt(reply['error'])}" if "error" in reply else ""
        raise BadReply(f"{found}{said}: it must repeat the request's, {identity}")
    if len(outcomes) != 1:
        found = " and ".join(outcomes) or "no outcome"
        raise BadReply(f"holds {found}: exactly one of {', '.join(OUTCOMES)} is needed")
    return Reply(outcomes[0], reply[outcomes[0]])


def read_array(result: Any) -> NDArray[Any]:
    """Nested JSON numbers, one number, or {"shape": …, "f64le": base64}; null is NaN, which JSON has no number for."""
    if isinstance(result, dict):
        return _read_packed(result)
    try:
        array = np.asarray(result)
    except (ValueError, OverflowError):
        raise BadReply("is not an array: its rows differ in length or depth") from None
    if array.dtype.kind in "iufb":
        return array
    if array.dtype.kind != "O" or not all(x is None or isinstance(x, (bool, int, float)) for x in array.flat):
        raise BadReply(f"is not an array of numbers: {excerpt(result)}")
    return np.array([_real(x) for x in array.flat], dtype=np.float64).reshape(array.shape)


def _read_packed(result: dict[str, Any]) -> NDArray[Any]:
    names = [name for name in PACKED if name in result]
    if len(names) != 1:
        found = f"an object with {' and '.join(names) or 'neither f64le nor i64le'}"
        raise BadReply(f"is {found}: an array of numbers, or an object with exactly one of these, is needed")
    shape, text = result.get("shape"), result[names[0]]
    if not (isinstance(shape, list) and len(shape) <= 32 and all(type(n) is int and 0 <= n < 2**48 for n in shape)):
        raise BadReply(f"has an array of shape {excerpt(shape)}: a list of integers is needed")
    if not isinstance(text, (str, memoryview)):
        raise BadReply(f"has {names[0]} that is not text: base64 is needed")
    try:
        # Strict: without it characters outside the alphabet would be dropped in silence.
        content = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise BadReply(f"has {names[0]} that is not base64 (RFC 4648, padded, no line breaks): {error}") from None
    kind = PACKED[names[0]]
    if len(content) != kind.itemsize * math.prod(shape):
        raise BadReply(f"has {len(content)} bytes of {names[0]}: shape {shape} needs {8 * math.prod(shape)}")
    if 8 * math.prod(n for n in shape if n) >= LARGEST_ARRAY:
        raise BadReply(f"has an array of shape {excerpt(shape)}: no array is so large, even of no numbers")
    return np.frombuffer(content, dtype=kind).reshape(shape).astype(kind.newbyteorder("="))


def _read_long(line: bytes) -> Any:
    """As `_read_json`, with base64 taken from the bytes as it is: reading megabytes of it as text takes longest."""
    key = _PACKED_KEY.search(line)
    end = line.find(b'"', key.end()) if key is not None else -1
    if key is not None and end >= 0 and line.find(b"\\", key.end(), end) < 0:
        reply = _read_json(line[: key.end()] + line[end:])
        result = reply.get("result") if isinstance(reply, dict) else None
        name = key[1].decode()
        if isinstance(result, dict) and result.get(name) == "":
            result[name] = memoryview(line)[key.end() : end]
            return reply
    return _read_json(line)


def _read_json(line: bytes) -> Any:
    try:
        return _DECODER.decode(line.decode("utf-8-sig"))
    except _BareWord as word:
        raise BadReply(f"has the bare word {word}, which is not JSON: write null, or use f64le") from None
    except UnicodeDecodeError:
        raise BadReply(f"is not UTF-8: {excerpt(line)}") from None
    except RecursionError:
        raise BadReply("is nested too deeply") from None
    except ValueError:
        raise BadReply(f"is not JSON, one object on one line: {excerpt(line)}") from None


class _BareWord(ValueError):
    """NaN, Infinity or -Infinity, which Python's reader takes and JSON does not have."""


def _bare_word(word: str) -> NoReturn:
    raise _BareWord(word)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadReply("has the same key twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_bare_word, object_pairs_hook=_unambiguous)


def _same_id(found: Any, identity: int) -> bool:
    """Numbers compare as numbers (some languages have only floats); true is not 1."""
    return isinstance(found, (int, float)) and not isinstance(found, bool) and found == identity


def _id_text(found: Any) -> str:
    return f'"{excerpt(found)}" (text)' if isinstance(found, str) else excerpt(found)


def _real(entry: bool | float | None) -> float:
    if entry is None:
        return math.nan
    try:
        return float(entry)
    except OverflowError:
        return math.inf if entry > 0 else -math.inf


def excerpt(thing: Any, limit: int = 120) -> str:
    """A thing of the subject's in one printable line: never control characters, never long."""
    if isinstance(thing, bytes):
        text = thing[: 4 * limit].decode(errors="replace").strip()
    elif isinstance(thing, str):
        text = thing
    else:
        text = repr(thing)
    words = " ".join(text[: 8 * limit].split())
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)
    return clean if len(clean) <= limit else f"{clean[: limit - 1]}…"
