"""Replay records with anything in them: a verdict, or exit 2 with one sentence; never a crash, a hang, half a report.

NRVERIFY_FUZZ multiplies the number of cases.
"""

import json
import random
import resource
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify import audit
from nrverify.auditing.replay.replay import replay
from nrverify.cli import cli
from nrverify.subjects.replay.host import DoesNotFit, read_recording
from tests.support.cases import CAREFULLY, CASES
from tests.support.damage import damaged
from tests.support.replay_files import Unseeded, Wrong, members_of, tampered, written

MOST_GROWTH = 400 * 2**10


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def recorded(folder):
    """Right records: of transcripts, and of runs."""
    for subject in (Unseeded, Wrong):
        audit(subject(), record=folder / f"{subject.__name__}.right", samples=150)
    return sorted(folder.glob("*.right"))


def read_or_not(path):
    try:
        return read_recording(path)
    except DoesNotFit as error:
        words = str(error)
    assert 0 < len(words) < 700
    assert "\n" not in words
    return None


@settings(max_examples=100 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_a_damaged_record_is_one_sentence_or_does_not_matter(folder, recorded, seed):
    rng = random.Random(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        (folder / "r.nrreplay").write_bytes(damaged(rng, rng.choice(recorded).read_bytes()))
        read_or_not(folder / "r.nrreplay")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH


@settings(max_examples=100 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_a_tampered_record_is_one_sentence_or_a_record(folder, recorded, seed):
    rng = random.Random(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        read_or_not(written(folder / "r.nrreplay", tampered(rng, members_of(rng.choice(recorded)))))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH


@settings(max_examples=40 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_a_tampered_record_gives_a_verdict_or_does_not_fit(folder, recorded, seed):
    rng = random.Random(seed)
    for _ in range(4):
        path = written(folder / "r.nrreplay", tampered(rng, members_of(rng.choice(recorded))))
        if read_or_not(path) is None:
            continue
        try:
            replayed = replay(path)
        except ValueError as error:
            words = str(error)
        else:
            json.loads(replayed.report.to_json())
            assert replayed.report.exit_code in (0, 1, 3, 4)
            continue
        assert 0 < len(words) < 900
        assert "\n" not in words


@settings(max_examples=25 * CASES, **CAREFULLY)
@given(st.integers(0, 2**32))
def test_the_command_writes_a_whole_report_or_none(folder, recorded, seed):
    rng = random.Random(seed)
    path = written(folder / "r.nrreplay", tampered(rng, members_of(rng.choice(recorded))))
    report = folder / "report.json"
    result = CliRunner().invoke(cli, ["replay", str(path), "--json", str(report)])
    assert result.exit_code in (0, 1, 2, 3, 4), result.output
    assert report.exists() == (result.exit_code != 2)
    if report.exists():
        json.loads(report.read_text("utf-8"))
        report.unlink()
    assert {file.name for file in folder.iterdir()} == {"r.nrreplay", *(file.name for file in recorded)}
