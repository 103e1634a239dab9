"""The adapter to jax_privacy's `CanaryScoreAuditor`: lower bounds on ε from scores of runs on either data.

It takes scores, not outputs: either the order of the true likelihood ratio (`told`), or scores learned from half of the
runs. Its thresholds are chosen and paid for by its own default, Bonferroni's correction. Left out are its bounds that
presuppose Gaussian noise (`epsilon_from_gdp`, `epsilon_one_run_fdp`): they judge a whole curve, another claim.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from nrverify.benchmark.peers.cases import Case
from nrverify.benchmark.peers.learned import learned_scores
from nrverify.benchmark.peers.peer import Peer

PURE = 1e-300
"""The δ of a pure claim for `epsilon_one_run`, which takes positive ones only."""


class CanaryScores(Peer):
    """Scores of the outputs on the second data are those of held-in canaries, on the first of held-out ones."""

    module = "jax_privacy"

    def __init__(self, told: bool) -> None:
        self.told = told
        self.name = f"{type(self).name}, {'likelihood ratio given' if told else 'score learned'}"

    def cannot(self, case: Case) -> str | None:
        """It takes one ε for all outputs."""
        return None if case.score is not None and case.epsilon is not None else "it has no ex-post claims"

    def refutes(self, case: Case, runs: int, alpha: float, seed: int) -> bool:
        """Whether the lower bound on ε is above the claim."""
        from jax_privacy.auditing import CanaryScoreAuditor

        assert case.score is not None
        assert case.epsilon is not None
        zero, one = case.outputs(runs, seed)
        out, held = (case.score(zero), case.score(one)) if self.told else learned_scores(zero, one)
        return bool(self.bound(CanaryScoreAuditor(held, out), alpha, case.delta) > case.epsilon)

    @abstractmethod
    def bound(self, auditor: Any, alpha: float, delta: float) -> float:
        """On ε, from below."""


class ClopperPearson(CanaryScores):
    """Two Clopper–Pearson limits at every threshold, both directions."""

    name = "jax_privacy, Clopper–Pearson"

    def bound(self, auditor: Any, alpha: float, delta: float) -> float:
        """By `epsilon_clopper_pearson`."""
        return float(auditor.epsilon_clopper_pearson(alpha, delta, one_sided=False))


class OneRun(CanaryScores):
    """The bound of Steinke, Nasr and Jagielski (2023): every run is a canary of its own."""

    name = "jax_privacy, one run"

    def bound(self, auditor: Any, alpha: float, delta: float) -> float:
        """By `epsilon_one_run`."""
        return float(auditor.epsilon_one_run(alpha, delta or PURE))
