"""Record files: read, or refused in one sentence; memory by what a file is."""

import io
import struct
import zipfile

import numpy as np
import pytest

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import BadArchive, opened
from nrverify.subjects.records.file import read_record
from tests.fuzz.fuzzing import MANY, bounded_memory, fresh, one_sentence
from tests.subjects.records import asked, runs, transcripts
from tests.support.damage import damaged


def tried(path, content):
    path.write_bytes(content)
    words = "read"
    try:
        read_record(path)
    except SubjectFailed as failure:
        words = str(failure)
    assert one_sentence(words)


def overlapping(size, names):
    """A zip file whose members are all the same bytes: each is as large as all of them together."""
    block = io.BytesIO()
    np.save(block, np.zeros(size))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(f"{names[0]}.npy", block.getvalue())
    content = file.getvalue()
    start = struct.unpack_from("<L", content, len(content) - 6)[0]
    entry = content[start:-22]
    length = len(f"{names[0]}.npy")
    entries = b"".join(entry[:46] + f"{name}.npy".encode() + entry[46 + length :] for name in names)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(names), len(names), len(entries), start, 0)
    return content[:start] + entries + end


def test_members_that_share_their_bytes_are_refused(tmp_path):
    names = [f"array{number:02}" for number in range(60)]
    (tmp_path / "r.npz").write_bytes(overlapping(2**20, names))
    with bounded_memory(), pytest.raises(BadArchive, match="share bytes"), opened(tmp_path / "r.npz"):
        pass
    with zipfile.ZipFile(tmp_path / "r.npz") as file:
        assert len(file.infolist()) == 60  # a zip file all the same


def test_a_zip_file_without_members_is_one_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "empty.npz", "w"):
        pass
    tried(tmp_path / "r.npz", (tmp_path / "empty.npz").read_bytes())


@pytest.mark.slow
def test_any_damaged_record_is_a_record_or_one_sentence(tmp_path):
    rng = fresh()
    right = []
    for arrays in (transcripts(), asked(), runs()):
        file = io.BytesIO()
        np.savez(file, **arrays)
        right.append(file.getvalue())
    with bounded_memory():
        for _ in range(MANY):
            tried(tmp_path / "r.npz", damaged(rng, rng.choice(right)))
