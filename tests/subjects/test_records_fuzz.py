"""Record files with anything in them: a record, or one sentence; never a crash, a hang or a full memory.

Files are right ones damaged at random, zip files with any directory, and any arrays under the right names. What is read
is audited too: whatever the numbers, a verdict or exit 3. NRVERIFY_FUZZ multiplies the number of cases.
"""

import io
import json
import random
import resource
import struct
import tempfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify import audit
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.file import read_record, record_of
from nrverify.subjects.records.parquet import arrays_of
from tests.subjects.records import asked, runs, transcripts
from tests.support.cases import CAREFULLY, CASES
from tests.support.damage import RIGHT, damaged, packed

MOST_GROWTH = 400 * 2**10
"""KB that this process may grow by while it reads what is small or claims to be large."""


@pytest.fixture(scope="module", autouse=True)
def bounded_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "r.npz"


def one_sentence(words):
    return 0 < len(words) < 700 and "\n" not in words and words.isprintable()


def read_or_refused(path, content):
    path.write_bytes(content)
    try:
        return read_record(path)
    except SubjectFailed as failure:
        words = str(failure)
    assert one_sentence(words)
    return None


@settings(max_examples=150 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_a_damaged_npz_is_a_record_or_one_sentence(path, seed):
    rng = random.Random(seed)
    for _ in range(10):
        read_or_refused(path, damaged(rng, rng.choice(RIGHT)))


HEADER_WORDS = st.sampled_from(
    [
        *("{", "}", "'descr'", "'shape'", "'fortran_order'", ":", ",", "(", ")", "[", "]", "'<f8'", "'|O'", "'<U9'"),
        *("True", "False", "(3,)", "(6, 3, 1)", "()", "(1e9,)", "(-1,)", "(2, 99999999999)", "__import__('os')", "\0"),
    ]
)
HEADERS = st.one_of(
    st.lists(HEADER_WORDS, max_size=14).map(" ".join),
    st.builds(
        lambda descr, order, shape: f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}",
        st.sampled_from(["<f8", ">f8", "<i8", "|b1", "<U3", "<U999999", "|O", "<f2", "<c16", "<M8[s]", "|V8", "<f99"]),
        st.booleans(),
        st.lists(st.integers(0, 2**66), max_size=5).map(tuple),
    ),
)
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
MEMBERS = st.dictionaries(
    st.one_of(st.sampled_from(sorted(transcripts() | asked() | runs())), NAMES),
    st.one_of(
        st.binary(max_size=64),
        st.builds(
            lambda version, header, data: (
                b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(header.encode())) + header.encode() + data
            ),
            st.integers(0, 4),
            HEADERS,
            st.binary(max_size=144),
        ),
    ),
    max_size=8,
)


@settings(max_examples=300 * CASES, **CAREFULLY)
@given(MEMBERS, st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]), st.booleans())
def test_a_zip_of_any_members_is_a_record_or_one_sentence(path, members, packing, right_first):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if right_first:
            for name, array in transcripts(6).items():
                if name not in members:
                    file.writestr(f"{name}.npy", packed_array(array))
        for name, member in members.items():
            file.writestr(f"{name}.npy", member)
    read_or_refused(path, content.getvalue())


def packed_array(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


SIZES = st.sampled_from([0, 1, 8, 100, 2**20, 2**31 - 1, 2**31, 2**32 - 2])


@settings(max_examples=700 * CASES, **CAREFULLY)
@given(
    st.sampled_from(RIGHT), st.lists(st.tuples(st.integers(0, 8), st.integers(8, 44), SIZES), min_size=1, max_size=3)
)
def test_a_directory_that_lies_about_its_members_is_one_sentence_or_does_not_matter(path, content, lies):
    lying = bytearray(content)
    places = [at for at in range(len(lying) - 46) if lying[at : at + 4] == b"PK\x01\x02"]
    for member, field, number in lies:
        struct.pack_into("<L", lying, places[member % len(places)] + field - field % 2, number)
    read_or_refused(path, bytes(lying))


TYPES = ("<f8", ">f8", "<f4", "<f2", "<i8", "|i1", "<u8", "|b1", "<U4", "|S3", "<c16", "<M8[s]", "|V5", "O")


def any_array(rng):
    """Any bits of any type in any shape of up to four dimensions."""
    dtype = np.dtype(rng.choice(TYPES))
    shape = tuple(rng.choice([0, 1, 1, 2, 3, 6]) for _ in range(rng.randrange(5)))
    if dtype.hasobject:
        return np.full(shape, None)
    numbers = np.frombuffer(rng.randbytes(int(np.prod(shape)) * dtype.itemsize), dtype)
    return np.zeros(shape, dtype) if dtype.kind == "U" or rng.random() < 0.3 else numbers.reshape(shape)


@settings(max_examples=150 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_any_arrays_under_the_right_names_are_a_record_or_one_sentence(path, seed):
    rng = random.Random(seed)
    for _ in range(10):
        arrays = rng.choice([transcripts, asked, runs])(6)
        for name in rng.sample(sorted(arrays), rng.randrange(1, 4)):
            arrays[name] = any_array(rng)
        with np.errstate(all="ignore"):
            read_or_refused(path, packed(arrays))


ANY_NUMBER = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, 1e-300, 1e300, 1e15, 2**53, 0.5, 1.0, 1e-9, 1e9, 5e-324, np.inf, np.nan])
)


@settings(max_examples=60 * CASES, **CAREFULLY)
@given(st.sampled_from(["brownian", "laplace", "skellam"]), st.sampled_from([transcripts, asked]), st.data())
def test_whatever_numbers_are_recorded_the_audit_ends_in_a_verdict(path, mechanism, make, data):
    arrays = make(30, mechanism=mechanism, rate=data.draw(st.sampled_from([1e-3, 1.0, 1e4])))
    scale = data.draw(st.sampled_from([1e-9, 1.0, 1e6, 1e9 / 4]))
    for name in ("schedule", "asked", "asked_neighbour"):
        if name in arrays:
            arrays[name] = arrays[name] * scale
    for name in ("releases", "releases_neighbour"):
        numbers = arrays[name] if mechanism != "skellam" else np.round(arrays[name])
        for _ in range(data.draw(st.integers(0, 4))):
            numbers.flat[data.draw(st.integers(0, numbers.size - 1))] = data.draw(ANY_NUMBER)
        arrays[name] = numbers
    arrays["value"] = np.array([data.draw(st.sampled_from([0.0, 3.0, -1e6, 1e12]))])
    arrays["neighbour"] = arrays["value"] + data.draw(st.sampled_from([1.0, -2.0, 1e3, 1e9]))
    path.write_bytes(packed(arrays))
    judged(audit(f"records:{path}", keep_going=data.draw(st.booleans())))


@settings(max_examples=25 * CASES, **CAREFULLY)
@given(
    st.lists(st.floats(-60, 60) | ANY_NUMBER, min_size=3, max_size=3),
    st.sampled_from([1e-6, 0.1, 2.0, 1e3]),
    st.integers(0, 3),
)
def test_whatever_utilities_are_recorded_the_audit_ends_in_a_verdict(path, utilities, epsilon, rounds):
    arrays = runs(40, utilities=utilities, epsilons=epsilon, rounds=[rounds] * 30)
    arrays["utilities_neighbour"] = arrays["utilities"] + [1.0, -1.0, 0.5]
    path.write_bytes(packed(arrays))
    judged(audit(f"records:{path}"))


def judged(report):
    json.loads(report.to_json())
    assert report.exit_code in (0, 1, 3, 4)
    assert report.verdict != "errored" or one_sentence(report.message)
    assert not any(np.isnan(check.e_value or 0.0) or np.isnan(check.p_value or 0.0) for check in report.checks)


def parquet(columns, header):
    content = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata({"nrverify": json.dumps(header)}), content)
    return content.getvalue()


COLUMNS = {
    "session": [0, 0, 1, 0, 0, 1],
    "side": ["value"] * 3 + ["neighbour"] * 3,
    "index": [0, 1, 0, 0, 1, 0],
    "at": [4.0, 2.0, 4.0, 4.0, 2.0, 4.0],
    "release_0": [0.1, 0.2, 0.3, 1.1, 1.2, 1.3],
}
HEADER = {"mechanism": "brownian", "value": [0.0], "neighbour": [1.0]}
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
ANY_COLUMN = st.one_of(
    *(st.lists(kind, min_size=6, max_size=6) for kind in (st.integers(-2, 2**40), st.floats(), st.text(max_size=3))),
    st.lists(st.sampled_from(["value", "neighbour"]), min_size=6, max_size=6),
    st.lists(st.lists(st.integers(0, 1), max_size=2), min_size=6, max_size=6),
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=6, max_size=6),
)


def read_rows_or_refused(path, content):
    """In this process, as the process of its own would: a crash here is one of pyarrow, and would be seen."""
    path.write_bytes(content)
    try:
        return record_of(arrays_of(path))
    except SubjectFailed as failure:
        words = str(failure)
    assert 0 < len(words) < 700
    return None


@settings(max_examples=200 * CASES, **CAREFULLY)
@given(st.data())
def test_any_columns_and_any_header_are_a_record_or_one_sentence(path, data):
    columns = data.draw(
        st.dictionaries(st.sampled_from([*COLUMNS, "time", "round", "release_1"]), ANY_COLUMN, max_size=3)
    )
    names = ["schedule", "times", "knob", "sensitivity", "delta", *HEADER]
    header = data.draw(st.dictionaries(st.sampled_from(names), JSON, max_size=3))
    read_rows_or_refused(path, parquet({**COLUMNS, **columns}, {**HEADER, **header}))


def test_a_right_table_is_among_them(path):
    assert read_rows_or_refused(path, parquet(COLUMNS, HEADER)) is not None


@settings(max_examples=80 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_a_damaged_parquet_file_is_a_record_or_one_sentence(path, seed):
    rng = random.Random(seed)
    right = parquet(COLUMNS, HEADER)
    for _ in range(10):
        read_rows_or_refused(path, damaged(rng, right))
