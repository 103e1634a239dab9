"""The command line: right exit codes, one document on standard output, and remedies for mistakes."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from nrverify.benchmark.commands import NRVERIFY
from nrverify.cli import cli, main

RIGHT = """
import numpy as np
class Subject:
    mechanism = "brownian"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = np.array(schedule[::-1])
        spans = np.diff(np.concatenate([[0.0], times]))
        steps = rng.standard_normal((sessions, len(times), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]
class Fresh(Subject):
    def sample(self, value, schedule, sessions, seed):
        print("noise to standard output")
        rng = np.random.default_rng(seed)
        return value + rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(schedule)[None, :, None]
class Broken(Subject):
    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError("out of order")
"""


def run(*arguments):
    return CliRunner().invoke(cli, arguments)


@pytest.fixture
def subject_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)
    return path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verfy"], "Did you mean 'verify'?"),
        (["verify", "--kinds", "x"], "--kind"),
        (["verify", "B31"], "Did you mean B1"),
        (["verify", "--kind", "statistics"], "Did you mean statistic?"),
        (["verify", "--profile", "fast"], "quick"),
        (["verify", "--jobs", "0"], "'0' is not an integer from 1 to 1024"),
        (["verify", "--json", "no/such/folder/x.json"], "cannot write the report"),
        (["verify", "--json", "-", "--markdown", "-"], "only one report"),
        (["explain", "law.transcrpt"], "Did you mean law.transcript?"),
        (["audit", "brownian"], "not the address of a subject"),
        (["explain", "protocol.rnge"], "Did you mean protocol.range?"),
        (["verify", "--quiet", "--verbose"], "--quiet and --verbose exclude one another"),
        (["audit", "python:x:Y", "--verbose", "--quiet"], "--quiet and --verbose exclude one another"),
        (["audit", "python:x:Y", "--check", "protocol.refusals"], "cannot be selected with --check"),
        (["audit", "python:x:Y", "--alpha", "3"], "alpha is 3.0"),
        (["audit", "python:x:Y", "--seed", "today"], "seed is"),
        (["audit", "python:x:Y", "--check", "law.relaese"], "Did you mean law.release?"),
    ],
)
def test_a_mistake_in_the_command_exits_2_and_names_the_remedy(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_the_ledger_of_one_claim_is_one_json_document_on_standard_output():
    result = CliRunner().invoke(cli, ["verify", "b13", "A13", "--profile", "quick", "--jobs", "1", "--json", "-"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "nrverify/ledger/1"
    assert (document["settled"], document["total"]) == (2, 2)
    claims = {claim["id"]: claim for claim in document["claims"]}
    assert claims["B13"]["verdict"] == "false"
    assert claims["A13"]["verdict"] == "true-proof-wrong"
    for claim in claims.values():
        assert {"id", "where", "label", "statement", "verdict", "correction", "evidence"} <= set(claim)
        for evidence in claim["evidence"]:
            assert {"name", "kind", "outcome", "rejects", "samples", "alpha", "seconds"} <= set(evidence)
            kernel_not_asked = evidence["kind"] == "kernel" and evidence["outcome"] == "not-run"
            assert evidence["rejects"] or evidence["kind"] == "reading" or kernel_not_asked


def test_one_kind_of_evidence_can_be_run_alone():
    result = run("verify", "A13", "--kind", "derivation", "--jobs", "1")
    assert result.exit_code == 0
    assert "only some kinds of evidence ran" in result.output


@pytest.mark.parametrize("claims", [["P04"], ["B13", "N04"]], ids="-".join)
def test_verdicts_do_not_depend_on_the_number_of_jobs(claims):
    documents = []
    for jobs in ("1", "2"):
        result = run("verify", *claims, "--profile", "quick", "--jobs", jobs, "--json", "-")
        found = json.loads(result.stdout)["claims"]
        for claim in found:
            for evidence in claim["evidence"]:
                evidence.pop("seconds")
        documents.append(found)
    assert documents[0] == documents[1]


@pytest.mark.parametrize(
    ("name", "code", "verdict"), [("Subject", 0, "consistent"), ("Fresh", 1, "refuted"), ("Broken", 3, "errored")]
)
def test_an_audit_exits_by_its_verdict_and_standard_output_holds_the_report_alone(subject_file, name, code, verdict):
    command = [
        sys.executable,
        "-m",
        "nrverify.cli",
        "audit",
        f"python:{subject_file}:{name}",
        "--samples",
        "3000",
        "--json",
        "-",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=subject_file.parent)
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["verdict"] == verdict
    assert "Traceback" not in done.stderr


def test_a_failed_report_leaves_no_partial_file(subject_file, tmp_path):
    target = tmp_path / "report.json"
    result = run("audit", f"python:{subject_file}:Fresh", "--json", str(target))
    assert result.exit_code == 1
    assert json.loads(target.read_text())["verdict"] == "refuted"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".json"] == ["report.json"]


def test_quiet_prints_what_is_refuted_and_how_to_have_it_again(subject_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    audited = run("audit", "python:mine.py:Fresh", "--quiet", "--record", "r.nrreplay")
    replayed = run("replay", "r.nrreplay", "--quiet")
    for result in (audited, replayed):
        assert result.exit_code == 1
        assert "refuted law.transcript" in result.output
        for words in ("consistent", "not-covered", "advice", " sessions in "):
            assert words not in result.output
    assert "Replay: nrverify replay r.nrreplay" in audited.output


def test_quiet_prints_nothing_where_nothing_is_wrong(subject_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    right = run("audit", "python:mine.py:Subject", "--quiet", "--samples", "3000", "--record", "r.nrreplay")
    assert (right.exit_code, right.output) == (0, "")
    assert run("replay", "r.nrreplay", "--quiet").output == ""


def test_quiet_prints_why_nothing_is_known(subject_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = run("audit", "python:mine.py:Subject", "--quiet", "--samples", "100")
    assert few.exit_code == 4
    assert "too few" in few.output
    assert "law.transcript" not in few.output
    broken = run("audit", "python:mine.py:Broken", "--quiet")
    assert broken.exit_code == 3
    assert "out of order" in broken.output


def test_importing_the_package_and_its_plugin_does_not_import_numpy():
    code = "import sys, nrverify, nrverify.cli, nrverify.gating.plugin; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_fault_of_its_own_is_no_mistake_in_the_command(subject_file, monkeypatch, capsys):
    def run_into_one(audit):
        raise ValueError("singular matrix")

    monkeypatch.setattr("nrverify.auditing.sampling.audit.SampledAudit.run", run_into_one)
    monkeypatch.setattr(sys, "argv", ["nrverify", "audit", f"python:{subject_file}:Subject", "--no-record"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 70
    assert "internal error: RuntimeError: ValueError: singular matrix" in capsys.readouterr().err


def test_python_m_is_the_command_as_it_is_installed_whatever_folder_it_runs_in(tmp_path):
    (tmp_path / "nrverify").mkdir()
    (tmp_path / "nrverify" / "__init__.py").write_text("raise ImportError('not this one')")
    done = subprocess.run([*NRVERIFY, "--help"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: nrverify ")
