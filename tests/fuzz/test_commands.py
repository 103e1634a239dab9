"""Commands that read a report or a name, with anything in it: an answer, or a usage error; never an internal error."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest
from click import UsageError

import nrverify.cli
from nrverify.commands import diff
from nrverify.glossary import terms
from nrverify.plain_text import COMMANDING
from tests.fuzz.fuzzing import MANY, corpus, fresh
from tests.support.damage import damaged
from tests.support.replay_files import changed
from tests.support.strange_subjects import subject_of

CODES = {"diff": (0, 1, 2), "explain": (0, 2), "law": (0, 2), "protocol": (0, 2)}
WORDS = (
    "",
    "-",
    "--",
    "-x",
    "--help",
    "\x1b[2J",
    "\u202e",
    "::error::x",
    "e-value",
    "E-VALUE",
    "tIes",
    "²",
    "x" * 5000,
)
ADDRESSES = (
    *("python:", "python::", "python:x", "python:x:", "python::x", "python:x.py:X", "cmd:true", "records:x", "math:pi"),
    *("python:math:pi", "python:os:getcwd", "python:nrverify:audit", "python:nrverify.laws:Brownian", "python:\0:x"),
    *("python:/:X", "python:/dev/null:X", "python:" + "x" * 5000 + ":X", "python:../..:X", "python:x.py:X:Y", "\ud800"),
)


def tried(command, arguments):
    """The command's code is one that it documents, and what it says is no command to a terminal."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
        patch.setattr(sys, "argv", ["nrverify", command, *arguments])
        code = nrverify.cli._exit_code()
    assert code in CODES[command], (command, arguments, said.getvalue())
    assert COMMANDING.search(said.getvalue()) is None, (command, arguments)


CLAIM = {"mechanism": "any", "methods": ["run_many"], "epsilon": 1.0, "neighbours": [[0, 1]]}


@pytest.fixture(scope="module")
def report():
    """A report of an audit."""
    return nrverify.audit(subject_of(CLAIM), samples=50).to_json()


@pytest.fixture(scope="module")
def reports():
    """Reports of audits: of a wrong subject, of one that is refused, of a claim."""
    brownian = {"mechanism": "brownian", "methods": ["sample"], "dimensions": [1]}
    subjects = [subject_of(said) for said in (brownian, {**brownian, "sensitivity": -1}, CLAIM)]
    return [nrverify.audit(subject, samples=200).to_json() for subject in subjects]


@pytest.mark.parametrize("place", corpus("reports"))
def test_reports_that_once_failed(place, report, tmp_path):
    *path, key, value = place
    document = json.loads(report)
    inner = document
    for step in path:
        inner = inner[step]
    inner[key] = json.loads(json.dumps(value).replace('"BIG"', str(10**400)))
    names = [str(tmp_path / name) for name in ("right", "wrong")]
    for name, content in zip(names, (report, json.dumps(document)), strict=True):
        with open(name, "w") as file:
            file.write(content)
    tried("diff", names)
    tried("diff", names[::-1])


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_that_never_ends_is_not_read(device):
    with pytest.raises(UsageError, match="not an ordinary file"):
        diff.command.main([device, device], standalone_mode=False)


@pytest.mark.slow
def test_any_report_is_compared_or_refused(reports, tmp_path):
    rng = fresh()
    for _ in range(MANY // 10):
        names = []
        for side in ("old", "new"):
            content = rng.choice(reports).encode()
            if rng.random() < 0.8:
                document = json.loads(content)
                for _ in range(rng.choice([1, 1, 3])):
                    document = changed(rng, document)
                content = json.dumps(document).encode()
            elif rng.random() < 0.5:
                content = damaged(rng, content)
            (tmp_path / side).write_bytes(content)
            names.append(str(tmp_path / side))
        tried("diff", names)


@pytest.mark.slow
def test_any_name_is_explained_or_unknown():
    rng = fresh()
    known = [*terms(), "ties", "fresh-noise", "law.release", "privacy.claim", "any", "law"]
    for _ in range(MANY // 100):
        word = rng.choice([*known, *WORDS])
        if rng.random() < 0.5:
            word = damaged(rng, word.encode("utf-8", "surrogatepass") or b"x").decode("utf-8", "replace")
        tried("explain", ["--", word])
        tried("protocol", ["--", word] if rng.random() < 0.5 else [])


@pytest.mark.slow
def test_any_address_is_a_law_or_a_usage_error():
    rng = fresh()
    for _ in range(MANY // 100):
        address = rng.choice(ADDRESSES)
        if rng.random() < 0.3:
            address = damaged(rng, address.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
        timeout = rng.choice(["1", "0", "-1", "nan", "inf", "1e7", "x", "1e-9"])
        tried("law", [*rng.choice([[], ["--timeout", timeout]]), "--", address])
