"""What a terminal shows: whole at every width, coloured only on terminals, silent when told, more when asked."""

import io
import os
import pty
import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner
from rich.console import Console

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict, Explanation
from nrverify.auditing.explain.catalogue import catalogue
from nrverify.auditing.plan.plan import AuditPlan, Planned
from nrverify.cli import cli
from nrverify.commands.options import console_for
from nrverify.ledger.claims import Verdict
from nrverify.ledger.evidence import EvidenceKind
from nrverify.ledger.verification import verify
from nrverify.report.audit.check_terminal import print_check
from nrverify.report.audit.finding_text import evidence_of
from nrverify.report.audit.plan_terminal import print_plan
from nrverify.report.audit.refutation import shown_of
from nrverify.report.audit.terminal import print_audit, print_problems
from nrverify.report.ledger.claim_terminal import print_claim
from nrverify.report.ledger.terminal import print_ledger
from nrverify.report.progress import evidence_progress, samples_progress, share

WIDTHS = (60, 80, 100, 120, 160, 200)

HOSTILE = "[bold]no[/] [link=x] \x1b[31mred\x1b[0m \udc80 \u202e"

SUBJECT = {"name": "Mine", "version": "1.2", "mechanism": "brownian", "knob": "time", "address": "python:mine.py:Mine"}
RUN = {"seed": 7, "alpha": 1e-6, "samples": 5000, "stopped": "refuted", "versions": {"nrverify": "0"}, "seconds": 1.5}

EXPLAINED = Explanation(
    "Each release follows the bridge.",
    "Expected variance 1; observed variance 0.97.",
    "Evidence: an e-value of 1e+09, where 1.5e+07 refutes.",
    "Likely cause: a wrong constant.",
    "Effect: a leak.",
)
LAW = CheckResult(
    "law.transcript",
    "law",
    CheckVerdict.REFUTED,
    ("B01",),
    samples=4000,
    e_value=1e9,
    alpha=6.7e-8,
    detectable="variance within ±2 %, correlation within ±0.014",
    expected="variance 1",
    observed="variance 0.97",
    explanation=EXPLAINED,
    message=" ".join(EXPLAINED.lines),
    reproduce="nrverify audit python:mine.py:Mine --seed 7 --alpha 1e-06 --samples 200000",
)
COPIED = replace(LAW, id="law.value", explanation=replace(EXPLAINED, follows="law.transcript"))
FINE = CheckResult(
    "independence.coordinates",
    "law",
    CheckVerdict.CONSISTENT,
    ("N02",),
    samples=4000,
    p_value=0.5,
    alpha=6.7e-8,
    detectable="correlation within ±0.02",
    expected="independent",
    observed="correlation 0.001",
)
MISSING = CheckResult("ties", "law", CheckVerdict.NOT_COVERED, message="the noise level is not known")
MISSING_TOO = replace(MISSING, id="law.release")
ADVICE = CheckResult("protocol.refusals", "protocol", CheckVerdict.ADVICE, samples=4, message="accepts zero")
CHECKS = (LAW, COPIED, FINE, MISSING, MISSING_TOO, ADVICE)


def report(**changes):
    whole = Report("refuted", 1, SUBJECT, RUN, CHECKS, None, {}, ("times from 0.01 to 1000", "1 and 3 dimensions"))
    return replace(whole, **changes)


def printed(function, *arguments, width=80, **options):
    stream = io.StringIO()
    function(*arguments, Console(file=stream, width=width), **options)
    return stream.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("verbose", [False, True])
def test_an_audit_fits_every_width_and_cuts_no_word_of_a_check(width, verbose):
    text = printed(print_audit, report(), width=width, verbose=verbose, table=True)
    lines = [line for line in text.split("\n") if "Reproduce:" not in line]
    assert max(map(len, lines)) <= width
    for check in CHECKS:
        assert any(line.startswith(f"{check.id} ") and check.verdict.value in line for line in lines)
    assert "…" not in text


def test_a_finding_is_told_once_with_its_evidence_and_a_command_that_can_be_copied():
    text = printed(print_audit, report(), width=60, table=True)
    for start in (
        "  Each release follows",
        "  Expected variance 1",
        "  Evidence: an e-value of 1e+09",
        "  Likely cause",
    ):
        assert f"\n{start}" in text
    assert f"Reproduce: {LAW.reproduce}\n" in text
    assert "refuted, probably for the same cause: law.value" in text
    assert text.count("Likely cause") == 1


def test_a_refuted_audit_is_told_in_a_dozen_lines_or_so_and_says_where_the_rest_is():
    text = printed(print_audit, report(), width=100)
    assert "smallest detectable fault" not in text
    assert text.count("Likely cause") == 1
    assert "Refuted by: law.transcript, law.value.\n" in text
    assert "Other checks: 1 found no fault, 1 with advice, 2 not covered. All checks: --table or --html FILE.\n" in text
    assert f"Reproduce: {LAW.reproduce}\n" in text
    assert len([line for line in text.splitlines() if line]) == 11


@pytest.mark.parametrize("width", WIDTHS)
def test_a_refuted_audit_in_short_fits_every_width(width):
    lines = [line for line in printed(print_audit, report(), width=width).split("\n") if "Reproduce:" not in line]
    assert max(map(len, lines)) <= width


def test_what_is_not_covered_for_one_reason_is_said_once():
    text = printed(print_audit, report(), width=120, table=True)
    assert "not-covered ties, law.release: the noise level is not known" in text
    assert "advice protocol.refusals: accepts zero" in text


def test_quiet_tells_the_findings_and_nothing_else():
    text = printed(print_problems, report(), width=80)
    assert text.startswith("Mine 1.2 (brownian, knob time)\nrefuted: ")
    assert "\nrefuted law.transcript: Likely cause: a wrong constant.\n" in text
    assert text.endswith(f"\nReproduce: {LAW.reproduce}\n")
    assert len(text.splitlines()) == 4
    for words in (
        "law.value",
        "consistent",
        "independence.coordinates",
        "not-covered",
        "advice",
        "Tested range",
        "sessions in",
    ):
        assert words not in text


@pytest.mark.parametrize("width", [20, 40, 59])
def test_a_narrow_terminal_gets_a_list_in_the_place_of_the_table(width):
    text = printed(print_audit, report(), width=width, verbose=True)
    lines = [line for line in text.split("\n") if "Reproduce:" not in line]
    assert max(map(len, lines)) <= width
    assert "…" not in text
    whole = " ".join(text.split())
    assert "independence.coordinates"[:width] in text
    assert "law.transcript refuted variance within ±2 %, correlation within ±0.014" in whole


def test_it_says_where_it_was_asked():
    text = " ".join(printed(print_audit, report(), table=True).split())
    assert "Tested range: times from 0.01 to 1000; 1 and 3 dimensions." in text


def test_wide_tables_say_at_what_a_check_refutes():
    assert "e = 1.5e+07" in printed(print_audit, report(), width=140, table=True)
    assert "refutes at" not in printed(print_audit, report(), width=100, table=True)
    assert "evidence  " not in printed(print_audit, report(), width=80, table=True)


def test_what_was_drawn_has_the_word_of_its_mechanism():
    assert "5,000 sessions in 1.5 s; false alarm probability" in printed(print_audit, report(), width=100)
    runs = report(subject=SUBJECT | {"mechanism": "above-threshold"}, run=RUN | {"samples": 1, "after_refutation": 1})
    assert "\n1 run (1 of them after the refutation, to see what it means) in 1.5 s" in printed(print_audit, runs)


def test_a_p_value_too_small_for_arithmetic_is_not_said_to_be_zero():
    text = printed(print_audit, report(checks=(replace(FINE, p_value=0.0),)), width=140, table=True)
    assert "p < 1e-300" in text
    assert "p = 0 " not in text


def test_a_boundary_is_said_to_be_judged_by_calculation():
    run = RUN | {"samples": 0, "stopped": "samples"}
    boundary = report(verdict="consistent", subject=SUBJECT | {"mechanism": "boundary"}, run=run, checks=(FINE,))
    text = printed(print_audit, boundary)
    assert "evaluated analytically in 1.5 s (no sampling)\n" in text
    assert "sessions" not in text
    late = replace(boundary, run=run | {"stopped": "time"})
    assert "(no sampling); stopped because its time was used" in printed(print_audit, late, width=120)
    failed = replace(boundary, verdict="errored", run=run | {"stopped": "errored"})
    assert "stopped: errored" in printed(print_audit, failed)


def test_verbose_tells_what_consistent_checks_expected_and_observed():
    short, long = (printed(print_audit, report(), width=100, verbose=verbose) for verbose in (False, True))
    for words in ("claims: N02", "expected: independent", "observed: correlation 0.001"):
        assert words not in short
        assert words in long


def test_words_of_a_subject_are_neither_markup_nor_commands_to_the_terminal():
    hostile = report(
        subject=dict.fromkeys(SUBJECT, HOSTILE),
        message=HOSTILE,
        asked=(HOSTILE,),
        checks=tuple(replace(check, message=HOSTILE, detectable=HOSTILE, reproduce=HOSTILE) for check in CHECKS),
    )
    text = printed(print_audit, hostile, width=200, verbose=True)
    assert "\x1b" not in text
    assert text.encode()
    assert r"[bold]no[/] [link=x] \x1b[31mred" in text


@pytest.mark.parametrize("width", [20, 40, *WIDTHS])
def test_the_ledger_fits_every_width(width):
    verification = verify(
        ["A03", "P04", "E12"], [EvidenceKind.DERIVATION, EvidenceKind.READING], profile="quick", written=True
    )
    for verbose in (False, True):
        text = printed(print_ledger, verification, width=width, verbose=verbose)
        assert max(map(len, text.split("\n"))) <= width
        assert "A03" in text
        assert ("rejects the printed" in " ".join(text.split())) == verbose
        assert all(f"{claim.claim.id} " in text for claim in verification.settled)
        for item in verification.settled:
            assert max(map(len, printed(print_claim, item, width=width, verbose=verbose).split("\n"))) <= width


def failed(verification):
    """The same verification, had the first of its claims not been settled."""
    first, *others = verification.settled
    wrong = replace(first, verdict=Verdict.FAILED, problem="no evidence decides it")
    return replace(verification, settled=(wrong, *others), problems=("a suite could not be imported",))


def test_quiet_tells_the_claims_that_are_not_settled_and_nothing_else(monkeypatch):
    right = verify(["A03", "P04"], [EvidenceKind.READING, EvidenceKind.DERIVATION], profile="quick")
    for verification, code, output in (
        (right, 0, ""),
        (failed(right), 1, "P04 failed no evidence decides it\nproblem a suite could not be imported\n"),
    ):
        monkeypatch.setattr("nrverify.ledger.verification.verify", lambda *_, found=verification: found)
        outcome = CliRunner().invoke(cli, ["verify", "--quiet", "--jobs", "1"])
        assert (outcome.exit_code, outcome.output) == (code, output)


@pytest.mark.parametrize("width", [20, 40, *WIDTHS])
def test_a_plan_fits_every_width(width):
    checks = (
        Planned("law.transcript", "law", 149991, 1e-8, (), "variance off by 1 %", True),
        Planned("independence.coordinates", "law", 12, 1e-8, (), "correlation off by 0.3", False),
    )
    text = printed(print_plan, AuditPlan(SUBJECT, 1e-6, 200_000, checks, (MISSING,)), width=width)
    assert max(map(len, text.split("\n"))) <= width
    assert "149991" in text
    assert "variance off by 1 %" in " ".join(text.split())


@pytest.mark.parametrize("columns", ["0", "3", "-1", "none"])
def test_a_width_that_no_terminal_has_is_not_believed(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert console_for([]).width == 80


@pytest.mark.parametrize("width", [20, 40, *WIDTHS])
def test_a_check_is_explained_in_lines_that_are_filled(width):
    for entry in catalogue().values():
        lines = printed(print_check, entry, width=width).split("\n")
        assert max(map(len, lines)) <= width


def colours(text):
    return "\x1b[" in text


def test_colours_are_for_terminals_only():
    stream = io.StringIO()
    print_audit(report(), Console(file=stream, width=80))
    assert not colours(stream.getvalue())
    stream = io.StringIO()
    print_audit(report(), Console(file=stream, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[1;31mrefuted" in stream.getvalue()


def on_a_terminal(arguments, environment):
    """What a command writes to a terminal of its own."""
    parent, child = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    code = "from nrverify.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**inherited, "TERM": "xterm", "COLUMNS": "80", **environment},
    )
    os.close(child)
    parts = []
    try:
        while part := os.read(parent, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(parent)
    assert process.wait() == 0
    return b"".join(parts).decode()


def test_a_terminal_gets_colour_and_progress_unless_it_does_not_want_them():
    arguments = ["verify", "P04", "P06", "--jobs", "1"]
    coloured = on_a_terminal(arguments, {})
    assert "\x1b[33mmisprint" in coloured
    assert "of 2" in coloured
    grey = on_a_terminal(arguments, {"NO_COLOR": "1"})
    assert "misprint" in grey
    assert not any(f"\x1b[3{colour}m" in grey for colour in range(8))


def test_there_is_no_progress_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for progress in (samples_progress, evidence_progress):
        with progress(False) as show:
            assert show is None


def test_progress_is_that_of_whichever_ends_the_run_first():
    assert share(50, 100, 1.0, 10.0) == 0.5
    assert share(1, 100, 9.0, 10.0) == 0.9
    assert share(1, 100, 20.0, 10.0) == 1.0
    assert share(25, 100, 5.0, float("inf")) == 0.25


def test_checks_that_have_nothing_to_judge_are_left_out_of_the_table_and_gaps_are_not():
    rows = (
        CheckResult("protocol.granularity", "protocol", CheckVerdict.NOT_COVERED, message="no grid", gap=False),
        CheckResult("law.adaptive", "law", CheckVerdict.NOT_COVERED, message="no open()"),
        CheckResult("law.release", "law", CheckVerdict.CONSISTENT, p_value=0.5),
        CheckResult("protocol.refusals", "protocol", CheckVerdict.ADVICE),
        ADVICE,
    )
    assert [row.id for row in shown_of(rows)] == ["law.adaptive", "law.release", ADVICE.id]
    assert rows[3] not in shown_of(rows)
    assert evidence_of(replace(rows[1], p_value=1.0)) == ""
    assert "p-value 0.5" in evidence_of(rows[2])


def test_progress_says_samples_and_time_left(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with samples_progress(True) as show:
        assert show is None
    with samples_progress(False) as show:
        for drawn in (100, 2000, 5000):
            show(drawn, 200_000)
    with samples_progress(False, budget=120.0) as show:
        show(5000, 200_000)
    text = terminal.getvalue()
    assert "5,000 of at most 200,000 samples" in text
    assert "5,000 of at most 200,000 samples, 0 of 120 s" in text
    assert ":" in text
    assert text.rstrip().endswith("\x1b[2K")


def test_verbose_and_quiet_are_options_of_both_commands():
    for command in ("audit", "verify"):
        outcome = CliRunner().invoke(cli, [command, "--help"])
        assert "--verbose" in outcome.output
        assert "--quiet" in outcome.output
        assert "--html FILE" in outcome.output
