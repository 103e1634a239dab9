"""Downloads the two data sets from their public archive, checks them, and puts them into a folder whole or not at all.

The standard library does: two files, each asked for once. A download manager would add a dependency and a cache of its
own, and still leave the unpacking of an archive within an archive to be written here.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nrverify.reproduce.data import kdd, twitter

ARCHIVE = "https://archive.ics.uci.edu"
TIMEOUT = 60.0
"""Seconds without an answer: generous to a slow server, and a user is waiting."""
_LARGEST = 1 << 30
"""Bytes: room for either file unpacked; a server that sends on and on does not fill the memory."""


class FetchError(Exception):
    """A download that failed or is not what was expected; one sentence that says what to do."""


@dataclass(frozen=True)
class Download:
    """A file to have: where it comes from, how it is unpacked, and how its content is checked."""

    name: str
    url: str
    unpack: Callable[[bytes], bytes]
    check: Callable[[bytes], str | None]


def unpack_nothing(content: bytes) -> bytes:
    """The download is the file."""
    return content


def unpack_twitter(content: bytes) -> bytes:
    """Twitter.data out of a tar file within a zip file."""
    with zipfile.ZipFile(io.BytesIO(content)) as outer:
        inner = outer.read(next(name for name in outer.namelist() if name.endswith("regression.tar.gz")))
    with tarfile.open(fileobj=io.BytesIO(inner)) as tar:
        member = next(item for item in tar.getmembers() if item.name.endswith("Twitter/Twitter.data"))
        file = tar.extractfile(member)
        assert file is not None
        return file.read()


def check_kdd(content: bytes) -> str | None:
    """What is wrong with the KDD file, by its checksum."""
    found = hashlib.sha256(content).hexdigest()
    return None if found == kdd.WHOLE_SHA256 else f"its sha256 is {found}, not {kdd.WHOLE_SHA256}"


def check_twitter(content: bytes) -> str | None:
    """What is wrong with Twitter.data, by its rows and the mean and maximum of its target; no checksum is published."""
    lines = content.split()
    if len(lines) != twitter.WHOLE_ROWS:
        return f"it has {len(lines):,} rows, not {twitter.WHOLE_ROWS:,}"
    if any(line.count(b",") != twitter.FEATURES for line in lines):
        return f"a row does not have {twitter.FEATURES + 1} fields"
    popularity = np.array([float(line[line.rfind(b",") + 1 :]) for line in lines])
    if abs(popularity.mean() / twitter.WHOLE_MEAN - 1) > 1e-9 or popularity.max() != twitter.WHOLE_MAX:
        return f"the mean and maximum of its target are {popularity.mean():.9g} and {popularity.max():g}"
    return None


DOWNLOADS = {
    "logistic": Download(
        "kddcup.data_10_percent.gz",
        f"{ARCHIVE}/ml/machine-learning-databases/kddcup99-mld/kddcup.data_10_percent.gz",
        unpack_nothing,
        check_kdd,
    ),
    "ridge": Download(
        "Twitter.data", f"{ARCHIVE}/static/public/248/buzz+in+social+media.zip", unpack_twitter, check_twitter
    ),
}


def fetch(downloads: list[Download], folder: Path, say: Callable[[str], None]) -> None:
    """Puts every file that is not there yet into the folder."""
    for download in downloads:
        target = folder / download.name
        if target.exists():
            say(f"{target} is there already")
            continue
        say(f"downloading {download.url}")
        _place(target, _checked(download, _get(download, folder)))
        say(f"{target}: complete and checked")


def _get(download: Download, folder: Path) -> bytes:
    try:
        with urllib.request.urlopen(download.url, timeout=TIMEOUT) as response:
            content: bytes = response.read(_LARGEST + 1)
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchError(
            f"{download.name} could not be downloaded from {download.url} ({reason}): "
            f"put the file into {folder} by hand and leave out --fetch, or run without data for synthetic figures."
        ) from error
    if len(content) > _LARGEST:
        raise FetchError(f"{download.url} sent more than {_LARGEST:,} bytes, far more than expected: not stored.")
    return content


def _checked(download: Download, content: bytes) -> bytes:
    try:
        unpacked = download.unpack(content)
        problem = download.check(unpacked)
    except (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, StopIteration, KeyError, ValueError) as error:
        problem = f"it could not be unpacked ({type(error).__name__}: {error})"
    if problem is not None:
        raise FetchError(
            f"{download.name} from {download.url} is not the file expected: {problem}; nothing was stored."
        )
    return unpacked


def _place(target: Path, content: bytes) -> None:
    draft = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".fetch-", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        draft.chmod(0o644)
        draft.replace(target)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise FetchError(f"{target} could not be written: {error.strerror or error}.") from error
