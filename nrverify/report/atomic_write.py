"""A document is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from nrverify.plain_text import COMMANDING


def refusal(name: str) -> str | None:
    """Why a document cannot be written under this name, known before any work is done; None when it can."""
    try:
        path = Path(name).resolve()
        if path.is_dir() or (_is_special(path) and not os.access(path, os.W_OK)):
            raise OSError
        if not _is_special(path):
            # A folder may be writable by its mode alone: only a draft shows that it takes files.
            handle, draft = _draft(path)
            os.close(handle)
            Path(draft).unlink()
    except (OSError, ValueError, RuntimeError):
        return f"cannot write the report {name!r}: name a file in a folder that exists and is writable"
    return None


def write_whole(name: str, text: str) -> None:
    """Writes by renaming a finished file; `OSError` leaves what was there, and nothing half written.

    A pipe or a device is written to as it is: a rename would put a file in its place.
    """
    data = encoded(text)
    path = Path(name).resolve()
    if _is_special(path):
        path.write_bytes(data)
        return
    handle, draft = _draft(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _draft(path: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=path.parent, prefix=".nrverify-")


def encoded(text: str) -> bytes:
    r"""UTF-8; a lone surrogate, which a hostile name may hold, as its escape \udXXX (valid inside JSON)."""
    return text.encode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """The text as it can be written anywhere, nothing in it a command to the terminal."""
    return COMMANDING.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()
