"""The pytest gate, in test runs of its own: one item a check, one audit a gate, and nothing green in silence.

Right subjects are refuted with probability at most 1e-6 an audit; seeds are fixed.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nrverify
import nrverify.auditing.audit  # before the runs inside this process, which forget what they import
from nrverify.auditing.check_ids import check_ids

pytest_plugins = ["pytester"]

PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
"""Inner runs are without plugins that they do not need, whose import takes longer than they do."""

BROWNIAN = check_ids("brownian", "time")

SUBJECTS = """
from pathlib import Path

import numpy as np
import nrverify

class Right:
    mechanism = "brownian"
    dimensions = (1,)
    def __init__(self):
        with Path("audits.txt").open("a") as file:
            file.write("x")
    def sample(self, value, schedule, sessions, seed):
        print("the subject prints")
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]

class Fresh(Right):
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        return value + rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(schedule)[None, :, None]

class Broken(Right):
    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError("out of order")

class Nameless(Right):
    mechanism = "brownain"

def masked(subject):
    class Masked(subject):
        mechanism = "boundary"
        def __init__(self):
            self.mechanism = "brownian"
    return Masked
"""


@pytest.fixture
def gated(pytester):
    """Writes a test file with these lines after the subjects, and runs pytest on it inside this process."""

    def run(lines, *arguments):
        pytester.makepyfile(test_mine=f"{SUBJECTS}\n{lines}\n")
        return pytester.runpytest_inprocess(*PLAIN, "-p", "no:xdist", *arguments)

    return run


def items(result):
    return [line.partition("[")[2].removesuffix("]") for line in result.outlines if line.startswith("test_mine.py::")]


def audits(pytester):
    path = pytester.path / "audits.txt"
    return len(path.read_text()) if path.exists() else 0


@pytest.mark.parametrize("subject", ["Right", "lambda: Right()", "make", "Fresh()", "'python:test_mine.py:Broken'"])
def test_the_items_are_the_checks_and_are_known_without_running_the_subject(gated, subject):
    result = gated(f"def make(): return Right()\ntest_nr = nrverify.gate({subject})", "--collect-only", "-q")
    assert items(result) == list(BROWNIAN)
    assert result.ret == 0


def test_items_are_selected_by_keyword_and_by_node_id(gated, pytester):
    assert items(gated("test_nr = nrverify.gate(Right)", "--collect-only", "-q", "-k", "law.transcript")) == [
        "law.transcript"
    ]
    one = "test_mine.py::test_nr[ties.repeated-time]"
    assert items(pytester.runpytest_inprocess(*PLAIN, "--collect-only", "-q", one)) == ["ties.repeated-time"]
    # Older versions of pytest have another order.
    whole = items(pytester.runpytest_inprocess(*PLAIN, "--collect-only", "-q", "test_mine.py::test_nr"))
    assert sorted(whole) == sorted(BROWNIAN)


def test_a_wrong_subject_fails_with_the_whole_finding_and_no_traceback(gated, pytester):
    result = gated("test_nr = nrverify.gate(Fresh())", "-rs", "--nrverify-seed", "3")
    text = result.stdout.str()
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] >= 1
    assert "errors" not in outcomes
    start = text.index("_ test_nr[law.transcript] _")
    failure = text[start : text.index("Reproduce", start) + 200]
    for part in (
        "\nnoise drawn afresh for each release: the releases before are forgotten; law.transcript is refuted; Fresh (",
        "Each release, given the ones before, follows the bridge of the process.",
        "Expected ",
        "probability at most 1e-06",
        "Likely cause: noise drawn afresh",
        "a leak",
        "Reproduce: pytest 'test_mine.py::test_nr[law.transcript]' --nrverify-seed 3",
    ):
        assert part in failure
    assert "\nas law.transcript; law.value is refuted; Fresh (brownian)\n" in text
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text
    assert re.search(r"SKIPPED \[1\] test_mine.py:\d+: ties: inconclusive: .*another check was refuted", text)
    assert "nrverify: test_mine.py::test_nr: Fresh, seed 3, alpha 1e-06, at most 200000 samples" in text
    assert re.search(r"test_mine.py::test_nr: Fresh \(brownian\): refuted after \d+ samples, seed 3, alpha 1e-06", text)
    assert audits(pytester) == 1  # the instance that was made


def test_a_right_subject_passes_and_what_was_not_asked_is_skipped_with_its_reason(gated, pytester):
    # What this process imported for other tests may be called a plugin's, too late to be rewritten.
    warnings = ("-W", "error", "-W", "ignore:Module already imported so cannot be rewritten")
    result = gated("test_nr = nrverify.gate(Right, samples=3000)", "-rsP", "--strict-markers", *warnings)
    outcomes = result.parseoutcomes()
    assert result.ret == 0
    assert outcomes["passed"] >= 5
    assert outcomes["passed"] + outcomes["skipped"] == len(BROWNIAN)
    text = result.stdout.str()
    assert "law.adaptive: not covered: the subject has no open()" in text
    assert re.search(r"nrverify call -+\nsmallest detectable fault: ", text)
    assert "numerics.last-bits: advice: the last bits of the releases betray the value" in text
    assert audits(pytester) == 1


def test_a_subject_that_cannot_be_run_is_an_error_of_every_item_in_one_sentence(gated):
    result = gated("test_nr = nrverify.gate(Broken)")
    result.assert_outcomes(errors=len(BROWNIAN))
    said = result.stdout.str().partition("= nrverify =")[0]
    assert said.count("could not be run: sample() raised RuntimeError: out of order") == len(BROWNIAN)
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("Nameless", "did you mean 'brownian'?"),
        ("object", "attribute mechanism is missing"),
        ("'python:missing.py:Name'", "there is no file 'missing.py'"),
    ],
)
def test_a_subject_that_does_not_say_what_it_is_has_one_item_that_says_why(gated, subject, words):
    result = gated(f"test_nr = nrverify.gate({subject})")
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    assert "test_nr[subject]" in text
    assert words in text
    assert "Traceback" not in text


@pytest.mark.parametrize(("subject", "words"), [("Fresh", "has no item of its own"), ("Right", "was not asked")])
def test_a_subject_that_is_not_what_its_class_says_is_not_green(gated, subject, words):
    result = gated(f"test_nr = nrverify.gate(masked({subject}), samples=1500)")
    outcomes = result.parseoutcomes()
    assert outcomes.get("errors", 0) + outcomes.get("failed", 0) == len(check_ids("boundary", "time"))
    assert words in result.stdout.str()


def test_a_run_that_says_nothing_fails_and_says_what_would_do(gated):
    result = gated("test_nr = nrverify.gate(Right, samples=150)")
    assert result.parseoutcomes()["failed"] >= 1
    result.stdout.re_match_lines([r"inconclusive: \d+ samples were drawn; about \d+ .*would do"])


def test_expected_failures_are_expected_and_the_other_checks_are_still_decided(gated, pytester):
    first = gated("test_nr = nrverify.gate(Fresh, samples=3000)", "--nrverify-json", "report.json")
    assert first.ret == 1
    checks = json.loads((pytester.path / "report.json").read_text("utf-8"))["checks"]
    known = {check["id"]: "issue 12" for check in checks if check["verdict"] == "refuted"}
    lines = f"test_nr = nrverify.gate(Fresh, samples=3000, expected_failures={known})"
    result = gated(lines, "-rx", "--nrverify-json", "report.json")
    checks = json.loads((pytester.path / "report.json").read_text("utf-8"))["checks"]
    outcomes = result.parseoutcomes()
    assert outcomes["xfailed"] == len(known)
    assert "issue 12" in result.stdout.str()
    stopped = [check for check in checks if "another check was refuted" in (check["message"] or "")]
    assert stopped == []
    others = [check["id"] for check in checks if check["verdict"] == "refuted" and check["id"] not in known]
    assert outcomes.get("failed", 0) == len(others)


def test_an_expected_failure_that_passes_is_a_failure(gated):
    lines = "test_nr = nrverify.gate(Right, samples=6000, expected_failures={'law.transcript': 'issue 12'})"
    result = gated(lines)
    assert result.parseoutcomes()["failed"] == 1
    words = "law.transcript is consistent, and was expected to be refuted (issue 12)"
    assert words in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("expected_failures={'law.transcrpt': 'why'}", "names 'law.transcrpt'*did you mean 'law.transcript'?"),
        ("expected_failures={'law.value': ' '}", "ValueError: expected_failures['law.value'] is ' '"),
        ("alpha=2.0", "ValueError: alpha is 2.0"),
        ("samples=0", "ValueError: samples is 0"),
    ],
)
def test_a_mistake_in_a_gate_is_an_error_of_the_collection(gated, arguments, words):
    result = gated(f"test_nr = nrverify.gate(Right, {arguments})")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*{words.replace('[', '[[]')}*"])


def test_an_address_without_a_scheme_is_refused_where_the_gate_is_written():
    with pytest.raises(ValueError, match="not the address of a subject"):
        nrverify.gate("brownian")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--nrverify-alpha=3", "--nrverify-alpha is 3.0"),
        ("--nrverify-samples=0", "--nrverify-samples is 0"),
        ("--nrverify-seed=soon", "seed is 'soon'"),
        ("--nrverify-json=no/such/folder/r.json", "name a file in a folder that exists"),
        ("--nrverify-sarif=.", "name a file in a folder that exists"),
        ("--nrverify-json=r --nrverify-sarif=r", "two reports cannot be written to one file"),
    ],
)
def test_a_mistake_in_an_option_is_refused_before_any_work(gated, pytester, option, words):
    result = gated("test_nr = nrverify.gate(Right)", *option.split())
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()
    assert audits(pytester) == 0


def test_several_gates_write_a_file_each_and_options_override_all_of_them(gated, pytester):
    options = ["--nrverify-samples=100", "--nrverify-alpha=0.001", "--nrverify-seed=random"]
    files = ["--nrverify-json=r.json", "--nrverify-junit=r.xml", "--nrverify-sarif=r.sarif"]
    lines = "test_a = nrverify.gate(Broken)\nclass TestB:\n    test_b = nrverify.gate(Broken(), seed=1, alpha=0.5)"
    result = gated(lines, *options, *files)
    result.assert_outcomes(errors=2 * len(BROWNIAN))
    for name in ("test_mine-test_a", "test_mine-TestB-test_b"):
        report = json.loads((pytester.path / f"r-{name}.json").read_text("utf-8"))
        assert report["run"]["alpha"] == 0.001
        seed = report["run"]["seed"]
        assert f"nrverify: --nrverify-seed {seed} --nrverify-alpha 0.001 --nrverify-samples 100" in result.stdout.str()
        assert (pytester.path / f"r-{name}.xml").exists()
        (run,) = json.loads((pytester.path / f"r-{name}.sarif").read_text("utf-8"))["runs"]
        place = run["results"][0]["locations"][0]["physicalLocation"]
        source = (pytester.path / "test_mine.py").read_text().split("\n")
        assert place["artifactLocation"]["uri"] == "test_mine.py"
        assert source[place["region"]["startLine"] - 1] == "class Broken(Right):"


def test_the_items_of_a_gate_are_one_group_of_a_distributed_run(gated, pytester):
    pytester.makeconftest(
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        print('group', item.get_closest_marker('xdist_group').args)\n"
    )
    result = gated("test_a = nrverify.gate(Right)\ntest_b = nrverify.gate(Right)", "--collect-only", "-s")
    for name in ("test_a", "test_b"):
        assert result.outlines.count(f"group ('test_mine.py::{name}',)") == len(BROWNIAN)


def test_workers_of_a_distributed_run_share_one_audit(pytester):
    pytester.makepyfile(test_mine=f"{SUBJECTS}\ntest_nr = nrverify.gate(Fresh)\n")
    arguments = ["-n", "2", "--dist", "load", "-v", "--nrverify-seed", "random", "--nrverify-json", "report.json"]
    result = pytester.runpytest_subprocess(*PLAIN, *arguments)
    text = result.stdout.str()
    assert len(set(re.findall(r"\[(gw\d)\] \[", text))) == 2
    assert result.parseoutcomes()["failed"] >= 1
    assert "errors" not in result.parseoutcomes()
    assert audits(pytester) == 1
    seed = json.loads((pytester.path / "report.json").read_text("utf-8"))["run"]["seed"]
    assert text.count(f"seed {seed}, alpha 1e-06") == 1  # the line of the gate, at the end


def test_defining_a_gate_and_loading_the_plugin_imports_no_numpy():
    code = (
        "import sys, nrverify, nrverify.gating.plugin\n"
        "gate = nrverify.gate(object(), expected_failures={'ties': 'why'})\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_internals_of_pytest_are_imported():
    for name in ("gating/plugin.py", "gating/items.py"):
        assert "_pytest" not in (Path(nrverify.__file__).parent / name).read_text("utf-8")
