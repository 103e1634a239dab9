"""The comparison with public auditors: with a tiny auditor written here; jax_privacy itself where it is installed."""

import math

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from nrverify.benchmark.peers import LISTED, learned, peers
from nrverify.benchmark.peers.cases import CASES
from nrverify.benchmark.peers.comparison import Standing, compare, presence, standings
from nrverify.benchmark.peers.found import Found, Needed, by_doubling
from nrverify.benchmark.peers.law_aware import gaussian_deviation
from nrverify.benchmark.peers.peer import Listed, Peer
from nrverify.calibrate import any_information as law
from nrverify.cli import cli
from nrverify.report.benchmark.peers import TITLE, peers_section, section_of, with_section
from tests.tools import need_module

LAPLACE, NOISY_MAX, GAUSSIAN, SPARSE, TWO_LOOKS = CASES


class AboveOne(Peer):
    """Among outputs of at least 1, more than e/(1 + e) come from the second data: an exact binomial test."""

    name, module = "a binomial test", "scipy"

    def cannot(self, case):
        return None if case is LAPLACE else "it looks at numbers of at least 1"

    def refutes(self, case, runs, alpha, seed):
        zero, one = ((outputs >= 1).sum() for outputs in case.outputs(runs, seed))
        return zero + one > 0 and binomtest(int(one), int(zero + one), math.e / (1 + math.e), "greater").pvalue < alpha


class Absent(AboveOne):
    name, module = "an auditor that is not there", "no_such_auditor"


def test_the_search_finds_the_fewest_runs_to_within_five_per_cent():
    for needed in (1, 64, 65, 1000, 4097):
        found = by_doubling(lambda runs, needed=needed: runs >= needed, 64, 10_000).runs
        assert max(needed, 64) <= found <= 1.05 * max(needed, 64) + 1
    assert by_doubling(lambda runs: False, 64, 10_000).runs is None
    asked = []
    by_doubling(lambda runs: bool(asked.append(runs)), 64, 1000)
    assert asked == [64, 128, 256, 512, 1000]


def test_a_small_auditor_is_one_class_and_is_compared_where_it_can_judge():
    found = list(compare([AboveOne(), Absent()], 1, (LAPLACE, NOISY_MAX), (0.05,), most=4096))
    assert [one.auditor for one in found].count("a binomial test") == 2
    assert all(one.auditor != Absent.name for one in found)
    laplace, noisy_max = (one for one in found if not one.own)
    assert 64 <= laplace.median < 4096
    assert AboveOne().refutes(LAPLACE, int(laplace.median), 0.05, 0)
    assert noisy_max.reason == "it looks at numbers of at least 1"
    (standing,) = standings(found)
    assert (standing.case, standing.best) == (LAPLACE.name, laplace.median)
    assert standing.own == next(one.median for one in found if one.own and not one.told)
    text = peers_section(
        found, [standing], presence([AboveOne()], [Listed("scipy", "scipy"), Listed("none", "no_one")])
    )
    assert f"| {NOISY_MAX.name} | 0.05 | a binomial test |  | cannot: it looks at numbers of at least 1 |" in text
    assert "nrverify has no law of this mechanism" in text
    assert "none (not installed)" in text


def test_medians_and_nine_of_ten_count_a_seed_without_refutation_as_more_than_all_others():
    def needed(*runs):
        return Needed("a", 0.05, "b", False, False, tuple(Found(one, 1.0) for one in runs))

    assert (needed(*range(1, 11)).median, needed(*range(1, 11)).ninth) == (5.5, 9)
    assert needed(1, 2, None).median == 2
    assert needed(1, None, None).median == math.inf
    assert needed(*range(1, 10), None).ninth == 9
    assert needed(*range(1, 9), None, None).ninth == math.inf


@pytest.mark.parametrize(
    ("own", "best", "met"),
    [(50, 100, True), (51, 100, False), (50, math.inf, True), (math.inf, 100, False), (math.inf, math.inf, False)],
)
def test_at_most_half_of_the_best_peers_runs_are_to_be_reached(own, best, met):
    assert Standing("a", 0.05, False, own, best, "b").met is met


def test_who_is_told_the_law_is_compared_with_the_audit_that_knows_it():
    def row(auditor, told, own, runs):
        return Needed("a", 0.05, auditor, told, own, (Found(runs, 1.0),))

    rows = [row("free", False, True, 10), row("aware", True, True, 5)]
    rows += [row("slow", False, False, 40), row("quick", False, False, 30), row("oracle", True, False, 8)]
    found = {one.told: one for one in standings(rows)}
    assert (found[False].peer, found[False].ratio, found[False].met) == ("quick", 10 / 30, True)
    assert (found[True].peer, found[True].ratio, found[True].met) == ("oracle", 5 / 8, False)


def test_scores_given_are_in_the_order_of_the_true_likelihood_ratio():
    zero, one, _ = law.sparse_vector(SPARSE.law_free().neighbours[0], 2.0, 2.0)
    outputs = [[1], [0, 1], [0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert np.array_equal(np.argsort(SPARSE.score(outputs)), np.argsort(one / zero))
    zero, one, _ = law.noisy_max(NOISY_MAX.law_free().neighbours[0], 1.0)
    assert np.argmax(one / zero) == 0
    assert np.ptp((one / zero)[1:]) < 1e-9
    assert NOISY_MAX.score([0, 1, 4]).tolist() == [1.0, 0.0, 0.0]
    points = np.linspace(-3, 4, 29)
    ratio = np.abs(points) - np.abs(points - 1)
    assert np.allclose(2 * LAPLACE.score(points) - 1, ratio)


def test_learned_scores_depend_on_the_first_half_only_and_judge_the_second():
    rng = np.random.default_rng(1)
    zero, one = rng.normal(0, 1, 4000), rng.normal(1, 1, 4000)
    first, second = learned.learned_scores(zero, one)
    assert first.shape == second.shape == (2000,)
    assert second.mean() - first.mean() > 0.5
    changed = np.concatenate([zero[:2000], zero[2000:][::-1]])
    assert np.array_equal(learned.learned_scores(changed, one)[0], first[::-1])
    texts = learned.learned_scores([[0], [1]] * 50, [[1]] * 90 + [[0]] * 10)
    assert np.unique(texts[0]).size == 2
    assert np.unique(texts[1]).size == 2
    unseen = learned.learned_scores(["a"] * 9 + ["z"], ["a", "b"] * 5)
    assert np.isfinite(np.concatenate(unseen)).all()


def test_the_deviation_of_the_analytic_gaussian_mechanism_is_that_of_the_textbook_case():
    assert 0 < GAUSSIAN.law_free.__mro__[1].deviation - gaussian_deviation(1.0, 0.01) < 1e-4


def test_auditors_that_are_not_installed_are_said_to_be_so():
    states = dict(presence(peers()))
    assert set(states) == {one.name for one in LISTED} >= {"StatDP", "DP-Sniper", "Delta-Siege", "DP-Auditorium"}
    for one in LISTED:
        assert (states[one.name] == "not installed") is not one.installed()


def test_the_section_takes_the_place_of_an_older_one_and_survives_in_the_document():
    document = with_section("# Benchmarks\n\ntext\n", f"{TITLE}\n\nold\n")
    assert section_of(document) == f"{TITLE}\n\nold\n"
    assert with_section(document, f"{TITLE}\n\nnew\n") == f"# Benchmarks\n\ntext\n\n{TITLE}\n\nnew\n"
    assert with_section("", f"{TITLE}\n") == f"{TITLE}\n"
    assert section_of("# Benchmarks\n") == ""


@pytest.mark.parametrize(("runs", "code"), [(10, 0), (30, 1)])
def test_the_command_writes_the_section_and_exits_by_what_was_reached(monkeypatch, tmp_path, runs, code):
    rows = [
        Needed("a claim", 0.05, "nrverify, law not known", False, True, (Found(runs, 1.0),)),
        Needed("a claim", 0.05, "another", False, False, (Found(40, 1.0),)),
    ]
    asked = []
    monkeypatch.setattr(
        "nrverify.benchmark.peers.comparison.compare", lambda known, seeds: asked.append(seeds) or iter(rows)
    )
    file = tmp_path / "benchmarks.md"
    file.write_text(f"# Benchmarks\n\nkept\n\n{TITLE}\n\nold\n")
    result = CliRunner().invoke(cli, ["benchmark", "--peers", "--quick", "--markdown", str(file)])
    assert (result.exit_code, asked) == (code, [3])
    text = file.read_text()
    assert "kept" in text
    assert "old" not in text
    assert "| a claim | 0.05 | another | 1 | 40 | 40 | 1 |" in text
    assert ("≤ 0.5: met" in text) == (code == 0)


@pytest.mark.parametrize("peer", peers(), ids=lambda peer: peer.name)
def test_jax_privacy_refutes_the_wrong_and_not_the_right(peer):
    need_module("jax_privacy")
    assert peer.available()
    assert peer.refutes(LAPLACE, 20_000, 1e-6, 1)
    right = type(LAPLACE)("right", LAPLACE.law_free.__mro__[1], None, LAPLACE.score)
    assert not peer.refutes(right, 20_000, 1e-6, 1)
    assert peer.cannot(TWO_LOOKS) == "it has no ex-post claims"
