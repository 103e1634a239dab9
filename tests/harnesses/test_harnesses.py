"""The example harnesses, audited as real processes: the right ones are consistent, the wrong ones refuted.

Each audit raises a false alarm with probability at most 1e-6; the seed is fixed.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import nrverify
from nrverify.subjects.command.child_process import Child
from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.command.json_lines import read_reply, request_line
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import PlayRequest, PolicyRequest, RefusalRequest, SampleRequest
from tests.tools import need

HERE = Path(__file__).parent
LANGUAGES = ("python", "c", "javascript", "java")
SCHEMA = json.loads((HERE.parents[1] / "reports" / "schema" / "protocol.json").read_text())


@pytest.fixture(scope="module")
def command_of(tmp_path_factory):
    """How the harness of a language is run; built where it has to be."""
    built = {}

    def build(language):
        if language == "python":
            return [sys.executable, str(HERE / "python" / "harness.py")]
        if language == "javascript":
            return [need("node"), str(HERE / "javascript" / "harness.js")]
        folder = tmp_path_factory.mktemp(language)
        if language == "c":
            compiler, program = need("cc"), str(folder / "harness")
            source = str(HERE / "c" / "harness.c")
            subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lm"], check=True)
            return [program]
        compiler = need("java")
        subprocess.run(
            [compiler, "-Xlint:all", "-Werror", "-d", str(folder), HERE / "java" / "Harness.java"], check=True
        )
        return [str(Path(compiler).with_name("java")), "-XX:TieredStopAtLevel=1", "-cp", str(folder), "Harness"]

    def command(language, kind):
        if language not in built:
            built[language] = build(language)
        return shlex.join([*built[language], kind])

    return command


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_last_bits_of_noise_in_doubles_are_attacked_in_every_language(command_of, language):
    """Replies have all digits, so the attack sees what the program released: refuted where they are claimed safe."""
    address = f"cmd:{command_of(language, 'brownian')}"
    report = nrverify.audit(address, checks=["numerics.last-bits"], samples=10_000, numerics="exact")
    assert report.verdict == "refuted"
    (found,) = [check for check in report.checks if check.id == "numerics.last-bits"]
    assert found.finding.numbers["found_after"] <= 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_right_brownian_harness_is_consistent(command_of, language):
    report = nrverify.audit(f"cmd:{command_of(language, 'brownian')}", samples=2000)
    assert (report.exit_code, report.verdict) == (0, "consistent")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_harness_that_draws_fresh_noise_is_refuted(command_of, language):
    report = nrverify.audit(f"cmd:{command_of(language, 'brownian-fresh')}", samples=2000)
    assert (report.exit_code, report.verdict) == (1, "refuted")
    assert "noise drawn afresh" in {check.id: check.message for check in report.checks}["law.transcript"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_right_threshold_harness_is_consistent(command_of, language):
    report = nrverify.audit(f"cmd:{command_of(language, 'threshold')}", samples=12_000)
    assert (report.exit_code, report.verdict) == (0, "consistent")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_harness_that_redraws_its_threshold_is_refuted(command_of, language):
    report = nrverify.audit(f"cmd:{command_of(language, 'threshold-fresh')}", samples=12_000)
    assert (report.exit_code, report.verdict) == (1, "refuted")


@pytest.mark.parametrize(("kind", "code", "verdict"), [("brownian", 0, "consistent"), ("brownian-fresh", 1, "refuted")])
def test_the_command_leaves_with_the_verdict_and_only_the_document_on_standard_output(command_of, kind, code, verdict):
    address = f"cmd:{command_of('c', kind)}"
    arguments = ["audit", address, "--samples", "1500", "--no-record", "--json", "-"]
    done = subprocess.run([sys.executable, "-m", "nrverify.cli", *arguments], capture_output=True, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (code, verdict)
    assert report["subject"]["address"] == address
    assert report["subject"]["name"] == f"C {kind}"


REQUESTS = {
    "brownian": [
        ("describe", {"protocol": 1}),
        ("open", {"value": [3.0, -1.0], "seed": 7}),
        ("open", {"value": [3.0], "seed": 2**53 - 1}),
        ("sample", {"value": [3.0], "schedule": [4.0, 1.0, 1e-05], "sessions": 5, "seed": 7, "encoding": "f64le"}),
        ("stop", {}),
    ],
    "threshold": [
        ("describe", {"protocol": 1}),
        *(
            (op, {"utilities": [-1.0, 0.5], "epsilons": [1.0, 1.0], "threshold": 0.0, "sensitivity": 1.0, **more})
            for op, more in (("run", {"seed": 1}), ("run", {"seed": 2}), ("run_many", {"runs": 20, "seed": 1}))
        ),
        ("stop", {}),
    ],
}


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reply_is_in_the_schema(command_of, language, kind):
    child = Child(command_of(language, kind))
    for number, (op, fields) in enumerate(REQUESTS[kind], start=1):
        line = child.exchange(request_line(number, op, fields), op, 60.0, 10**6)
        valid(json.loads(line), "reply")
        valid(read_reply(line, number).content, f"result_of_{op}")
    child.end()


def valid(instance, name):
    schema = {"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(instance)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_harness_repeats_itself_refuses_more_noise_and_repeats_a_release(command_of, language):
    host = ProcessHost(command_of(language, "brownian"), 60.0)
    value = np.array([3.0, -1.0])
    try:
        schedule = (4.0, 1.0, 1.0)
        assert np.array_equal(
            host.ask(SampleRequest(value, schedule, 4, 7)), host.ask(SampleRequest(value, schedule, 4, 7))
        )
        assert not np.array_equal(
            host.ask(SampleRequest(value, schedule, 4, 7)), host.ask(SampleRequest(value, schedule, 4, 8))
        )
        releases, _ = host.ask(PolicyRequest(value, Fixed(schedule), [1, 1, 2]))
        assert np.array_equal(releases[0], releases[1])
        assert not np.array_equal(releases[0], releases[2])
        assert np.array_equal(releases[:, 1], releases[:, 2])
        for invalid in ([1.0, 2.0], [0.0], [-1.0]):
            assert host.ask(RefusalRequest(value, invalid, 3)).startswith("refused: ")
    finally:
        host.close()


@pytest.mark.parametrize("language", ["c", "python"])
def test_play_gives_the_sessions_that_open_and_release_give_for_the_same_seeds(command_of, language):
    host = ProcessHost(command_of(language, "brownian"), 60.0)
    value, schedule, seeds = np.array([3.0, -1.0]), (4.0, 1.0, 1.0), [5, 2**53 - 1, 7]
    try:
        opened, _ = host.ask(PolicyRequest(value, Fixed(schedule), seeds))
        assert np.array_equal(host.ask(PlayRequest(value, schedule, seeds)), opened)
    finally:
        host.close()


WRONG_PLAY = """
import sys
sys.path.insert(0, sys.argv[1])
import harness
right = harness.answer
def answer(request, kind, sessions):
    if request["op"] == "describe":
        return right(request, kind, sessions) | {"methods": sys.argv[3].split(",")}
    return right(request, kind + "-fresh" if request["op"] == sys.argv[4] else kind, sessions)
harness.answer = answer
sys.argv[1] = "brownian"
harness.main()
"""
"""The Python harness with chosen methods, and one op that draws noise afresh."""


@pytest.mark.parametrize(
    ("methods", "fresh", "verdict"),
    [
        ("open,play", "play", "refuted"),
        ("open,play", "open", "refuted"),
        ("open,play", "none", "consistent"),
        ("play", "none", "consistent"),
    ],
)
def test_either_of_play_and_open_is_judged_where_the_other_is_right(tmp_path, methods, fresh, verdict):
    script = tmp_path / "wrong_play.py"
    script.write_text(WRONG_PLAY)
    words = [sys.executable, str(script), str(HERE / "python"), "brownian", methods, fresh]
    report = nrverify.audit(f"cmd:{shlex.join(words)}", samples=3000)
    assert report.verdict == verdict
    checks = {check.id: check for check in report.checks}
    assert (checks["law.transcript"].verdict == "refuted") == (verdict == "refuted")
    if methods == "play":
        assert checks["law.adaptive"].verdict == "not-covered"
