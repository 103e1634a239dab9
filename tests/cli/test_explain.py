"""`nrverify explain`: what a reader needs on a screen or two, everything when asked, and every name an audit prints."""

import ast
import inspect
import pkgutil

import pytest
from click.testing import CliRunner

import nrverify.auditing
from nrverify import audit
from nrverify.auditing.explain.catalogue import catalogue
from nrverify.auditing.explain.remarks import REMARKS
from nrverify.auditing.records import not_covered
from nrverify.cli import cli
from nrverify.reference.mutants import BENIGN, MUTANTS


def run(*arguments):
    return CliRunner().invoke(cli, arguments, env={"COLUMNS": "80"})


@pytest.mark.parametrize("claim", ["B13", "N02", "A01", "E12", "P12", "A13"])
def test_a_claim_is_explained_on_two_screens(claim):
    result = run("explain", claim)
    assert result.exit_code == 0
    lines = result.output.rstrip().split("\n")
    assert len(lines) <= 60
    assert "Statement." in result.output
    if claim == "E12":
        assert "not-checkable" in lines[0]
        return
    assert "Decided by a" in result.output
    assert "rejects: " in result.output
    assert lines[-1].endswith(f"nrverify explain {claim} --verbose")


def test_the_deciding_derivation_is_given_step_by_step():
    result = run("explain", "B13")
    for words in (
        "false",
        "Correction.",
        "Decided by a derivation: proved",
        "\n  1. ",
        "\n  5. ",
        "rejects: the printed",
    ):
        assert words in result.output
    assert "The printed form fails" in result.output
    assert "The corrected form holds" in result.output


def test_a_true_claim_names_what_it_uses_and_assumes_and_how_much_was_sampled():
    result = run("explain", "B09", "--verbose")
    assert "uses paper.martingales.line_crossing" in result.output
    assert "assumed: B is a Brownian motion" in result.output
    assert " samples (quick; named above: standard)" in result.output
    assert "0 = 0" not in result.output


def test_verbose_shows_every_step_and_every_rejected_variant():
    result = run("explain", "A13", "--verbose")
    assert result.exit_code == 0
    assert "rejects: the printed factor" in result.output
    assert "\\frac" in result.output
    short = run("explain", "A13").output
    assert len(result.output) > 2 * len(short)
    for line in result.output.split("\n"):
        assert "--verbose" not in line


def test_explaining_a_check_says_what_it_catches_and_misses():
    result = run("explain", "law.transcript")
    assert result.exit_code == 0
    assert "Catches" in result.output
    assert "Misses" in result.output


def named_in_the_code():
    """Every id that the code of audits gives to a result, written out or as a constant."""
    found = set()
    for info in pkgutil.walk_packages(nrverify.auditing.__path__, prefix="nrverify.auditing."):
        module = __import__(info.name, fromlist=["_"])
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CheckResult":
                found |= {argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant)}
                names = [argument.id for argument in node.args[:1] if isinstance(argument, ast.Name)]
                found |= {value for name in names if isinstance(value := getattr(module, name, None), str)}
    limits = (*not_covered.OF_ALL, not_covered.OF_ADAPTIVE, not_covered.OF_TRANSCRIPTS)
    found |= {limit.id for limit in limits}
    return found


def test_every_name_in_the_code_of_audits_is_explained():
    named = named_in_the_code()
    assert {"protocol.range", "randomness.repeats", "protocol.refusals"} <= named
    assert {"boundary.waste", "records.selection"} <= named
    assert named <= set(catalogue()) | set(REMARKS)


@pytest.mark.parametrize(
    "name", ["brownian-bridge", "laplace-walk", "skellam-thinning", "epsilon-brownian", "brownian-fresh-noise"]
)
def test_every_name_in_a_report_is_explained(name):
    subject = {entry.name: entry.subject for entry in (*MUTANTS, *BENIGN)}[name]
    known = set(catalogue()) | set(REMARKS)
    assert {check.id for check in audit(subject, samples=300).checks} <= known


@pytest.mark.parametrize("name", sorted(REMARKS))
def test_a_remark_is_explained(name):
    result = run("explain", name)
    assert result.exit_code == 0
    assert result.output.startswith(f"{name} ")
    assert "never changes a verdict" in result.output
    assert name not in catalogue()
