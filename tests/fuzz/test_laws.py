"""Laws of one's own that answer anything: a law, or sentences that say what is wrong; the auditor goes on."""

import math

import numpy as np
import pytest

from nrverify.auditing.own_law.limited import loaded, wrong_with
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES
from nrverify.subjects.own_laws.loading import in_use
from tests.fuzz.fuzzing import MANY, corpus, fresh, one_sentence
from tests.support.strange_subjects import OUTPUTS, STRANGE, nested

ANSWERS = (*STRANGE, *OUTPUTS, nested(2000), "raise", "exit", "die", "hang")
PARTS = ("logpdf", "cdf", "sf", "atom", "score", "rvs")
ATTRIBUTES = ("name", "integer", "norm", "range", "marginal", "bridge", "forward", "epsilon")


def answered(answer):
    """What a hostile method does in place of answering."""
    if answer == "raise":
        raise RuntimeError("\x1b[2J\n::error::" + "x" * 5000)
    if answer == "exit":
        raise SystemExit(0)
    if answer == "die":
        import os

        os._exit(3)
    if answer == "hang":
        import time

        time.sleep(1000)
    return answer


class Normal:
    """The normal law of variance t, but for what was put in the place of one of its parts."""

    def __init__(self, mean, variance, wrong):
        self.mean, self.variance, self.wrong = mean, variance, wrong
        if "atom" in wrong:
            self.atom = wrong["atom"]

    def _given(self, name, right):
        return answered(self.wrong[name]) if name in self.wrong else right()

    def logpdf(self, x):
        square = (x - self.mean) ** 2 / self.variance
        return self._given("logpdf", lambda: -0.5 * (square + np.log(2 * np.pi * self.variance)))

    def cdf(self, x):
        from scipy.special import ndtr

        return self._given("cdf", lambda: ndtr((x - self.mean) / np.sqrt(self.variance)))

    def sf(self, x):
        from scipy.special import ndtr

        return self._given("sf", lambda: ndtr(-(x - self.mean) / np.sqrt(self.variance)))

    def rvs(self, rng, size):
        return self._given("rvs", lambda: self.mean + np.sqrt(self.variance) * rng.standard_normal(size))


def law_of(wrong):
    """A law with something else in the place of some of its parts, or of its attributes."""

    class Law:
        name = "strange"

        def marginal(self, t):
            return Normal(0.0, t, wrong)

        def bridge(self, s, t, given):
            return Normal(given * s / t, s * (t - s) / t, wrong)

    for name in ATTRIBUTES:
        if name in wrong:
            value = wrong[name]
            replaced = (lambda self, *asked, value=value: answered(value)) if name in ATTRIBUTES[4:] else value
            setattr(Law, name, replaced)
    return Law


def tried(wrong):
    """What is said of it: nothing, or sentences; and the table of families is what it was."""
    words = ["understood"]
    try:
        law = loaded(law_of(wrong), 10.0)
        with in_use(law):
            words += wrong_with(law, 10.0, short=True)
    except ValueError as error:
        words = [str(error)]
    assert all(one_sentence(sentence) for sentence in words), words
    assert tuple(FAMILIES) == BUILT_IN
    return words


@pytest.mark.parametrize("wrong", corpus("laws"))
def test_laws_that_once_failed(wrong):
    (name,) = wrong
    assert name in tried(wrong)[-1]


def test_the_law_without_anything_strange_is_one():
    assert tried({}) == ["understood"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_any_law_is_one_or_is_said_not_to_be():
    rng = fresh()
    for _ in range(MANY // 100):
        parts = rng.sample([*PARTS, *ATTRIBUTES], rng.choice([1, 1, 2]))
        hanging = ANSWERS if rng.random() < 0.02 else ANSWERS[:-1]
        tried({part: rng.choice([*hanging, 0.5, 1.0, math.pi, -1.0, np.array([0.1, 0.2])]) for part in parts})
