"""Replay records with anything in them: a verdict, or exit 2 with one sentence; never a crash, a hang, half a report.

NRVERIFY_FUZZ multiplies the number of cases.
"""

import hashlib
import json
import os
import random
import resource
import tempfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nrverify import audit
from nrverify.auditing.replay.replay import replay
from nrverify.cli import cli
from nrverify.subjects.replay.host import DoesNotFit, read_recording
from tests.auditing.test_replay import Unseeded, Wrong
from tests.subjects.test_records_fuzz import damaged

CASES = int(os.environ.get("NRVERIFY_FUZZ", "1"))
CAREFULLY = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}
MOST_GROWTH = 400 * 2**10
AWKWARD = (None, True, -1, 0, 2**70, 1e308, "", "inf", "\ud800", [], [[]], {}, {"a": 1}, [None], "sample", 1e-320, 3)


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


def members_of(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def written(path, members):
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def changed(rng, found):
    """JSON with something in it replaced, left out or added."""
    if isinstance(found, dict) and found and rng.random() < 0.9:
        key = rng.choice(sorted(found))
        kind = rng.randrange(6)
        if kind == 0:
            return {name: value for name, value in found.items() if name != key}
        if kind == 1:
            return {**found, rng.choice(["more", "shape", "refused", ""]): rng.choice(AWKWARD)}
        return {**found, key: changed(rng, found[key])}
    if isinstance(found, list) and found and rng.random() < 0.9:
        at = rng.randrange(len(found))
        kind = rng.randrange(5)
        if kind == 0:
            return found[:at]
        if kind == 1:
            return [*found, *found[at : at + 2]]
        return [*found[:at], changed(rng, found[at]), *found[at + 1 :]]
    return rng.choice(AWKWARD)


def tampered(rng, members):
    """A record whose JSON was changed and whose sums were made to fit, as somebody would who means it."""
    header, requests = (json.loads(members[f"{name}.json"]) for name in ("header", "requests"))
    if rng.random() < 0.5:
        requests = changed(rng, requests)
    else:
        header = changed(rng, header)
    members = {**members, "requests.json": json.dumps(requests).encode()}
    if isinstance(header, dict) and isinstance(header.get("sums"), dict) and rng.random() < 0.9:
        header["sums"]["requests.json"] = hashlib.sha256(members["requests.json"]).hexdigest()
    return {**members, "header.json": json.dumps(header).encode()}


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
