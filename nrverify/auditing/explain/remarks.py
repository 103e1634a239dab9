"""What an audit says besides its checks: advice, and what it does not cover. None of it changes a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.subjects.description import Description


@dataclass(frozen=True)
class Remark:
    """A remark as a reader meets it: what it is about, and what to make of it."""

    about: str
    words: str


REMARKS = {
    "protocol.refusals": Remark(
        "Requests that make no sense are refused.",
        "Advice. A time that increases, is 0, negative or NaN is tried in a session of its own. Refusing it with a "
        "ValueError protects the analyst; accepting it, answering NaN or another exception is said and never refutes. "
        "Needs open(). Records do not hold refused requests.",
    ),
    "protocol.attributes": Remark(
        "Every attribute of the subject is spelt as audits know it.",
        "Advice. The subject has a name that nobody reads and that is nearly that of an attribute it lacks, such as "
        "ranges for range: perhaps what it says of itself is not heard.",
    ),
    "protocol.range": Remark(
        "Some settings were refused by the subject.",
        "Not covered. A ValueError at the first release of a session refuses that setting: the audit moves it inwards "
        "by factors of 1.5 and says here what was refused. Nothing is known about the subject there. A subject can "
        "say where it works with range = (smallest, largest) of its knob and dimensions = (1, 3).",
    ),
    "randomness.repeats": Remark(
        "The same seed gives the same transcript.",
        "Advice. A subject that cannot be seeded is audited like any other, but its finding cannot be had again from "
        "the seed: nrverify replay recomputes it from the record. How an implementation uses its seeds cannot be "
        "asked of records.",
    ),
    "privacy.slack": Remark(
        "An ex-post ε of rounded releases has slack.",
        "Advice, for ex-post claims of Brownian mechanisms with a granularity g. The loss varies by up to g·√d·Δ/t "
        "over the ideal releases that are rounded to one, so what is claimed and judged is ε + g·√d·Δ/t. Claims of "
        "differential privacy, and pure ones, need no slack: rounding is post-processing.",
    ),
    "boundary.waste": Remark(
        "The boundary spends all of its δ.",
        "Advice. A boundary whose crossing probability is well below the δ it claims is private, and adds more noise "
        "than it must. Says how much less noise would do.",
    ),
    "privacy.measured": Remark(
        "The ε measured stays below the ε claimed.",
        "Advice, for mechanisms whose law is not known. The event that tells neighbouring data apart best, found in "
        "earlier runs, is counted in fresh ones: the lower confidence limit on ε stands beside the claim. Far below "
        "it, either more noise is added than needed, or the worst pair of neighbours is not among those judged.",
    ),
    "privacy.other-neighbours": Remark(
        "Other neighbours keep the claim, too.",
        "Not covered, for mechanisms whose law is not known. A privacy claim is about all neighbouring data; an audit "
        "of outputs judges the pairs that the subject names, or that were generated, and no others.",
    ),
    "privacy.loss-tail": Remark(
        "The loss exceeds its ε with probability at most δ.",
        "Not covered in full, for ex-post claims with δ > 0. Samples refute P(loss > ε) ≤ δ only through its hockey "
        "stick, sup P(S) − e^ε P'(S), which may be far smaller than the probability that the loss exceeds ε.",
    ),
    "records.selection": Remark(
        "The records are all there was.",
        "Not covered, for records. Whether sessions were left out, repeated or chosen before they were recorded "
        "cannot be seen in what was recorded.",
    ),
    "records.other-settings": Remark(
        "The implementation does elsewhere what it did where it was recorded.",
        "Not covered, for records. Nothing is said about other values, dimensions, schedules and noise levels than "
        "those recorded.",
    ),
    "records.rule": Remark(
        "Requests and stops followed one rule for both values.",
        "Not covered, for records of sessions that were not on a schedule fixed in advance. That each request and stop "
        "depended on earlier releases of its session alone, by one rule for both values, is taken from the recorder.",
    ),
}
"""By the id under which a report has them."""


def misspelt_attributes(description: Description, only: tuple[str, ...]) -> list[CheckResult]:
    """Advice on names that nobody reads and that are nearly those of attributes."""
    if not description.misspelt or only:
        return []
    words = "; ".join(description.unread)
    return [CheckResult("protocol.attributes", CheckKind.PROTOCOL, CheckVerdict.ADVICE, message=words)]
