"""Replay: a refutation leaves a small record, and the verdict recomputed from it is the same, bit for bit."""

import hashlib
import io
import json
import os
import re
import stat
import zipfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from nrverify import audit
from nrverify.auditing.replay import recorder as recorder_module
from nrverify.auditing.replay.recorder import Recorder
from nrverify.auditing.replay.replay import replay
from nrverify.cli import cli
from tests.auditing import subjects
from tests.subjects.records import schema
from tests.support.replay_files import Unseeded, Wrong


class Stubborn(subjects.Right):
    """Wide noise that refuses small times and fails at large ones after a while."""

    def sample(self, value, schedule, sessions, seed):
        if schedule[0] < 0.02:
            raise ValueError("too little noise")
        return 1.5 * (super().sample(value, schedule, sessions, seed) - value) + value

    open = None


class Narrow:
    """A boundary that is far too low."""

    mechanism = "boundary"
    sensitivity, delta = 1.0, 1e-6
    interval = (1.0, 10.0)

    def epsilon(self, time):
        return 1.0 / time**0.5


class Stopping:
    """Private stopping that shows fresh noise at every look."""

    mechanism = "private-stopping"
    sensitivity, delta = 1.0, 1e-6
    dimensions = (1,)
    interval = (4.0, 400.0)

    def epsilon(self, time):
        return 0.1 + 6.0 / time**0.5

    def run(self, value, schedule, utility, threshold, utility_sensitivity, seed):
        rng = np.random.default_rng()
        releases, bits = [], []
        for time in schedule:
            releases.append(value + np.sqrt(time) * rng.standard_normal(1))
            noise = rng.laplace(0, 4 * utility_sensitivity / self.epsilon(time))
            bits.append(int(utility(releases[-1]) + noise >= threshold))
            if bits[-1]:
                break
        return np.array(releases), bits


def document(report):
    found = report.document()
    for name in ("seconds", "subject_seconds"):
        found["run"].pop(name)
    return found


@pytest.mark.parametrize("subject", [Unseeded, subjects.WrongOnlyInSessions, Stubborn, Wrong, Narrow, Stopping])
def test_the_verdict_recomputed_from_a_record_is_the_same_report(subject, tmp_path):
    file = tmp_path / "r.nrreplay"
    report = audit(subject(), record=file, samples=3000)
    assert report.verdict == "refuted"
    replayed = replay(file)
    assert replayed.differences == ()
    assert document(replayed.report) == document(report)
    with zipfile.ZipFile(file) as members:
        header, requests = (json.loads(members.read(f"{name}.json")) for name in ("header", "requests"))
    jsonschema.validate(header, schema("replay"))
    jsonschema.validate(requests[:200], schema("replay")["$defs"]["requests"])
    assert header["description"]["mechanism"] == subject.mechanism


def test_what_several_processes_were_answered_is_one_record(tmp_path):
    report = audit(Unseeded(), record=tmp_path / "r.nrreplay", jobs=2)
    replayed = replay(tmp_path / "r.nrreplay")
    assert report.verdict == "refuted"
    assert replayed.differences == ()
    assert document(replayed.report) == document(report)


def test_an_inconclusive_and_an_errored_audit_are_recorded_when_a_file_is_named(tmp_path):
    report = audit(subjects.Right(), record=tmp_path / "r.nrreplay", samples=300)
    assert report.verdict == "inconclusive"
    assert document(replay(tmp_path / "r.nrreplay").report) == document(report)

    class Dying(subjects.Right):
        open = None
        calls = 0

        def sample(self, value, schedule, sessions, seed):
            Dying.calls += 1
            if Dying.calls > 40:
                raise RuntimeError("out of order")
            return super().sample(value, schedule, sessions, seed)

    report = audit(Dying(), record=tmp_path / "e.nrreplay")
    assert report.exit_code == 3
    assert replay(tmp_path / "e.nrreplay").report.message == report.message


WRONG_SUBJECT = """
import numpy as np
class Fresh:
    mechanism = "brownian"
    name = "my/fresh noise"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng()
        return value + rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(schedule)[None, :, None]
class Right(Fresh):
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(WRONG_SUBJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli, arguments)


def test_the_command_line_leaves_a_record_of_a_refutation_and_says_how_to_replay_it(folder):
    result = run("audit", "python:mine.py:Fresh", "--seed", "7")
    assert result.exit_code == 1
    (path,) = Path(".nrverify/replay").iterdir()
    assert re.fullmatch(r"my-fresh-noise-[0-9a-f]{8}-seed7\.nrreplay", path.name)
    assert f"Replay: nrverify replay {path}\n" in result.output
    assert (folder / ".nrverify" / ".gitignore").read_text() == "*\n"
    assert (folder / path).stat().st_size < 100_000
    (folder / "mine.py").unlink()
    result = run("replay", str(path))
    assert result.exit_code == 1
    assert "the verdict is the recorded one: refuted" in result.output
    assert "law.transcript" in result.output
    result = run("replay", str(path), "--json", "-")
    assert json.loads(result.stdout)["verdict"] == "refuted"
    assert result.exit_code == 1


def test_subjects_of_one_name_have_records_of_their_own_and_a_subject_always_the_same(folder):
    (folder / "yours.py").write_text(WRONG_SUBJECT)
    replays = folder / ".nrverify" / "replay"
    for address in ("python:mine.py:Fresh", "python:yours.py:Fresh"):
        assert run("audit", address).exit_code == 1
    first = {path.name: path.read_bytes() for path in replays.iterdir()}
    assert len(first) == 2
    assert run("audit", "python:yours.py:Fresh").exit_code == 1
    assert {path.name for path in replays.iterdir()} == set(first)


def test_objects_without_an_address_never_take_the_place_of_another_record(folder):
    recorders = Recorder(), Recorder()
    for recorder in recorders:
        assert audit(Unseeded(), record=recorder).exit_code == 1
    assert len({recorder.left for recorder in recorders}) == 2
    assert all(recorder.left.exists() for recorder in recorders)


def test_nothing_is_left_where_nothing_is_refuted_unless_a_file_is_named(folder):
    assert run("audit", "python:mine.py:Right", "--samples", "300").exit_code == 4
    assert not (folder / ".nrverify").exists()
    result = run("audit", "python:mine.py:Right", "--samples", "300", "--record", "r.nrreplay", "--json", "-")
    assert result.exit_code == 4
    assert json.loads(result.stdout)["verdict"] == "inconclusive"
    assert "Replay: nrverify replay r.nrreplay" in result.stderr
    assert run("replay", "r.nrreplay").exit_code == 4


def test_no_record_leaves_nothing(folder):
    result = run("audit", "python:mine.py:Fresh", "--no-record")
    assert result.exit_code == 1
    assert not (folder / ".nrverify").exists()
    assert "Replay" not in result.output


def test_a_named_file_that_cannot_be_written_is_a_mistake_before_any_work(folder):
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    for name in ("no/such/folder/r.nrreplay", ".", "pipe", "link"):
        result = run("audit", "python:absent:Name", "--record", name)
        assert result.exit_code == 2
        assert "cannot write the record" in result.output
    assert (folder / "pipe").is_fifo()
    assert run("audit", "python:mine.py:Fresh", "--record", "x", "--no-record").exit_code == 2
    with pytest.raises(ValueError, match="cannot write the record"):
        audit(Unseeded(), record=folder / "no" / "r.nrreplay")


def test_a_room_that_cannot_be_made_is_a_notice_and_no_other_verdict(folder):
    (folder / ".nrverify").write_text("in the way")
    result = run("audit", "python:mine.py:Fresh")
    assert result.exit_code == 1
    assert "no record was left" in result.stderr
    assert "Replay:" not in result.stdout


def test_answers_beyond_the_limit_are_not_kept_and_it_says_so(folder, monkeypatch):
    monkeypatch.setattr(recorder_module, "SMALL", 1000)
    result = run("audit", "python:mine.py:Fresh")
    assert result.exit_code == 1
    assert "larger than 0 MB; --record FILE allows 1024 MB" in result.stderr
    assert not list(folder.glob(".nrverify/replay/*"))


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    audit(Unseeded(), record=tmp_path / "r.nrreplay", samples=500)
    with pytest.raises(ValueError, match="alpha"):
        audit(Unseeded(), record=tmp_path / "s.nrreplay", alpha=2.0)
    assert os.listdir(tmp_path) == ["r.nrreplay"]
    assert stat.S_IMODE((tmp_path / "r.nrreplay").stat().st_mode) == 0o644


def test_a_folder_for_temporary_files_that_cannot_be_used_is_a_notice(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    recorder = Recorder(tmp_path / "r.nrreplay")
    assert audit(Unseeded(), record=recorder, samples=200).exit_code == 1
    assert "could not be written down" in recorder.notice
    assert not (tmp_path / "r.nrreplay").exists()


def test_a_subject_that_cannot_be_reached_leaves_a_notice(tmp_path):
    recorder = Recorder(tmp_path / "r.nrreplay")
    assert audit("python:no_such_module:Name", record=recorder).exit_code == 3
    assert "could not be reached" in recorder.notice
    assert recorder.left is None


def rewritten(path, **changes):
    """The record with members changed: functions of their JSON, or new content; sums follow unless they are given."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    header = json.loads(members["header.json"])
    for name, change in changes.items():
        key = {"floats": "floats.npy", "integers": "integers.npy"}.get(name, f"{name}.json")
        if name == "header":
            continue
        members[key] = change if isinstance(change, bytes) else json.dumps(change(json.loads(members[key]))).encode()
        header["sums"][key] = hashlib.sha256(members[key]).hexdigest()
    header = changes.get("header", lambda found: found)(header)
    members["header.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


@pytest.fixture
def recorded(tmp_path):
    audit(Unseeded(), record=tmp_path / "r.nrreplay", samples=400)
    return tmp_path / "r.nrreplay"


def without(key):
    return lambda found: {name: value for name, value in found.items() if name != key}


def within(key, **changes):
    return lambda found: {**found, key: {**found[key], **changes}}


def each(**changes):
    return lambda requests: [{**request, **changes} for request in requests]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"header": within("sums", **{"floats.npy": "0" * 64})}, "its sum differs"),
        ({"header": lambda found: {**found, "schema": "nrverify/replay/2"}}, "nrverify/replay/1"),
        ({"header": lambda found: [found]}, "nrverify/replay/1"),
        ({"header": without("settings")}, "no settings"),
        ({"header": within("settings", alpha="small")}, "settings"),
        ({"header": within("settings", alpha=7)}, "alpha is 7"),
        ({"header": within("settings", samples=True)}, "settings"),
        ({"header": within("settings", only=[1])}, "not names"),
        ({"header": within("settings", more=1)}, "settings"),
        ({"header": within("description", mechanism="gauss")}, "mechanism"),
        ({"header": within("description", methods=3)}, "methods"),
        ({"header": within("description", range=["inf", "inf"])}, "range"),
        ({"header": within("description", more=1)}, "describe"),
        ({"header": within("report", checks=None)}, "what came of it"),
        ({"header": within("versions", nrverify=3)}, "which version"),
        ({"header": within("settings", seed=8)}, "not recorded"),
        ({"requests": lambda requests: requests[:-5]}, "more numbers"),
        ({"requests": lambda requests: requests * 2}, "more answers"),
        ({"requests": lambda requests: {"a": 1}}, "not a list"),
        ({"requests": lambda requests: [1]}, "keys"),
        ({"requests": each(method="eval")}, "no request 'eval'"),
        ({"requests": each(seconds=-1.0)}, "seconds"),
        ({"requests": each(seconds="1")}, "seconds"),
        ({"requests": each(shape=[2**50, 1, 1])}, "shape"),
        ({"requests": each(shape="all")}, "shape"),
        ({"requests": each(refused="x")}, "one of shape"),
        ({"requests": b"{"}, "not JSON"),
        ({"requests": b"[" * 100_000}, "not JSON"),
        ({"floats": b"\x93NUMPY"}, "floats"),
    ],
)
def test_a_record_that_was_changed_does_not_fit_and_is_a_mistake_in_the_command(recorded, changes, words):
    rewritten(recorded, **changes)
    with pytest.raises(ValueError, match=re.escape(words)):
        replay(recorded)
    result = run("replay", str(recorded))
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_record_whose_numbers_were_changed_gives_the_verdict_of_the_numbers_and_says_that_it_differs(recorded):
    with zipfile.ZipFile(recorded) as file:
        requests = json.loads(file.read("requests.json"))
    content = io.BytesIO()
    np.save(content, np.full(sum(int(np.prod(request["shape"])) for request in requests if "shape" in request), 3.0))
    rewritten(recorded, floats=content.getvalue())
    replayed = replay(recorded)
    assert replayed.differences
    assert replayed.recorded == "refuted"


@pytest.mark.parametrize("name", ["absent.nrreplay", "folder.nrreplay", "text.nrreplay"])
def test_what_is_no_record_is_a_mistake_in_the_command(tmp_path, name):
    (tmp_path / "folder.nrreplay").mkdir()
    (tmp_path / "text.nrreplay").write_text("hello")
    result = run("replay", str(tmp_path / name))
    assert result.exit_code == 2
    assert "text.nrreplay" not in result.output or "not a zip file" in result.output
