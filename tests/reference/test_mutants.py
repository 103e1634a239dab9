"""The catalogue of mutants is well formed, and its subjects obey the calls of the contract."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from nrverify.reference.mutants import BENIGN, MUTANTS
from nrverify.reference.mutants.catalogue import Benign, Mutant

NOISE = ("brownian", "laplace", "skellam")
THRESHOLD = ("above-threshold", "reduced-above-threshold")
ENTRIES = (*MUTANTS, *BENIGN)
NO_REPEAT = {"brownian-fresh-entropy", "brownian-one-stream", "brownian-correlated-sessions", "brownian-carried-over"}
"""Those that do not answer the same seed twice alike: their state, or their entropy, is not the seed's."""
SAME_STREAMS = {
    *("brownian-seed-ignored", "brownian-seed-from-value", "brownian-few-seeds", "brownian-shared-by-sessions"),
    "brownian-batch-broadcast",
}
"""Those whose mistake is that seeds, or sessions, are not told apart."""


def having(method: str, *mechanisms: str) -> list[Any]:
    """Parameters: the entries of these mechanisms that offer a method."""
    chosen = [entry for entry in ENTRIES if entry.subject.mechanism in mechanisms]
    return [pytest.param(e, id=e.name) for e in chosen if getattr(e.subject, method, None) is not None]


def knob_values(subject: Any) -> list[float]:
    return [0.4, 0.9, 0.9, 2.0] if getattr(subject, "knob", "time") == "epsilon" else [7.0, 2.0, 2.0, 0.5]


def value_of(subject: Any, d: int) -> np.ndarray:
    return np.arange(3, 3 + d).astype(np.int64 if subject.mechanism == "skellam" else np.float64)


def test_there_are_as_many_as_the_calibration_needs() -> None:
    assert len(MUTANTS) >= 60
    assert len(BENIGN) >= 15


def test_every_mechanism_and_knob_has_mutants_and_benign_variants() -> None:
    for entries in (MUTANTS, BENIGN):
        kinds = {(e.subject.mechanism, getattr(e.subject, "knob", "time")) for e in entries}
        assert {(mechanism, "time") for mechanism in (*NOISE, *THRESHOLD, "boundary", "private-stopping")} <= kinds
        assert {("brownian", "epsilon"), ("laplace", "epsilon")} <= kinds


@pytest.mark.parametrize("entries", [MUTANTS, BENIGN], ids=["mutants", "benign"])
def test_names_are_unique_kebab_case_and_subjects_are_used_once(entries: tuple[Mutant | Benign, ...]) -> None:
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+[0-9]*(-[a-z0-9]+)*", name) for name in names)
    assert len({entry.subject for entry in entries}) == len(entries)


def test_mistakes_and_variations_are_one_sentence_of_one_hundred_and_twenty_characters() -> None:
    for entry in ENTRIES:
        sentence = entry.mistake if isinstance(entry, Mutant) else entry.variation
        assert sentence.endswith(".")
        assert 15 < len(sentence) <= 120, sentence
        assert ". " not in sentence


def test_effects_are_leak_or_inaccuracy_and_both_occur() -> None:
    assert {mutant.effect for mutant in MUTANTS} == {"leak", "inaccuracy"}


def test_no_mutant_is_also_benign() -> None:
    assert not {m.subject for m in MUTANTS} & {b.subject for b in BENIGN}


@pytest.mark.parametrize("entry", having("sample", *NOISE))
@pytest.mark.parametrize("d", [1, 3])
def test_samples_have_the_shape_of_the_contract(entry: Mutant | Benign, d: int) -> None:
    subject = entry.subject()
    value = value_of(subject, d)
    before = value.copy()
    releases = np.asarray(subject.sample(value, knob_values(subject), 5, 17))
    assert releases.shape == (5, 4, d)
    assert np.isfinite(releases).all()
    assert (releases.dtype.kind in "iu") == (subject.mechanism == "skellam")
    assert np.array_equal(value, before)
    assert np.array_equal(releases, subject.sample(value, knob_values(subject), 5, 17)) == (entry.name not in NO_REPEAT)
    if entry.name not in SAME_STREAMS:
        assert not np.array_equal(releases, subject.sample(value, knob_values(subject), 5, 18))
        assert len({row.tobytes() for row in releases}) > 1


@pytest.mark.parametrize("entry", having("open", *NOISE))
@pytest.mark.parametrize("d", [1, 3])
def test_sessions_release_in_the_shape_of_the_value_and_may_be_interleaved(entry: Mutant | Benign, d: int) -> None:
    subject = entry.subject()
    value = value_of(subject, d)

    def alone(seed: int) -> np.ndarray:
        session = subject.open(value, seed)
        return np.array([session.release(at) for at in knob_values(subject)])

    one, other = alone(17), alone(18)
    assert one.shape in {(4, d), (4,)}
    assert one.shape == (4, d) or d == 1
    assert np.isfinite(one).all()
    if entry.name in NO_REPEAT:
        return
    first, second = subject.open(value, 17), subject.open(value, 18)
    try:
        pairs = [(first.release(at), second.release(at)) for at in knob_values(subject)]
    except ValueError:
        pairs = []
    kept_apart = np.array_equal([x for x, _ in pairs], one) and np.array_equal([y for _, y in pairs], other)
    assert kept_apart == (entry.name != "brownian-state-on-subject")


@pytest.mark.parametrize("entry", having("open", *NOISE))
def test_a_request_for_more_noise_is_refused_unless_it_may_be_made(entry: Mutant | Benign) -> None:
    subject = entry.subject()
    session = subject.open(value_of(subject, 1), 3)
    *_, least = knob_values(subject)
    session.release(least)
    if getattr(subject, "any_order", False):
        assert np.isfinite(session.release(knob_values(subject)[0])).all()
        return
    with pytest.raises(ValueError, match=r"increase|never rise"):
        session.release(knob_values(subject)[0])


@pytest.mark.parametrize("entry", having("run", *THRESHOLD))
def test_runs_print_bits_up_to_the_first_one(entry: Mutant | Benign) -> None:
    subject = entry.subject()
    went_on, last = False, getattr(subject, "positives", 1)
    for seed in range(30):
        bits = [int(bit) for bit in subject.run([0.0] * 6, [1.0] * 6, 1.0, 1.0, seed)]
        assert set(bits) <= {0, 1}
        assert len(bits) == 6 or bits[-1] == 1
        went_on |= sum(bits[:-1]) >= last
        assert bits == [int(bit) for bit in subject.run([0.0] * 6, [1.0] * 6, 1.0, 1.0, seed)]
    assert went_on == (entry.name in ("threshold-continues-after-halting", "sparse-variant-6"))


@pytest.mark.parametrize("entry", having("run_many", *THRESHOLD))
def test_batches_of_runs_give_halting_rounds(entry: Mutant | Benign) -> None:
    subject = entry.subject()
    arguments = ([-1.0, 0.0, 3.0], [1.0, 1.0, 1.0], 1.0, 1.0)
    rounds = subject.run_many(*arguments, 4_000, 5)
    several = getattr(subject, "positives", 1)
    assert rounds.shape == ((4_000,) if several == 1 else (4_000, several))
    assert rounds.dtype == np.int64
    assert set(rounds.ravel().tolist()) <= {0, 1, 2, 3}
    assert np.array_equal(rounds, subject.run_many(*arguments, 4_000, 5))
    assert not np.array_equal(rounds, subject.run_many(*arguments, 4_000, 6))


@pytest.mark.parametrize("entry", having("epsilon", "boundary"))
def test_boundaries_give_positive_floats_over_fifteen_decades(entry: Mutant | Benign) -> None:
    subject = entry.subject()
    smallest, largest = getattr(subject, "interval", (1e-6, 1e9))
    charges = [subject.epsilon(float(t)) for t in np.geomspace(smallest, largest, 40)]
    assert all(isinstance(charge, float) and charge >= 0 for charge in charges)
    assert subject.sensitivity > 0
    assert 0 < subject.delta < 1


@pytest.mark.parametrize("entry", having("run", "private-stopping"))
def test_stopping_returns_releases_and_bits(entry: Mutant | Benign) -> None:
    subject = entry.subject()
    for seed in range(20):
        releases, bits = subject.run(np.array([4.0, 1.0]), [90.0, 60.0, 60.0, 40.0], np.sum, 5.0, 1.0, seed)
        assert np.asarray(releases).shape == (len(releases), 2)
        assert len(bits) == 4 or bits[-1] == 1
        assert 1 not in bits[:-1]
        extra = entry.name == "stopping-one-more-release" and len(bits) < 4
        assert len(releases) == len(bits) + extra
