"""The examples in C and JavaScript pass the vectors, and with a planted bug fail the cases that flag it."""

import subprocess

import pytest

from tests.tools import need
from tests.vectors.reading import FOLDER, ROOT, documents

HARNESSES = ROOT / "tests" / "harnesses"
BUGS = ("missing-2", "log10", "atom-s-over-t", "missing-half", "swapped", "floor", "left-limit", "half-for-quarter")
DOCUMENTS = documents()


@pytest.fixture(scope="module")
def c_program(tmp_path_factory):
    program = tmp_path_factory.mktemp("c") / "vectors"
    source = HARNESSES / "c" / "vectors.c"
    flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([need("cc"), *flags, "-o", str(program), str(source), "-lm"], check=True)
    return [str(program)]


@pytest.fixture
def javascript_program():
    return [need("node"), str(HARNESSES / "javascript" / "vectors.js")]


@pytest.fixture(params=["c", "javascript"])
def program(request):
    return request.getfixturevalue(f"{request.param}_program")


def run(program, *arguments):
    done = subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    return done.returncode, {name: (verdict, set(cases)) for verdict, name, _, *cases in rows}, done.stderr


def test_right_implementation_passes_every_case(program):
    code, rows, _ = run(program, str(FOLDER))
    assert code == 0
    assert len(rows) >= 15
    assert {verdict for verdict, _ in rows.values()} == {"pass"}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_fails_the_cases_that_flag_it(program, bug):
    code, rows, _ = run(program, str(FOLDER), "--bug", bug)
    assert code == 1
    failing = {name: cases for name, (verdict, cases) in rows.items() if verdict == "FAIL"}
    assert failing
    for name, cases in failing.items():
        if bug in DOCUMENTS[name]["flags"]:
            assert {case["id"] for case in DOCUMENTS[name]["cases"] if bug in case["flags"]} <= cases
    assert any(bug in DOCUMENTS[name]["flags"] for name in failing)


def test_inputs_that_should_be_refused_are_found_when_they_are_not(program):
    code, rows, _ = run(program, str(FOLDER), "--bug", "unchecked")
    assert code == 1
    assert all(verdict == "FAIL" for verdict, _ in rows.values())


def test_wrong_use_is_no_pass(program, tmp_path):
    assert run(program, str(tmp_path))[0] == 2
    (tmp_path / "brownian-loss.json").write_text('{"cases": [')
    assert run(program, str(tmp_path))[0] == 2
    code, _, words = run(program, str(FOLDER), "--bug", "no-such-bug")
    assert code == 2
    assert "no-such-bug" in words
