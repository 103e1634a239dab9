"""Lines of the subprocess protocol: read, or refused in one sentence; memory by what a line is."""

import json

import numpy as np
import pytest

from nrverify.subjects.answers import bits, halting_rounds, numbers
from nrverify.subjects.command.describe_reply import read_description
from nrverify.subjects.command.json_lines import BadReply, read_array, read_reply
from nrverify.subjects.command.outputs import read_outputs, read_spent
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.outputs import feature_rows, normal
from tests.fuzz.fuzzing import MANY, bounded_memory, corpus, fresh, one_sentence
from tests.support.awkward import AWKWARD, awkward
from tests.support.damage import damaged

READERS = (
    lambda content: read_description(content),
    lambda content: numbers(read_array(content), (3, 2, 1), "sample()"),
    lambda content: numbers(read_array(content), (1,), "release()"),
    lambda content: halting_rounds(read_array(content), 3),
    lambda content: halting_rounds(read_array(content), 2, 3),
    lambda content: bits(read_array(content)),
    lambda content: read_outputs(content, 2),
    lambda content: read_spent(read_outputs(content, 2), 0.1),
    lambda content: read_spent([content], 0.1),
    lambda content: feature_rows([content, content]),
    lambda content: normal(content, "run()"),
)
SHAPES = ([3, 2, 1], [6], [0], [5_000_000, 0], [2**47, 0], [0, 2**47], [1] * 32, [-1], [2**63], [True], [1.0])


def tried(line):
    """Every reader on the line: what each makes of it, or one sentence."""
    for read in READERS:
        words = "read"
        try:
            read(read_reply(line, 1).content)
        except (BadReply, SubjectFailed) as bad:
            words = str(bad)
        assert one_sentence(words), line[:200]


def a_line(rng):
    if rng.random() < 0.3:
        encoding = rng.choice(["f64le", "i64le"])
        reply = {"id": 1, "result": {"shape": rng.choice(SHAPES), encoding: rng.choice(["", "AAAAAAAA8D8=" * 6])}}
    elif rng.random() < 0.3:
        priced = {"output": rng.choice(AWKWARD), "spent": rng.choice(AWKWARD)}
        reply = {"id": 1, "result": rng.choice([priced, [priced, priced], [priced["output"], priced["spent"]]])}
    else:
        reply = awkward(rng)
    line = json.dumps(reply).encode()
    return damaged(rng, line) if rng.random() < 0.4 else line


@pytest.mark.parametrize("line", corpus("lines"))
def test_lines_that_once_failed(line):
    with bounded_memory():
        tried(line.encode())


@pytest.mark.slow
def test_any_line_is_read_or_refused_in_one_sentence():
    rng = fresh()
    with bounded_memory(), np.errstate(all="ignore"):
        for _ in range(MANY):
            tried(a_line(rng))
