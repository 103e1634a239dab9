"""Laws of one's own: the example of docs/LAWS.md, what it judges, and what is said of laws that are none.

Audits of right subjects raise a false alarm with probability at most 1e-6 each.
"""

import hashlib
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import quad

from nrverify import audit
from nrverify.auditing.check_ids import asked_of
from nrverify.auditing.own_law.limited import wrong_with
from nrverify.cli import cli
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES
from nrverify.subjects.own_laws import loading
from nrverify.subjects.own_laws.loading import specified

LAWS = Path(__file__).parents[3] / "docs" / "LAWS.md"
EXAMPLE = re.search(r"```python\n(.*?)```", LAWS.read_text("utf-8"), re.DOTALL).group(1)
SUBJECT = """
import numpy as np

class Right:
    mechanism = "cauchy"

    def sample(self, value, schedule, sessions, seed):
        rng, noise, path, last = np.random.default_rng(seed), np.zeros((sessions, value.size)), [], 0.0
        for t in reversed(schedule):
            noise = noise + (t - last) * rng.standard_cauchy(noise.shape)
            path.append(noise)
            last = t
        return value + np.stack(path[::-1], axis=1)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "cauchy.py").write_text(EXAMPLE, "utf-8")
    (folder / "mine.py").write_text(SUBJECT, "utf-8")
    return folder


@pytest.fixture(scope="module")
def names(place):
    namespace = {}
    exec(compile(EXAMPLE, "cauchy", "exec"), namespace)
    exec(compile(SUBJECT, "mine", "exec"), namespace)
    return namespace


def verdicts(report):
    return {check.id: check.verdict.value for check in report.checks}


def test_the_example_is_a_law_and_the_command_says_so(place):
    done = CliRunner().invoke(cli, ["law", f"python:{place / 'cauchy.py'}:Cauchy"])
    assert done.exit_code == 0, done.output
    assert "cauchy is a law (marginal, bridge, epsilon)" in done.output


def test_the_bridge_of_the_example_by_quadrature(names):
    law = names["Cauchy"]().bridge(0.7, 2.0, 1.3)
    for x in (-3.0, 0.2, 1.1, 6.0):
        below = quad(lambda u: float(np.exp(law.logpdf(u))), -np.inf, x, epsabs=1e-12)[0]
        assert float(law.cdf(x)) == pytest.approx(below, abs=1e-9)


def test_a_right_process_that_is_not_in_the_package_is_not_refuted(place):
    law, subject = (f"python:{place / name}" for name in ("cauchy.py:Cauchy", "mine.py:Right"))
    report = audit(subject, law=law, samples=3000)
    found = verdicts(report)
    assert "refuted" not in found.values()
    assert found["law.transcript"] in ("consistent", "inconclusive")
    digest = hashlib.sha256((place / "cauchy.py").read_bytes()).hexdigest()
    assert report.subject["law"] == {"address": law, "sha256": digest}
    assert tuple(FAMILIES) == BUILT_IN


def test_fresh_noise_and_a_wrong_scale_of_another_law_are_refuted(names):
    class Fresh(names["Right"]):
        def sample(self, value, schedule, sessions, seed):
            rng = np.random.default_rng(seed)
            return value + np.stack([t * rng.standard_cauchy((sessions, value.size)) for t in schedule], axis=1)

    class Small(names["Right"]):
        def sample(self, value, schedule, sessions, seed):
            return value + 0.8 * (super().sample(value, schedule, sessions, seed) - value)

    assert verdicts(audit(Fresh, law=names["Cauchy"], samples=1500))["law.transcript"] == "refuted"
    assert audit(Small, law=names["Cauchy"](), samples=4000).law == "refuted"


def test_an_epsilon_knob_of_another_law_is_judged_by_that_law_and_never_by_brownian_mathematics(names):
    class Exact(names["Right"]):
        knob, sensitivity, dimensions = "epsilon", 1.0, (1,)

        def time_of(self, epsilon):
            return 1 / (2 * np.sinh(epsilon / 2))

        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [self.time_of(epsilon) for epsilon in schedule], sessions, seed)

    found = verdicts(audit(Exact, law=names["Cauchy"], samples=1500))
    assert found["privacy.epsilon"] == "consistent"
    assert "refuted" not in found.values()


class RootLaplace:
    """The Laplace process in another clock: scale √t, with an atom in its bridge."""

    name = "root-laplace"

    def __init__(self):
        from nrverify.laws.laplace import Laplace

        self.process = Laplace()

    def marginal(self, t):
        return self.process.marginal(np.sqrt(t))

    def bridge(self, s, t, given):
        return self.process.bridge(np.sqrt(s), np.sqrt(t), given)


class RootLaplaceSubject:
    mechanism = "root-laplace"

    def sample(self, value, schedule, sessions, seed):
        rng, noise, path, last = np.random.default_rng(seed), np.zeros((sessions, value.size)), [], 0.0
        for t in reversed(schedule):
            stays = rng.random(noise.shape) < (last / t if last else 0.0)
            noise = noise + np.where(stays, 0.0, rng.laplace(0.0, t**0.5, noise.shape))
            path.append(noise)
            last = t
        return value + np.stack(path[::-1], axis=1)


class AlwaysMoves(RootLaplaceSubject):
    def sample(self, value, schedule, sessions, seed):
        noise = np.random.default_rng(seed).laplace(0.0, 1.0, (sessions, len(schedule), value.size))
        return value + noise * np.sqrt(schedule)[None, :, None]


def test_atoms_of_a_bridge_are_judged_at_their_own_probability():
    found = verdicts(audit(RootLaplaceSubject, law=RootLaplace, samples=2500))
    assert "refuted" not in found.values()
    assert found["ties"] in ("consistent", "inconclusive")
    assert verdicts(audit(AlwaysMoves, law=RootLaplace, samples=1500))["ties"] == "refuted"


class Geometric:
    """Integer noise of one release, of another class than those built in."""

    name = "two-sided-geometric"
    integer = True
    range = (0.3, 20.0)

    def marginal(self, t):
        from nrverify.laws.discrete_laplace import DiscreteLaplace

        return DiscreteLaplace().marginal(t)


class GeometricSubject:
    mechanism = "two-sided-geometric"

    def sample(self, value, schedule, sessions, seed):
        rng, p = np.random.default_rng(seed), -np.expm1(-1 / schedule[0])
        return value + rng.geometric(p, (sessions, 1, value.size)) - rng.geometric(p, (sessions, 1, value.size))


def test_an_integer_law_of_one_release_is_asked_for_one_release():
    report = audit(GeometricSubject, law=Geometric, samples=1000)
    assert "refuted" not in verdicts(report).values()
    assert "1 release" in report.asked
    assert any("0.3 to 20" in words for words in report.asked)


class Doubled(Geometric):
    def marginal(self, t):
        law = super().marginal(t)

        class Twice:
            cdf, sf = law.cdf, law.sf

            def logpdf(self, x):
                return law.logpdf(x) + np.log(2)

        return Twice()


class Raising(Geometric):
    def marginal(self, t):
        raise RuntimeError("no table for this time")


class Waiting(Geometric):
    def marginal(self, t):
        import time

        time.sleep(60)


class WrongBridge(RootLaplace):
    def bridge(self, s, t, given):
        return self.process.bridge(s, t, given)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Doubled, "adds up to"),
        (Raising, "marginal() raised RuntimeError: no table for this time"),
        (Waiting, "took longer than 1 seconds"),
        (WrongBridge, "they must agree (Bayes)"),
    ],
)
def test_what_is_not_a_law_is_named(law, words):
    found = wrong_with(specified(law), timeout=1.0 if law is Waiting else 60.0)
    assert found
    assert words in found[0]


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ("python:nowhere.py:Cauchy", "there is no file 'nowhere.py'"),
        ("cmd:program", "it must be python:FILE.py:Name"),
        (type("NoName", (Geometric,), {"name": None}), "the name of the law is None"),
        (type("Taken", (Geometric,), {"name": "skellam"}), "this mechanism is built in"),
        (type("Other", (Geometric,), {"name": "other"}), "it must be the subject's mechanism, 'two-sided-geometric'"),
        (type("Range", (Geometric,), {"range": (3, 1)}), "range is (3, 1)"),
        (type("Norm", (Geometric,), {"norm": 3}), "norm is 3: it must be 1 or 2"),
        (Doubled, "is not one"),
    ],
)
def test_an_audit_with_what_is_not_the_law_is_a_usage_error(law, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        audit(GeometricSubject, law=law, samples=100)


def test_the_command_line_ends_with_2_where_the_law_is_none(place):
    done = CliRunner().invoke(cli, ["law", f"python:{place / 'mine.py'}:Right"])
    assert done.exit_code == 2
    arguments = ["audit", f"python:{place / 'mine.py'}:Right", "--law", f"python:{place / 'mine.py'}:Right"]
    assert CliRunner().invoke(cli, arguments).exit_code == 2


def test_an_unknown_mechanism_without_a_law_cannot_be_run(place):
    report = audit(f"python:{place / 'mine.py'}:Right", samples=100)
    assert report.exit_code == 3
    assert "mechanism is 'cauchy'" in report.message


def installed_as(monkeypatch, *values):
    points = [EntryPoint("two-sided-geometric", value, loading.GROUP) for value in values]
    monkeypatch.setattr(loading, "entry_points", lambda group: points)


def test_the_law_of_an_installed_package_is_found_by_its_name(monkeypatch):
    installed_as(monkeypatch, f"{__name__}:Geometric")
    report = audit(GeometricSubject, samples=300)
    assert report.exit_code in (0, 4)
    assert report.subject["law"]["address"] == f"python:{__name__}:Geometric"


def test_two_installed_laws_of_one_name_are_a_usage_error(monkeypatch):
    installed_as(monkeypatch, f"{__name__}:Geometric", f"{__name__}:Doubled")
    with pytest.raises(ValueError, match="two installed laws are called 'two-sided-geometric'"):
        audit(GeometricSubject, samples=300)


def test_a_recorded_audit_is_recomputed_by_the_same_law_and_by_no_other(place, names, tmp_path):
    class Fresh(names["Right"]):
        def sample(self, value, schedule, sessions, seed):
            rng = np.random.default_rng(seed)
            return value + np.stack([t * rng.standard_cauchy((sessions, value.size)) for t in schedule], axis=1)

    file, law = tmp_path / "audit.npz", tmp_path / "cauchy.py"
    law.write_text(EXAMPLE, "utf-8")
    assert audit(Fresh, law=f"python:{law}:Cauchy", samples=300, record=file).verdict == "refuted"
    try:
        again = CliRunner().invoke(cli, ["replay", str(file)])
        assert "the verdict is the recorded one: refuted" in again.output
        law.write_text(EXAMPLE + "\n# changed\n", "utf-8")
        changed = CliRunner().invoke(cli, ["replay", str(file)])
        assert changed.exit_code == 2
        assert "is not the recorded one" in changed.output
    finally:
        FAMILIES.pop("cauchy", None)


def test_a_plan_for_a_law_of_ones_own_needs_no_sampler(place):
    law, subject = (f"python:{place / name}" for name in ("cauchy.py:Cauchy", "mine.py:Right"))
    done = CliRunner().invoke(cli, ["audit", subject, "--law", law, "--plan", "--samples", "2000"])
    assert done.exit_code == 0, done.output
    assert "law.transcript" in done.output


def test_a_gate_by_a_law_of_ones_own_has_the_checks_of_noise_reduction():
    assert "law.release" in asked_of(GeometricSubject, 10.0, Geometric)


@pytest.mark.parametrize(
    ("own", "asked"), [((0.5, 1e6), "times from 0.5 to 1000"), ((1e-9, 2.0), "times from 0.01 to 2")]
)
def test_a_subject_is_asked_where_both_its_range_and_the_laws_allow(names, own, asked):
    subject = type("Right", (names["Right"],), {"range": own})
    report = audit(subject, law=names["Cauchy"], samples=300)
    assert report.asked[0] == asked


def test_a_range_beyond_the_laws_cannot_be_audited(names):
    report = audit(type("Right", (names["Right"],), {"range": (1e4, 1e5)}), law=names["Cauchy"], samples=300)
    assert report.exit_code == 3
    assert "range is (10000.0, 100000.0): it must overlap with the times of the law, 0.01 to 1000" in report.message


def test_a_distribution_function_that_is_no_number_far_out_is_told_with_the_point_and_the_value():
    class FarOut(Geometric):
        name = "far-out"

        def marginal(self, t):
            near = super().marginal(t)

            class Near:
                logpdf, sf = near.logpdf, near.sf

                def cdf(self, x):
                    return np.where(np.abs(x) > 1e12, np.nan, near.cdf(x))

            return Near()

    assert "cdf() is nan at -1e15 and nan at 1e15: it must go from 0 to 1" in wrong_with(specified(FarOut), 60.0)[0]
