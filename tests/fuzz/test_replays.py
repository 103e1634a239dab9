"""Replay files whose sums were made right: a verdict, or one sentence; never an internal error."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

import nrverify
from nrverify.auditing.replay.replay import replay
from nrverify.subjects.replay.host import DoesNotFit, read_recording
from tests.fuzz.fuzzing import MANY, bounded_memory, corpus, fresh
from tests.support.damage import damaged
from tests.support.replay_files import Unseeded, Wrong, members_of, tampered, written

BIG = 10**400


class Boundary:
    """A boundary with an inverse; nothing is sampled."""

    mechanism, sensitivity, delta = "boundary", 1.0, 1e-6
    interval = (0.1, 10.0)

    def epsilon(self, t):
        return 0.5 / t + 5.5 / t**0.5

    def time(self, epsilon):
        return 40.0 / epsilon**2 + 1.0 / epsilon


class Outputs:
    """Any mechanism, with outputs of several kinds, a price of each, and features."""

    mechanism, smallest_epsilon, delta = "any", 0.5, 1e-6
    neighbours = (([0, 1], [1, 1]), ("a", None))

    def run(self, data, seed):
        return [None, True, "text", 1.5, [1, [2]], 7][np.random.default_rng(seed).integers(6)]

    def spent(self, output):
        return 1.0

    def features(self, output):
        return [float(len(repr(output)))]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("right")
    for subject in (Unseeded, Wrong, Boundary, Outputs):
        nrverify.audit(subject(), record=folder / f"{subject.__name__}.nrreplay", samples=150)
    return sorted(folder.glob("*.nrreplay"))


def tried(path, whole=True):
    """The record replayed, or read alone; or one sentence."""
    words = "read"
    try:
        if whole:
            json.loads(replay(path).report.to_json())
        else:
            read_recording(path)
    except ValueError as error:
        words = str(error)
    assert 0 < len(words) < 1500


def with_numbers(members, change):
    """The record with other answers, its sums made right."""
    numbers = np.load(io.BytesIO(members["floats.npy"]))
    content = io.BytesIO()
    np.save(content, change(numbers.copy()))
    header = json.loads(members["header.json"])
    header["sums"]["floats.npy"] = hashlib.sha256(content.getvalue()).hexdigest()
    return {**members, "floats.npy": content.getvalue(), "header.json": json.dumps(header).encode()}


def somewhere(rng, value):
    """Puts a value at some places of an array."""

    def change(numbers):
        if numbers.size:
            numbers[[rng.randrange(numbers.size) for _ in range(rng.choice([1, 3, 50]))]] = value
        return numbers

    return change


@pytest.mark.parametrize("place", corpus("replays"))
def test_headers_that_once_failed(place, recorded, tmp_path):
    members = members_of(recorded[0])
    header = json.loads(members["header.json"])
    section, key, value = place
    value = json.loads(json.dumps(value).replace('"BIG"', str(BIG)))
    if key is None:
        header[section] = value
    else:
        header[section][key] = value
    path = written(tmp_path / "r.nrreplay", {**members, "header.json": json.dumps(header).encode()})
    tried(path)


def test_seconds_beyond_doubles_do_not_fit(recorded, tmp_path):
    members = members_of(recorded[1])
    requests = json.loads(members["requests.json"])
    requests[0]["seconds"] = BIG
    members["requests.json"] = json.dumps(requests).encode()
    header = json.loads(members["header.json"])
    header["sums"]["requests.json"] = hashlib.sha256(members["requests.json"]).hexdigest()
    path = written(tmp_path / "r.nrreplay", {**members, "header.json": json.dumps(header).encode()})
    with pytest.raises(DoesNotFit, match="of 401 digits"):
        replay(path)


def test_requests_packed_more_tightly_than_digests_can_be_are_refused_before_they_are_read(recorded, tmp_path):
    members = members_of(recorded[0])
    request = b'{"method":"refusal","digest":"0","seconds":0,"answered":""}'
    members["requests.json"] = b"[" + b",\n".join([request] * 400_000) + b"]"
    header = json.loads(members["header.json"])
    header["sums"]["requests.json"] = hashlib.sha256(members["requests.json"]).hexdigest()
    members["header.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(tmp_path / "r.nrreplay", "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    with bounded_memory(), pytest.raises(DoesNotFit, match="packed more tightly"):
        read_recording(tmp_path / "r.nrreplay")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 5e-324])
def test_a_boundary_replayed_with_other_answers_is_judged_or_does_not_fit(value, recorded, tmp_path):
    members = members_of(next(path for path in recorded if path.stem == "Boundary"))
    for at in (0, 3, 7, -1):

        def change(numbers, at=at):
            numbers[at] = value
            return numbers

        tried(written(tmp_path / "r.nrreplay", with_numbers(members, change)))


@pytest.mark.slow
def test_any_tampered_record_is_read_or_refused(recorded, tmp_path):
    rng = fresh()
    right = [members_of(path) for path in recorded]
    with bounded_memory():
        for _ in range(MANY // 2):
            tried(written(tmp_path / "r.nrreplay", tampered(rng, rng.choice(right))), whole=False)
        for _ in range(MANY // 2):
            (tmp_path / "r.nrreplay").write_bytes(damaged(rng, rng.choice(recorded).read_bytes()))
            tried(tmp_path / "r.nrreplay", whole=False)


@pytest.mark.slow
def test_any_tampered_record_gives_a_verdict_or_does_not_fit(recorded, tmp_path):
    rng = fresh()
    right = [members_of(path) for path in recorded]
    for _ in range(MANY // 50):
        members = rng.choice(right)
        if rng.random() < 0.5:
            value = rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e200, 5e-324])
            members = with_numbers(members, somewhere(rng, value))
        else:
            members = tampered(rng, members)
        tried(written(tmp_path / "r.nrreplay", members))
