"""Data files in their original formats are read right, and a fault names its file, its line and what was expected."""

import gzip

import numpy as np
import pytest

from nrverify.reproduce.data import kdd, twitter
from nrverify.reproduce.data.files import DataError
from tests.reproduce.data_files import kdd_lines, twitter_lines, write

KDD_HEADER = ",".join([*kdd.FEATURES, "label"])


def rngs(count=1):
    return [np.random.default_rng(seed) for seed in range(count)]


@pytest.mark.parametrize("name", ["kddcup.data_10_percent", "kddcup.data_10_percent.gz", "kdd.csv", "kdd.csv.gz"])
@pytest.mark.parametrize("header", [False, True])
def test_events_are_the_38_numeric_columns_and_the_sign_of_the_label(tmp_path, name, header):
    lines = kdd_lines(200)
    path = write(tmp_path / name, [KDD_HEADER, *lines] if header else lines)
    (events,) = kdd.read(path, 200, rngs())
    fields = [line.split(",") for line in lines]
    keep = [k for k in range(41) if k not in (1, 2, 3)]
    assert np.array_equal(events.features, [[float(row[k]) for k in keep] for row in fields])
    assert np.array_equal(events.signs, [1.0 if row[41] == "normal." else -1.0 for row in fields])
    assert events.available == 200


def test_samples_are_distinct_rows_in_file_order_and_differ_between_generators(tmp_path):
    lines = kdd_lines(500)
    path = write(tmp_path / "kdd.csv", lines)
    first, second = kdd.read(path, 150, rngs(2))
    everything, _ = kdd.read(path, 500, rngs(2))
    positions = [
        [int(np.flatnonzero((everything.features == row).all(axis=1))[0]) for row in sample.features]
        for sample in (first, second)
    ]
    for found in positions:
        assert found == sorted(set(found))
    assert positions[0] != positions[1]


@pytest.mark.parametrize("name", ["Twitter.data", "Twitter.data.gz"])
@pytest.mark.parametrize("header", [None, "numbered", "named"])
def test_topics_are_77_columns_and_the_popularity(tmp_path, name, header):
    lines = twitter_lines(150)
    names = {
        None: [],
        "numbered": [",".join(f"V{k}" for k in range(1, 79))],
        "named": [",".join(f"NCD_{k}" for k in range(78))],
    }[header]
    (topics,) = twitter.read(write(tmp_path / name, names + lines), 150, rngs())
    table = np.array([[float(field) for field in line.split(",")] for line in lines])
    assert np.array_equal(topics.features, table[:, :77])
    assert np.array_equal(topics.popularity, table[:, 77])
    assert not topics.partial


def test_the_partial_sample_predicts_the_last_week_from_the_six_before_and_says_that_it_is_partial(tmp_path):
    lines = twitter_lines(120, len(twitter.PARTIAL))
    path = write(tmp_path / "twitter.csv.gz", [",".join(twitter.PARTIAL), *lines])
    (topics,) = twitter.read(path, 2_000, rngs())
    table = np.array([[float(field) for field in line.split(",")] for line in lines])
    weeks_before = [k for k in range(70) if (k + 1) % 7 != 0]
    known = {tuple(row[weeks_before]): row[70] for row in table}
    assert topics.partial
    assert topics.available == 120
    assert topics.features.shape == (2_000, 60)
    assert all(known[tuple(row)] == target for row, target in zip(topics.features, topics.popularity, strict=True))


def spoiled(lines, number, field, value):
    changed = list(lines)
    fields = changed[number - 1].split(",")
    fields[field] = value
    changed[number - 1] = ",".join(fields)
    return changed


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (
            lambda lines: spoiled(lines, 7, 4, "many"),
            7,
            "expected a finite number in field 5 (src_bytes), found 'many'",
        ),
        (lambda lines: spoiled(lines, 9, 0, "nan"), 9, "expected a finite number in field 1 (duration), found 'nan'"),
        (lambda lines: spoiled(lines, 9, 5, ""), 9, "expected a finite number in field 6 (dst_bytes), found ''"),
        (lambda lines: spoiled(lines, 3, 41, "benign."), 3, "expected the label 'normal.' or one of the 22 attacks"),
        (lambda lines: [*lines[:4], lines[4] + ",1", *lines[5:]], 5, "expected 42 comma-separated fields"),
        (lambda lines: [*lines[:4], "", *lines[5:]], 5, "found 0"),
        (lambda lines: [*lines[:-1], lines[-1][:20]], 300, "is the file truncated?"),
        (lambda lines: lines[:250], 251, "expected at least 300 rows of KDD-Cup-99, found 250"),
        (lambda lines: [], 1, "expected at least 300 rows of KDD-Cup-99, found 0"),
        (lambda lines: [KDD_HEADER.replace("flag", "flags"), *lines], 1, "expected the name 'flag', found 'flags'"),
    ],
)
def test_a_fault_in_a_kdd_file_names_the_line_and_what_was_expected(tmp_path, change, line, words):
    path = write(tmp_path / "kdd.csv", change(kdd_lines(300)))
    with pytest.raises(DataError) as raised:
        kdd.read(path, 300, rngs())
    assert str(raised.value).startswith(f"{path}, line {line}: ")
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (lambda lines: spoiled(lines, 11, 20, "1e-5x"), 11, "field 21 (V21), found '1e-5x'"),
        (lambda lines: spoiled(lines, 299, 77, "-1"), 299, "expected a popularity of at least 0"),
        (lambda lines: [line.rsplit(",", 1)[0] for line in lines], 1, "expected 78 comma-separated fields"),
        (lambda lines: [",".join(f"V{k}" for k in range(78)), *lines], 1, "must name 78 different columns"),
        (lambda lines: lines[:120], 121, "expected at least 200 rows of Twitter, found 120"),
    ],
)
def test_a_fault_in_a_twitter_file_names_the_line_and_what_was_expected(tmp_path, change, line, words):
    path = write(tmp_path / "Twitter.data", change(twitter_lines(300)))
    with pytest.raises(DataError) as raised:
        twitter.read(path, 200, rngs())
    assert str(raised.value).startswith(f"{path}, line {line}: ")
    assert words in str(raised.value)


def test_a_truncated_gzip_file_names_the_line_it_breaks_off_in(tmp_path):
    lines = kdd_lines(3_000)
    whole = gzip.compress(("\n".join(lines) + "\n").encode())
    path = tmp_path / "kddcup.data_10_percent.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"kddcup.data_10_percent.gz, line \d+: the gzip file is truncated or damaged"):
        kdd.read(path, 300, rngs())


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"PK\x03\x04\x00\x00\x00\x00", "binary bytes"), (b"\xff\xfe\xfd,1\n", "not UTF-8"), (b"\x1f\x8bjunk", "damaged")],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, content, words):
    path = tmp_path / "kdd.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=words):
        kdd.read(path, 300, rngs())
