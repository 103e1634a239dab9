"""The arithmetic of a calibration's parts, on results made up for the purpose: each can come out red."""

import math

import pytest

from nrverify.calibrate.efficiency import Efficiency, median_ratio
from nrverify.calibrate.empirical import EmpiricalEpsilon, WorstPair, best_pair, laplace_bound, threshold_bound
from nrverify.calibrate.false_alarms import Alarms, all_together
from nrverify.calibrate.jobs import Job, run_jobs
from nrverify.calibrate.matrix import Kill, KillMatrix, Spared
from nrverify.calibrate.trial import Trial, seed_for
from nrverify.reference.mutants import BENIGN, MUTANTS


def refuted(*checks, samples=98):
    return Trial("refuted", samples, checks, checks)


CONSISTENT = Trial("consistent", 200_000, (), ("law.release",))


def matrix(*kills, spared=CONSISTENT):
    return KillMatrix(1e-6, 200_000, kills, (Spared(BENIGN[0], spared),), whole=True)


def test_a_mutant_that_is_refuted_by_one_check_gives_that_check_its_place():
    found = matrix(
        Kill(MUTANTS[0], refuted("ties"), refuted("ties", "law.release"), 20.0),
        Kill(MUTANTS[1], refuted("law.release", samples=50), refuted("law.release"), None),
    )
    standings = {standing.id: standing for standing in found.standings()}
    assert standings["ties"].refutes == 1
    assert standings["ties"].alone == ()
    assert standings["law.release"].refutes == 2
    assert standings["law.release"].alone == (MUTANTS[1].name,)
    assert standings["law.release"].earned
    assert not standings["loss.stopping"].alone
    assert found.kills[0].ratio == pytest.approx(98 / 20)
    assert found.kills[1].ratio is None
    assert found.green


def test_a_mutant_that_survives_is_named_and_turns_the_matrix_red():
    survived = matrix(Kill(MUTANTS[0], CONSISTENT, CONSISTENT, 20.0))
    assert survived.survivors == (MUTANTS[0].name,)
    assert survived.kills[0].ratio is None
    assert not survived.green
    # One that is refuted at a look, and at the end of the budget is not, has not been refuted for good.
    assert not matrix(Kill(MUTANTS[0], refuted("ties"), CONSISTENT, None)).green


@pytest.mark.parametrize("verdict", ["refuted", "errored"])
def test_a_benign_variant_that_is_refuted_or_cannot_be_run_turns_the_matrix_red(verdict):
    found = matrix(spared=Trial(verdict, 10, (), ()))
    assert found.wronged == (BENIGN[0].name,)
    assert not found.green


def test_claims_that_one_check_alone_bears_on_are_its_own():
    standings = matrix().standings()
    for standing in standings:
        for claim in standing.claims:
            assert [other.id for other in standings if claim in other.claims] == [standing.id]


def test_false_alarms_are_red_when_their_limits_exclude_the_level_or_one_is_raised_at_1e_6():
    assert Alarms("a subject", 100, 5, 0, 0).green
    # 20 of 100: the lower limit at 99 % is 0.11.
    assert not Alarms("a subject", 100, 20, 0, 0).green
    assert not Alarms("a subject", 100, 5, 1, 0).green
    assert not Alarms("a subject", 100, 0, 0, 1).green
    assert all_together([Alarms("a", 10, 1, 0, 0), Alarms("b", 20, 0, 1, 2)]) == Alarms("all together", 30, 1, 1, 2)
    low, high = Alarms("a subject", 100, 0, 0, 0).interval(0)
    assert (low, high) == (0.0, pytest.approx(1 - 0.005 ** (1 / 100)))


def test_efficiency_is_the_median_over_the_limit_and_a_missed_seed_counts_as_infinite():
    assert Efficiency("a fault", 0.01, 100.0, (110, 150, 300), 0).ratio == 1.5
    assert Efficiency("a fault", 0.01, 100.0, (110, 150, 300), 0).met
    assert not Efficiency("a fault", 0.01, 100.0, (110, 260, 300), 0).met
    assert Efficiency("a fault", 0.01, 100.0, (110,), 2).ratio == math.inf
    assert not Efficiency("a fault", 0.01, 100.0, (), 3).met


def test_a_fault_whose_limit_is_below_the_first_look_is_compared_with_the_first_look():
    found = Efficiency("a fault", 20.0, 0.8, (96, 96, 96), 0)
    assert found.below_first_look
    assert found.ratio == 1.5
    assert not Efficiency("a fault", 20.0, 0.8, (140, 140, 140), 0).met


def test_the_median_over_faults_leaves_out_those_that_are_not_compared_with_their_own_limit():
    gross = [Efficiency("gross", 20.0, 0.8, (64, 64, 64), 0)] * 5
    rows = [Efficiency(f"at {samples}", 0.01, 100.0, (samples,) * 3, 0) for samples in (110, 130, 170)]
    assert median_ratio([*gross, *rows]) == 1.3
    assert median_ratio([*rows, Efficiency("missed", 0.1, 100.0, (), 3)]) == 1.7
    assert median_ratio(gross) == 1.0


def test_an_empirical_epsilon_that_is_too_small_or_above_the_claim_is_red():
    assert EmpiricalEpsilon("m", 10, (0.96, 0.97, 0.99), 1.0, "the claim").met
    assert not EmpiricalEpsilon("m", 10, (0.90, 0.94, 0.99), 1.0, "the claim").met
    assert not EmpiricalEpsilon("m", 10, (0.96, 0.97, 1.01), 1.0, "the claim").met


def test_the_bound_on_laplace_noise_nears_the_claim_and_never_passes_it():
    # A bound above ε has probability 1e-6; at 200,000 runs four tenths of the bound's gap at 1e6 is doubled.
    bound = laplace_bound(200_000, 1)
    assert 0.9 < bound < 1.0


def test_the_oracles_pair_is_the_best_of_a_grid_and_its_bound_is_what_runs_give():
    runs = 200_000
    best = best_pair(runs)
    grid = [WorstPair(n, a, b) for n in (6, 8, 10, 12) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0, 2.0)]
    assert best.foreseen(runs) >= max(pair.foreseen(runs) for pair in grid)
    # The bound moves with the count of the event: six standard errors of its log odds.
    own, other = (0.5 * runs * chance for chance in best.chances())
    spread = 6 * math.sqrt(1 / own + 1 / other)
    assert threshold_bound(runs, 1) == pytest.approx(best.foreseen(runs), abs=spread)


def test_jobs_come_back_in_their_order_and_say_when_they_are_done():
    from concurrent.futures import ThreadPoolExecutor

    jobs = [Job(f"job {n}", divmod, (n, 3), cost=n) for n in range(5)]
    said = []
    with ThreadPoolExecutor(2) as pool:
        found = run_jobs(jobs, pool, lambda done, total, name: said.append((done, total, name)))
    assert found == run_jobs(jobs, None) == [divmod(n, 3) for n in range(5)]
    assert [done for done, _, _ in said] == [1, 2, 3, 4, 5]
    with ThreadPoolExecutor(2) as pool, pytest.raises(ZeroDivisionError):
        run_jobs([*jobs, Job("broken", divmod, (1, 0))], pool)


def test_seeds_depend_on_what_they_are_for():
    assert seed_for(0, "a", 1) == seed_for(0, "a", 1)
    assert len({seed_for(seed, name, index) for seed in (0, 1) for name in "ab" for index in range(3)}) == 12
