"""Exchanges: a request is told from every other, and an answer is made again from its numbers exactly."""

import numpy as np
import pytest

from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed, Follow
from nrverify.subjects.replay.packing import counts, packed, unpacked
from nrverify.subjects.replay.requests import Exchange, digest
from nrverify.subjects.stopping_utilities import Levels


def test_every_kind_of_answer_is_made_again_exactly():
    rng = np.random.default_rng(1)
    releases = rng.standard_normal((4, 3, 2))
    releases[1, 2] = [np.nan, -0.0]
    shown = [(rng.standard_normal((n, 2)), [0] * (n - 1) + [1]) for n in (1, 3, 2)]
    answers = {
        "sample": releases,
        "play": (releases, releases[:, :, 0]),
        "scalar": ([1.0, np.inf], np.array([np.nan, 2.0])),
        "run_many": np.array([3, 0, 1]),
        "run": [[0, 0, 1], [1], [0, 0, 0]],
        "run_stopping": shown,
    }
    for method, answer in answers.items():
        shape, floats, integers = packed(method, answer)
        assert counts(method, shape) == (floats.size, integers.size)
        again = unpacked(method, shape, floats, integers)
        flat, too = (packed(method, found) for found in (answer, again))
        assert [part.tobytes() for part in flat[1:]] == [part.tobytes() for part in too[1:]]
        assert flat[0] == too[0]
    assert [len(own) for own, _ in unpacked("run_stopping", *packed("run_stopping", shown))] == [1, 3, 2]
    assert unpacked("run", *packed("run", [])) == []


def test_the_digest_of_a_request_depends_on_every_argument_and_on_nothing_else():
    play = Follow(4.0, 1.0, 0.5, 0.7, 5, 0.0)
    base = ("play", (np.array([1.0]), play, [1, 2]))
    assert digest(*base) == digest("play", (np.array([1.0]), play, (1, 2)))
    others = [
        ("sample", base[1]),
        ("play", (np.array([1.0000000000000002]), play, [1, 2])),
        ("play", (np.array([1.0]), Follow(4.0, 1.0, 0.5, 0.7, 6, 0.0), [1, 2])),
        ("play", (np.array([1.0]), Fixed((4.0,)), [1, 2])),
        ("play", (np.array([1.0]), play, [1, 3])),
        ("run_stopping", (np.array([1.0]), (4.0,), Levels((0.0,), (1.0, 2.0)), 0.0, 1.0, [1])),
        ("run_stopping", (np.array([1.0]), (4.0,), Levels((0.0,), (1.0, 3.0)), 0.0, 1.0, [1])),
        ("scalar", ("epsilon", [1.0])),
        ("scalar", ("time", [1.0])),
    ]
    assert len({digest(*base), *(digest(*other) for other in others)}) == len(others) + 1


def test_an_exchange_raises_again_what_the_host_raised():
    with pytest.raises(SubjectFailed, match="out of order"):
        Exchange("failed", "out of order", 0.0).result()
    with pytest.raises(SubjectRefused, match="too small"):
        Exchange("refused", "too small", 0.0).result()
