"""Every row can be missed, and what is measured is what its name says. Nothing here is timed."""

import contextlib
import math
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from nrverify.benchmark import Growth, Row, accuracy, clusters, commands, exact_mechanisms, interactive, passes
from nrverify.benchmark.growth import flatness
from nrverify.benchmark.processes import Cost, cost_of, family_bytes
from nrverify.cli import cli
from nrverify.report.benchmark.markdown import benchmark_markdown
from nrverify.subjects.requests import SampleRequest

ROWS = ("threshold_law", "looks", "everywhere")


@pytest.mark.parametrize("name", ROWS)
def test_exact_calculations_agree_with_others_that_share_nothing_with_them(name):
    assert getattr(accuracy, name)().verdict == "met"


@pytest.mark.parametrize(
    ("name", "law", "wrong"),
    [
        ("threshold_law", "nrverify.laws.threshold.halting_law", lambda found: found + 1e-9),
        (
            "looks",
            "nrverify.laws.crossing.crossing_probability",
            lambda found: found._replace(probability=found[0] * (1 + 1e-7)),
        ),
        (
            "everywhere",
            "nrverify.laws.crossing.crossing_probability",
            lambda found: found._replace(probability=found[0] * (1 + 1e-5)),
        ),
    ],
)
def test_an_exact_calculation_that_is_slightly_off_misses_its_row(monkeypatch, name, law, wrong):
    module, attribute = law.rsplit(".", 1)
    right = getattr(sys.modules.get(module) or __import__(module, fromlist=["x"]), attribute)
    monkeypatch.setattr(law, lambda *args, **kwargs: wrong(right(*args, **kwargs)))
    row = getattr(accuracy, name)()
    assert row.verdict == "missed"
    assert row.measured > row.target


def test_the_forward_recursion_has_the_closed_form_of_one_and_two_looks():
    from scipy.stats import multivariate_normal, norm

    assert accuracy.forward_recursion(np.array([4.0]), np.array([6.0]), 50) == pytest.approx(norm.sf(3.0), rel=1e-12)
    below = multivariate_normal([0, 0], [[1, 1], [1, 2]]).cdf([1.0, 1.5])
    found = accuracy.forward_recursion(np.array([1.0, 2.0]), np.array([1.0, 1.5]), 200)
    assert found == pytest.approx(1 - below, rel=1e-5)


def test_the_cost_of_a_command_has_the_memory_of_its_children_and_its_exit_code():
    child = "import time; held = bytearray(60_000_000); time.sleep(0.6)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); sys.exit(3)"
    cost = cost_of([sys.executable, "-c", parent])
    assert cost.code == 3
    assert cost.seconds >= 0.6
    if family_bytes(1) is not None:
        assert cost.peak_bytes is not None
        assert 60e6 < cost.peak_bytes < 160e6


def test_a_command_that_fails_meets_no_target(monkeypatch):
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(1.0, 5, 1))
    assert math.isnan(commands.audit().measured)
    assert commands.audit().verdict == "missed"
    assert next(commands.verify()).verdict == "missed"
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(1.0, 5, 0))
    assert commands.audit().verdict == "met"
    assert [row.verdict for row in commands.verify()] == ["met", "met"]
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(61.0, 2**31, 0))
    assert [row.verdict for row in commands.verify()] == ["missed", "missed"]


def test_the_harness_speaks_the_protocol_and_its_floats_arrive():
    from nrverify.subjects.command.host import ProcessHost

    host = ProcessHost(f"{sys.executable} -m nrverify.benchmark.harness", 30.0)
    try:
        releases = host.ask(SampleRequest(np.array([1.0, 2.0]), [4.0, 2.0, 1.0], 5, 7))
    finally:
        host.close()
    assert np.array_equal(releases, np.random.default_rng(7).standard_normal((5, 3, 2)))


def test_time_or_memory_that_grows_with_the_samples_is_missed():
    flat = [Growth("a", 10**5, 12.0, 1000), Growth("a", 10**6, 10.0, 1010), Growth("a", 10**4, 90.0, 10)]
    assert [row.verdict for row in flatness(flat)] == ["met", "met"]
    slower = [Growth("a", 10**5, 10.0, 1000), Growth("a", 10**6, 16.0, 1000)]
    assert [row.verdict for row in flatness(slower)] == ["missed", "met"]
    larger = [Growth("a", 10**5, 10.0, 1000), Growth("a", 10**6, 10.0, 9000)]
    assert [row.verdict for row in flatness(larger)] == ["met", "missed"]


def measured(monkeypatch, verdict):
    target = 1.0 if verdict == "met" else 0.1
    points = [Growth("a", 10**5, 10.0, 1000), Growth("a", 10**6, 10.0, 1000)]
    monkeypatch.setattr(
        "nrverify.benchmark.rows", lambda quick: iter([Row("a row", 0.5, "seconds", target, 0.5, None)])
    )
    monkeypatch.setattr("nrverify.benchmark.growth", lambda sizes: iter(points))
    monkeypatch.setattr("nrverify.benchmark.commands.audit_growth", lambda sizes: iter([]))


@pytest.mark.parametrize(("verdict", "code"), [("met", 0), ("missed", 1)])
def test_the_command_exits_by_its_verdicts_and_writes_them_down(monkeypatch, tmp_path, verdict, code):
    measured(monkeypatch, verdict)
    result = CliRunner().invoke(cli, ["benchmark", "--quick", "--markdown", str(tmp_path / "found.md")])
    assert result.exit_code == code
    assert verdict in result.output
    text = (tmp_path / "found.md").read_text()
    assert f"| a row | 0.5 s | ≤ {1 if code == 0 else 0.1} s | {verdict} |" in text
    assert "nothing compares this file" in text
    assert ("not: a row" in text) == (code == 1)


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_measured():
    result = CliRunner().invoke(cli, ["benchmark", "--markdown", "no/such/folder/x.md"])
    assert result.exit_code == 2
    assert "cannot write the report" in result.output


def test_the_document_has_every_number_in_its_unit():
    rows = [
        Row("speed", 6.2e6, "per second", 5e6, 0.1, None),
        Row("memory", 3 * 2**20, "bytes", 2**30, 1.0, 3 * 2**20),
        Row("error", 1.5e-12, "relative error", 1e-8, None, None),
    ]
    text = benchmark_markdown(rows, [Growth("audit", 10**5, 1234.0, 2**20)], [])
    for words in (
        "6.2 M/s | ≥ 5 M/s",
        "3 MB | ≤ 1,024 MB",
        "1.5e-12 | ≤ 1.0e-08",
        "| audit | 1e+05 | 1,234 | 1.0 MB |",
    ):
        assert words in text


def test_the_first_claim_of_a_verification_is_waited_for_at_most_two_seconds(monkeypatch):
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(1.9, None, 0))
    assert commands.first_claim().verdict == "met"
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(2.1, None, 0))
    assert commands.first_claim().verdict == "missed"
    monkeypatch.setattr(commands, "cost_of", lambda command: Cost(0.1, None, 1))  # no claim was settled
    assert commands.first_claim().verdict == "missed"


def test_growth_on_a_cluster_is_that_of_the_command_with_the_memory_of_its_workers(monkeypatch):
    asked = []

    def cost(command, beside=()):
        asked.append((command[command.index("--samples") + 1], command[-1], list(beside)))
        return Cost(3.0, 1000, 0 if "50" in command else 1)

    monkeypatch.setattr(clusters, "cluster", lambda: contextlib.nullcontext(("tcp://127.0.0.1:1", [7, 8])))
    monkeypatch.setattr(clusters, "cost_of", cost)
    points = list(clusters.cluster_growth((50, 500)))
    assert asked == [("1000", "tcp://127.0.0.1:1", []), *((n, "tcp://127.0.0.1:1", [7, 8]) for n in ("50", "500"))]
    assert points[0] == Growth("audit on a cluster of 2 workers, in sessions", 50, 6e7, 1000)
    assert math.isnan(points[1].nanoseconds)  # the command did not end well
    assert [row.verdict for row in flatness(points)] == ["missed", "met"]


def test_the_cost_of_a_command_has_the_memory_of_processes_beside_it():
    held = "held = bytearray(90_000_000); input()"
    with subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE) as other:
        cost = cost_of([sys.executable, "-c", "import time; time.sleep(0.6)"], [other.pid])
        other.communicate(b"\n")
    if family_bytes(1) is not None:
        assert cost.peak_bytes > 90e6


def test_the_subject_whose_calls_are_measured_is_asked_for_every_release():
    from nrverify.subjects.adapter import Adapter
    from nrverify.subjects.policies import Fixed
    from nrverify.subjects.requests import PolicyRequest

    releases, asked = Adapter(interactive.Still()).play(PolicyRequest(np.array([3.0]), Fixed((2.0, 1.0)), [1, 2, 3]))
    assert (releases == 3.0).all()
    assert asked.tolist() == [[2.0, 1.0]] * 3


def test_every_release_of_an_exact_mechanism_is_made_and_counted():
    asked = []

    class Session:
        def __init__(self, value):
            self.value = value

        def release(self, time):
            asked.append((self.value, time))

    made = exact_mechanisms.released(Session)
    assert asked == [(1.0, time) for time in exact_mechanisms.TIMES] * exact_mechanisms.SESSIONS
    assert made == len(asked)
    found = list(exact_mechanisms.rows())
    assert [row.name.split()[1] for row in found] == ["brownian", "laplace", "discrete-laplace"]
    assert all(row.measured > 0 and not row.at_least for row in found)


def test_bare_passes_are_over_every_number():
    noise = np.random.default_rng(1).standard_normal((16, 2, 2)).cumsum(axis=1)
    for at in np.ndindex(noise.shape):
        moved = noise.copy()
        moved[at] += 0.5
        assert passes.passes(moved) != passes.passes(noise)
