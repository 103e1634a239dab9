"""Records in Parquet are the records of the same sessions in .npz, and whatever a file does the audit survives it."""

import builtins
import importlib.util
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records import parquet as records_parquet
from nrverify.subjects.records.file import read_record, record_of
from tests.subjects.records import SCHEDULE, asked, brownian, runs, transcripts

HEADER = {"mechanism": "brownian", "value": [0.0], "neighbour": [1.0], "schedule": SCHEDULE}
RUNS = {"mechanism": "above-threshold", "epsilons": 2.0, "threshold": 0.0, "sensitivity": 1.0}
RUNS |= {"utilities": [-2.0, -2.0, -2.0], "utilities_neighbour": [-3.0, -3.0, -1.0]}


def rows(sides, at=None):
    """The long table of both sides: every release that is not NaN, or was asked for."""
    columns = {name: [] for name in ("session", "side", "index", "at", "release_0")}
    for side, releases in sides.items():
        times = np.broadcast_to(SCHEDULE, releases.shape[:2]) if at is None else at[side]
        session, index = np.nonzero(~np.isnan(releases[:, :, 0]) if at is None else ~np.isnan(times))
        columns["session"] += session.tolist()
        columns["side"] += [side] * session.size
        columns["index"] += index.tolist()
        columns["at"] += times[session, index].tolist()
        columns["release_0"] += releases[session, index, 0].tolist()
    return columns


def table(header=HEADER, **changes):
    columns = rows({"value": brownian([0.0], 40, 1), "neighbour": brownian([1.0], 40, 2)})
    columns = {name: column for name, column in {**columns, **changes}.items() if column is not None}
    return pa.table(columns).replace_schema_metadata({} if header is None else {"nrverify": json.dumps(header)})


def run_table(header=RUNS, **changes):
    rounds = runs()
    columns = {
        "session": [*range(40), *range(40)],
        "side": ["value"] * 40 + ["neighbour"] * 40,
        "round": [*rounds["rounds"].tolist(), *rounds["rounds_neighbour"].tolist()],
    }
    return pa.table({**columns, **changes}).replace_schema_metadata({"nrverify": json.dumps(header)})


def written(path, content):
    pq.write_table(content, path)
    return path


def same(record, other):
    for side, too in zip(record.sides, other.sides, strict=True):
        assert np.array_equal(side.releases, too.releases, equal_nan=True)
        assert np.array_equal(side.asked, too.asked, equal_nan=True)
    return record.description == other.description and record.fixed == other.fixed


def read_here(path):
    """In this process, as the process of its own would."""
    return record_of(records_parquet.arrays_of(path))


def test_a_schedule_in_the_header_gives_the_record_of_the_same_npz_and_pyarrow_stays_outside(tmp_path, monkeypatch):
    path = written(tmp_path / "r.parquet", table())
    real = builtins.__import__

    def importing(name, *rest, **options):
        assert not name.startswith("pyarrow")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", importing)
    record = read_record(path)
    monkeypatch.undo()
    assert same(record, record_of(transcripts()))


def test_without_a_schedule_each_session_is_taken_as_it_was_asked(tmp_path):
    arrays = asked()
    sides = {"value": arrays["releases"], "neighbour": arrays["releases_neighbour"]}
    at = {"value": arrays["asked"], "neighbour": arrays["asked_neighbour"]}
    header = {key: HEADER[key] for key in ("mechanism", "value", "neighbour")}
    content = pa.table(rows(sides, at)).replace_schema_metadata({"nrverify": json.dumps(header)})
    assert same(read_here(written(tmp_path / "r.parquet", content)), record_of(arrays))


def test_a_release_that_was_nan_is_kept_apart_from_a_stop(tmp_path):
    columns = rows({"value": brownian([0.0], 40, 1), "neighbour": brownian([1.0], 40, 2)})
    columns["release_0"][2] = float("nan")
    record = read_here(written(tmp_path / "r.parquet", table(release_0=columns["release_0"])))
    assert np.isnan(record.value.releases[0, 2, 0])
    assert record.value.asked[0, 2] == SCHEDULE[2]


def test_runs_of_a_threshold_mechanism_are_those_of_the_same_npz(tmp_path):
    record, other = read_here(written(tmp_path / "r.parquet", run_table())), record_of(runs())
    assert np.array_equal(record.rounds, other.rounds)
    assert np.array_equal(record.rounds_neighbour, other.rounds_neighbour)
    assert np.array_equal(record.epsilons, other.epsilons)


def test_sides_as_a_dictionary_and_rows_of_both_sides_in_turn_are_the_same_record(tmp_path):
    columns = rows({"value": brownian([0.0], 40, 1), "neighbour": brownian([1.0], 40, 2)})
    order = np.lexsort((columns["index"], columns["side"], columns["session"]))
    turned = {name: pa.array(np.array(column)[order].tolist()) for name, column in columns.items()}
    turned["side"] = turned["side"].dictionary_encode()
    content = pa.table(turned).replace_schema_metadata({"nrverify": json.dumps(HEADER)})
    assert same(read_here(written(tmp_path / "r.parquet", content)), record_of(transcripts()))


def refused(content, tmp_path):
    with pytest.raises(SubjectFailed) as caught:
        read_here(written(tmp_path / "r.parquet", content))
    return str(caught.value)


BOTH = {"value": brownian([0.0], 40, 1), "neighbour": brownian([1.0], 40, 2)}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (table(header=None), "no key 'nrverify'"),
        (table(header=[1]), "not a JSON object"),
        (table(header={**HEADER, "value": {"x": 1}}), "neither text nor a number"),
        (table(header={**HEADER, "value": [True]}), "neither text nor a number"),
        (table(header={**HEADER, "value": [10**400]}), "neither text nor a number"),
        (table(header={**HEADER, "value": [float("nan")]}), "NaN or infinite"),
        (table(header={**HEADER, "seed": 1}), "did you mean"),
        (table(header={**HEADER, "schedule": [4.0, 2.0, 0.5]}), "differs from the schedule"),
        (table(session=None), "no column session"),
        (table(side=None), "no column side"),
        (table(at=None), "columns session, side, index, at"),
        (table(release_2=[0.0] * 240), "columns session, side, index, at"),
        (table(colour=[0.0] * 240), "no use for the column 'colour'"),
        (table(time=[0.0] * 240), "stand in the header"),
        (table(side=[1] * 240), "column 'side'"),
        (table(side=["left"] * 240), "'left'"),
        (table(side=["value"] * 240), "not together"),
        (table(index=[0] * 240), "count the releases"),
        (table(release_0=pa.array([0.0] * 240, pa.float32())), "float64"),
        (table(release_0=[None, *[0.0] * 239]), "empty entries"),
        (table(release_0=[[0.0]] * 240), "column 'release_0'"),
        (table(session=[0.0] * 240), "integers"),
        (table().slice(0, 0), "no rows"),
        (table().slice(0, 120), "releases_neighbour"),
        (run_table(round=[9] * 80), "from 0 to 3"),
        (run_table(session=[0] * 80), "halts once"),
        (run_table(extra=[0] * 80), "session, side and round"),
    ],
)
def test_rows_that_make_no_record_are_refused_in_one_sentence(tmp_path, content, words):
    assert words in refused(content, tmp_path)


def test_one_long_session_among_many_short_ones_is_no_way_to_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("nrverify.subjects.records.rows.MOST_BYTES", 2**16)
    long = {"session": [0] * 900 + list(range(1, 200)), "side": ["value"] * 1099}
    long |= {"index": [*range(900), *[0] * 199], "at": [1.0] * 1099, "release_0": [0.0] * 1099}
    header = {key: HEADER[key] for key in ("mechanism", "value", "neighbour")}
    content = pa.table(long).replace_schema_metadata({"nrverify": json.dumps(header)})
    assert "larger than" in refused(content, tmp_path)


def test_a_file_that_says_it_has_too_many_rows_is_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(records_parquet, "MOST_BYTES", 1000)
    assert "it says it has 240 rows" in refused(table(), tmp_path)


def test_what_is_no_parquet_is_refused_here_and_by_the_process_of_its_own(tmp_path):
    path = tmp_path / "r.parquet"
    for content in (b"", b"PAR1", b"PK\x03\x04", b"PAR1" * 1000):
        path.write_bytes(content)
        with pytest.raises(SubjectFailed, match="cannot be read as Parquet"):
            read_here(path)
    with pytest.raises(SubjectFailed, match="cannot be read as Parquet"):
        read_record(path)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.kill(os.getpid(), 11)", "ended by signal SIGSEGV"),
        ("raise MemoryError('too much')", "ended with an error: MemoryError: too much"),
        ("import time; time.sleep(60)", "took longer than 1 seconds"),
    ],
)
def test_a_reader_that_dies_or_hangs_is_an_error_of_the_file_and_not_of_the_audit(
    tmp_path, monkeypatch, program, words
):
    path = written(tmp_path / "r.parquet", table())
    real = subprocess.run
    monkeypatch.setattr(records_parquet, "SECONDS", 1 if "sleep" in program else 60)
    monkeypatch.setattr(subprocess, "run", lambda command, **options: real([sys.executable, "-c", program], **options))
    with pytest.raises(SubjectFailed, match=words):
        read_record(path)


def test_without_pyarrow_it_says_what_to_install(tmp_path, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else real(name))
    with pytest.raises(SubjectFailed, match=r"pip install 'nrverify\[parquet\]'"):
        read_record(written(tmp_path / "r.parquet", table()))
