"""Record files: read, or refused in one sentence; memory by what a file is."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

import nrverify
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import BadArchive, opened
from nrverify.subjects.records.file import read_record
from tests.fuzz.fuzzing import MANY, bounded_memory, concluded, fresh, one_sentence
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


def outputs(**changes):
    """Recorded outputs of a mechanism of unknown law, as JSON texts."""
    texts = np.array([json.dumps(output) for output in (1, 2.5, "a", None, [1, [2]], True)])
    arrays = {"mechanism": "any", "epsilon": 1.0, "outputs": texts, "outputs_neighbour": texts[::-1]}
    return {name: np.asarray(array) for name, array in {**arrays, **changes}.items() if array is not None}


@pytest.mark.parametrize("neighbours", [np.zeros((0, 6)), np.array([], dtype=str), np.array(["[[0,1]]"] * 2)])
def test_neighbours_that_are_not_one_text_are_named(neighbours, tmp_path):
    np.savez(tmp_path / "r.npz", **outputs(neighbours=neighbours))
    with pytest.raises(SubjectFailed, match="array neighbours has"):
        read_record(tmp_path / "r.npz")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_any_recorded_outputs_are_a_record_or_one_sentence_and_audited_to_a_verdict(tmp_path):
    rng, audited = fresh(), 0
    for _ in range(MANY // 10):
        changes = {name: rng.choice(CELLS) for name in rng.sample(NAMES, rng.choice([1, 1, 2, 3]))}
        if rng.random() < 0.5:
            texts = np.array([rng.choice(TEXTS) for _ in range(rng.choice([1, 6, 6, 7]))])
            changes[rng.choice(["outputs", "outputs_neighbour"])] = texts
        with np.errstate(all="ignore"):
            content = io.BytesIO()
            np.savez(content, **outputs(**changes))
        tried(tmp_path / "r.npz", content.getvalue())
        if audited < MANY // 200:
            assert concluded(nrverify.audit(f"records:{tmp_path / 'r.npz'}")), changes
            audited += 1


NAMES = (
    *("mechanism", "epsilon", "delta", "outputs", "outputs_neighbour", "spent", "spent_neighbour", "smallest_epsilon"),
    *("neighbours", "guarantee", "numerics", "granularity", "size", "seed", "name", "scales", "positives", "unknown"),
)
CELLS = (
    *(
        None,
        0.0,
        1.0,
        -1.0,
        1e308,
        np.nan,
        np.inf,
        3,
        True,
        "",
        "any",
        "brownian",
        "dp",
        "[[0,1]]",
        "[[1,1]]",
        "[" * 5000,
    ),
    *(
        np.ones(6),
        np.full(6, np.nan),
        np.ones((6, 2)),
        np.ones((6, 0)),
        np.zeros((0, 6)),
        np.array(["1"] * 6),
        "\x1b[2J",
    ),
    *(np.arange(6), np.array([1j] * 6), np.array([b"1"] * 6), np.array("[0,1]"), np.ones((6, 1, 1)), np.full(6, 1e308)),
)
TEXTS = (
    "1",
    "NaN",
    "Infinity",
    "1e999",
    "9" * 400,
    '"a"',
    "[]",
    "{}",
    "[" * 50 + "]" * 50,
    "",
    "x",
    "null",
    '"\\ud800"',
)


@pytest.mark.slow
def test_any_damaged_record_is_a_record_or_one_sentence(tmp_path):
    rng = fresh()
    right = []
    for arrays in (transcripts(), asked(), runs(), outputs(), transcripts(granularity=0.25, numerics="exact")):
        file = io.BytesIO()
        np.savez(file, **arrays)
        right.append(file.getvalue())
    with bounded_memory():
        for _ in range(MANY):
            tried(tmp_path / "r.npz", damaged(rng, rng.choice(right)))
