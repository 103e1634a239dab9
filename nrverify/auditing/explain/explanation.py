"""A refutation in full: what was claimed, what was seen, how sure it is, the likely cause, and what it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nrverify.auditing.core.bets.scale_origins import origin_of
from nrverify.auditing.core.declaration import CheckKind, Declaration
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect, Fault
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict, Explanation
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.explain.root_cause import LAWS, RootCause, root_cause
from nrverify.auditing.explain.text import place_text, size_text, worded, worth_saying
from nrverify.statistics.estimate import Measure
from nrverify.subjects.description import Description
from nrverify.subjects.noise_families import FAMILIES


def explained(
    results: tuple[CheckResult, ...],
    declarations: Sequence[Declaration],
    description: Description,
    suspect: Suspect | None,
    alpha: float,
    reproduce: str,
    measured: Priced | None = None,
) -> tuple[CheckResult, ...]:
    """All results in words; the refuted ones with their explanation and the command that reproduces them.

    `measured` is a leak that was measured after a refutation.
    """
    results = tuple(_in_the_terms_of(result, description) for result in results)
    first = {one.id: one for one in reversed(declarations)}
    forms = {(one.id, one.cls.__name__): one for one in declarations}
    root = root_cause(results, suspect, {id: one.implied_by for id, one in first.items()}, description.integer)
    said = [forms.get((result.id, result.form), first.get(result.id)) for result in results]
    rooted = next((result.finding for result in results if result.id == root.check), None)
    if rooted is not None and root.suspect is not None:
        rooted = _suspected(rooted, root.suspect)
    measured = _measured(results) or measured
    if measured is not None and rooted is not None and rooted.effect is not Effect.LEAK:
        rooted = rooted.with_price(measured)
    unfound = _would_have_been_found(results)
    pairs = zip(results, said, strict=True)
    return tuple(_explained(*pair, root, rooted, measured, alpha, reproduce, unfound) for pair in pairs)


def _in_the_terms_of(result: CheckResult, description: Description) -> CheckResult:
    """The result with what its sentences must know of the family of noise: its probability of staying, and whether the
    variance of normal scores is not that of the noise."""
    family = FAMILIES.get(description.mechanism)
    if family is None or result.finding is None:
        return result
    finding, terms = result.finding, {}
    if family.staying and of_noise.WRONG_STAY_PROBABILITY in (finding.fault, *finding.nearest):
        terms["staying"] = family.staying
    if finding.estimate.measure is Measure.VARIANCE and not family.increments:
        terms["scores"] = "normal scores"
    return replace(result, finding=replace(finding, texts={**finding.texts, **terms})) if terms else result


def untold(results: tuple[CheckResult, ...]) -> bool:
    """Whether a law is refuted, and no cause says what it gives away, or that it gives nothing away."""
    refuted = [result for result in results if result.verdict is CheckVerdict.REFUTED]
    causes = [result for result in refuted if result.explanation is not None and result.explanation.follows is None]
    return bool(causes) and all(result.effect is Effect.UNPROVED for result in causes)


def _measured(results: tuple[CheckResult, ...]) -> Priced | None:
    """The leak that a check of privacy has measured: then no other may say that none was shown."""
    for result in results:
        if result.kind == CheckKind.PRIVACY and result.verdict is CheckVerdict.REFUTED and result.finding is not None:
            seen = result.finding.estimate
            words = f"{result.id} has measured a violation of the claim"
            return Priced(Effect.LEAK, seen.observed, seen.expected, quantity=result.finding.quantity, why=words)
    return None


def _would_have_been_found(results: tuple[CheckResult, ...]) -> str:
    """What the checks of privacy would have found, where none refutes: it is said where no violation was shown.

    What was calculated, without an error probability, says nothing of releases whose law is another.
    """
    judged = [result for result in results if result.kind == CheckKind.PRIVACY]
    if any(result.verdict is CheckVerdict.REFUTED for result in judged):
        return ""
    sampled = [result for result in judged if result.alpha is not None]
    found = "; ".join(
        f"{size_text(size)} ({one.id})" for one in sampled for size in one.sizes[:1] if worth_saying(size)
    )
    return f"; would have been found: {found}" if found else ""


def _explained(
    result: CheckResult,
    declaration: Declaration | None,
    root: RootCause,
    rooted: Finding | None,
    measured: Priced | None,
    alpha: float,
    reproduce: str,
    unfound: str,
) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED:
        return worded(result, declaration)
    if finding is not None and result.id == root.check and root.suspect is not None:
        finding = _suspected(finding, root.suspect)
    leaks = measured is not None and result.kind in (CheckKind.LAW, CheckKind.RANDOMNESS)
    if finding is not None and leaks and replace(result, finding=finding).effect is not Effect.LEAK:
        assert measured is not None
        finding = finding.with_price(measured)
    said = worded(replace(result, finding=finding), declaration)
    explanation = _explanation(said, declaration, root, alpha, unfound)
    if explanation.follows is not None and said.finding is not None and rooted is not None:
        # It has no cause of its own: in data, too, the fault is that of the check it follows.
        of_root = replace(said.finding, fault=rooted.fault, nearest=rooted.nearest, effect=rooted.effect)
        said = replace(said, finding=replace(of_root, priced=rooted.priced))
    return replace(said, explanation=explanation, message=" ".join(explanation.lines), reproduce=reproduce)


def _suspected(finding: Finding, suspect: Suspect) -> Finding:
    """The finding with the fault that explains the second moments."""
    first, *others = suspect.faults
    found = finding.of(first, *others).with_price(suspect.priced)
    return replace(found, precision=suspect.precision, gain=suspect.gain)


def _explanation(
    result: CheckResult, declaration: Declaration | None, root: RootCause, alpha: float, unfound: str
) -> Explanation:
    finding = result.finding
    seen = f"Expected {result.expected}; observed {result.observed}."
    at_root = result.id == root.check
    if finding is not None and finding.where is not None and at_root and result.id in LAWS:
        seen += f" Seen only {place_text(finding.where)}."
    if finding is not None and at_root and finding.texts.get("first") == "right":
        seen += " Release 1 is right, not all later ones are: look at the bridge."
    follows = root.check if result.id in root.follow else None
    cause, effect = ("", "") if finding is None else (_cause(finding, root, at_root), _effect(result, unfound))
    if follows is not None:
        cause = effect = f"that of {follows}"
    statement = result.id if declaration is None else declaration.sentence
    return Explanation(
        statement, seen, _evidence(result, alpha), f"Likely cause: {cause}.", f"Effect: {effect}.", follows
    )


def _evidence(result: CheckResult, alpha: float) -> str:
    """The evidence with its error probability, for this check and for the run."""
    if result.alpha is None or (result.finding is not None and result.finding.certain):
        return "Evidence: this cannot happen if the claim holds."
    seen = "Evidence: this"
    if result.e_value is not None:
        seen = f"Evidence: an e-value of {result.e_value:.2g}, where {1 / result.alpha:.2g} refutes; this"
    return (
        f"{seen} would be seen with probability at most {result.alpha:.2g} if the claim held, "
        f"and any false alarm of the whole run with probability at most {alpha:.2g}."
    )


def _cause(finding: Finding, root: RootCause, at_root: bool) -> str:
    if at_root and root.suspect is not None:
        return ", or ".join(_fitted_cause(fault, root.suspect) for fault in root.suspect.faults)
    assert finding.fault is not None
    if finding.where is not None and at_root and finding.fault == of_noise.DEPENDS_ON_VALUE:
        return of_noise.ONLY_SOMEWHERE.cause
    origin = _origin_of(finding)
    if origin is not None:
        return origin
    return ", or ".join(dict.fromkeys(_plain_cause(fault, finding) for fault in (finding.fault, *finding.nearest)))


def _plain_cause(fault: Fault, finding: Finding) -> str:
    """The cause as the table says it, with the right probability of staying of this family where that is wrong."""
    staying = finding.texts.get("staying")
    known = f" (it is {staying})" if staying and fault == of_noise.WRONG_STAY_PROBABILITY else ""
    return f"{fault.cause}{known}"


def _fitted_cause(fault: Fault, suspect: Suspect) -> str:
    """The cause, with the constant that was fitted and where it may come from."""
    ratio = suspect.ratios.get(fault.id)
    if fault.id in suspect.words:
        return f"{fault.cause}: {suspect.words[fault.id]}"
    if ratio is None:
        return fault.cause
    origin = origin_of(ratio)
    return f"{fault.cause}: {ratio:.3g} times the one claimed" + (f" ({origin})" if origin else "")


def _origin_of(finding: Finding) -> str | None:
    """Where a wrong variance near a simple ratio may come from."""
    ratio = finding.estimate.observed
    scaled = finding.fault in (of_noise.WRONG_SCALE, of_noise.WRONG_BRIDGE_VARIANCE) and "scores" not in finding.texts
    return origin_of(ratio) if scaled and finding.estimate.measure is Measure.VARIANCE and ratio else None


def _effect(result: CheckResult, unfound: str) -> str:
    finding = result.finding
    assert finding is not None
    consequences = dict.fromkeys(fault.consequence for fault in (finding.fault, *finding.nearest) if fault is not None)
    said, priced = "; or ".join(consequences), finding.priced
    if result.effect is Effect.UNPROVED:
        wrong = "the law is wrong; " if result.kind == CheckKind.LAW else ""
        if priced is not None and priced.why:
            return f"{wrong}{priced.words}{unfound}"
        return f"{wrong}no violation of the privacy claim was shown{unfound}. If the cause is right: {said}"
    if priced is not None:
        return priced.words
    return f"{said}: a leak" if result.effect is Effect.LEAK else f"{said}: only accuracy suffers"
