"""From numbers to sentences: what was expected and observed, and what would have been found. Made once, at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nrverify.auditing.core.declaration import Declaration
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.finding import METHOD_LEVELS, Finding, Place, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.statistics.estimate import Estimate, Measure

Texts = tuple[str, str]
PER_CENT = {"%": 1.0, "relative": 100.0}
"""Units that are said in per cent, and how many of them one is."""
LARGEST_PER_CENT = 1000.0
"""A larger size only says that too little was seen, and the verdict says that."""


def worded(result: CheckResult, declaration: Declaration | None) -> CheckResult:
    """The result with its sentences; what a check has worded itself stays."""
    expected, observed = result.expected, result.observed
    if declaration is not None and expected is None:
        expected = declaration.expected or None
    if result.finding is not None and observed is None:
        said = texts_of(result.finding, declaration)
        observed = said[1]
        if result.verdict is CheckVerdict.REFUTED or expected is None:
            expected = said[0]
    detectable = result.detectable or "; ".join(map(size_text, filter(worth_saying, result.sizes))) or None
    return replace(result, expected=expected, observed=observed, detectable=detectable)


def texts_of(finding: Finding, declaration: Declaration | None = None) -> Texts:
    """Expected and observed: in the words of the check's declaration where it has some, else by kind of number."""
    own = {} if declaration is None else declaration.templates
    keys = (finding.fault.id if finding.fault else "", finding.estimate.measure.value)
    template = next((own[key] for key in keys if key in own), None)
    expected, observed = _plain_texts(finding) if template is None else _filled(finding, template)
    return expected, observed + _named(finding)


def _named(finding: Finding) -> str:
    """Which named alternative comes nearest, where another question stands out."""
    if "nearest" in finding.texts:
        return f"; no named fault fits, {finding.texts['nearest']} the nearest"
    if finding.estimate.measure is Measure.ALTERNATIVE or finding.fault is None or not finding.fault.title:
        return ""
    return f"; the nearest named fault is: {' or '.join(one.title for one in (finding.fault, *finding.nearest))}"


def _filled(finding: Finding, template: Texts) -> Texts:
    e = finding.estimate
    fields = {"quantity": finding.quantity, "expected": e.expected, "observed": e.observed, "error": e.error}
    fields |= {"count": e.count, **e.numbers, **finding.texts}
    return template[0].format(**fields), template[1].format(**fields)


def _plain_texts(finding: Finding) -> Texts:
    sentence = _SENTENCES[finding.estimate.measure]
    if finding.estimate.measure is Measure.VARIANCE and "scores" in finding.texts:
        sentence = _variance_of_scores
    expected, observed = sentence(finding.estimate)
    if finding.estimate.measure is Measure.ALTERNATIVE:
        return expected, f"{observed} ({finding.quantity})" if finding.quantity else observed
    return f"{finding.quantity}: {expected}", f"{finding.quantity}: {observed}"


def _variance(e: Estimate) -> Texts:
    return "variance 1 (of the claimed)", f"variance {e.observed:.4g} of the claimed, over {e.count} innovations"


def _variance_of_scores(e: Estimate) -> Texts:
    """Of noise that is not normal: its normal scores have another variance than it has itself."""
    return "variance 1 (of its normal scores)", f"variance {e.observed:.4g} of its {e.count} normal scores"


def _shift(e: Estimate) -> Texts:
    return "no shift", f"shifted by {e.observed:.4g} standard deviations"


def _slope(e: Estimate) -> Texts:
    return "no dependence (slope 0)", f"slope {e.observed:.4g}, in standard deviations per standard deviation"


def _scale(e: Estimate) -> Texts:
    return "scale 1 (of the claimed)", f"scale {e.observed:.4g} of the claimed, over {e.count} numbers"


def _events(e: Estimate) -> Texts:
    return f"{e.expected:.1f} of {e.count}", f"{e.observed:.0f} of {e.count}"


def _odds(e: Estimate) -> Texts:
    assert e.observed is not None
    change, factor = ("larger", e.observed) if e.observed > 1 else ("smaller", 1 / e.observed)
    happened = f", {e.numbers['happened']:.0f} of {e.count}" if "happened" in e.numbers else ""
    foreseen = f", {e.numbers['foreseen']:.1f} of {e.count}" if "foreseen" in e.numbers else ""
    return f"odds as claimed{foreseen}", f"odds {change} than claimed, by a factor of about {factor:.3g}{happened}"


def _share(e: Estimate) -> Texts:
    if "low" not in e.numbers:
        return f"probability {e.expected:.4g}", f"a share of {e.observed:.4g} of {e.count}"
    between = f"between the quantiles {e.numbers['low']:.4g} and {e.numbers['high']:.4g}"
    return f"a share of {e.expected:.4g} {between}", f"a share of {e.observed:.4g} there, of {e.count} numbers"


def _correlation(e: Estimate) -> Texts:
    lag = f" at distance {e.numbers['lag']:.0f}" if "lag" in e.numbers else ""
    return "correlation 0", f"correlation {e.observed:.4g}{lag}"


def _alternative(e: Estimate) -> Texts:
    said = [f"{alternative_of(id).title} is e^{e.numbers[id]:.3g} times likelier" for id in e.alternatives]
    return "the claimed law", f"{', '.join(said)} than the claimed law"


def _plain(e: Estimate) -> Texts:
    return f"{e.expected:.6g}" if e.expected is not None else "", f"{e.observed:.6g}" if e.observed is not None else ""


def _count(e: Estimate) -> Texts:
    return "none", f"{e.observed:.0f} of {e.count}" if e.count is not None else f"{e.observed:.0f}"


_SENTENCES: dict[Measure, Callable[[Estimate], Texts]] = {
    Measure.VARIANCE: _variance,
    Measure.SHIFT: _shift,
    Measure.SLOPE: _slope,
    Measure.SCALE: _scale,
    Measure.EVENTS: _events,
    Measure.ODDS: _odds,
    Measure.SHARE: _share,
    Measure.CORRELATION: _correlation,
    Measure.ALTERNATIVE: _alternative,
    Measure.COUNT: _count,
    Measure.MEAN: _plain,
    Measure.EPSILON: _plain,
    Measure.PROBABILITY: _plain,
    Measure.VALUE: _plain,
}


def worth_saying(size: Size) -> bool:
    """Whether a size says something: a variance that is off by more would be seen without a test."""
    return PER_CENT.get(size.unit, 0.0) * size.value <= LARGEST_PER_CENT


def size_text(size: Size) -> str:
    """What would have been refuted."""
    value = size.value
    match size.unit:
        case "relative":
            return f"{size.quantity} off by {_two_digits(100 * value)} %"
        case "%":
            return f"{size.quantity} above {_two_digits(value)} %"
        case "probability" | "correlation":
            return f"{size.quantity} off by {value:.2g}"
        case "ε":
            return f"{size.quantity} above {value:.3g}"
        case "δ":
            # A thousandth above δ is told from δ.
            return f"{size.quantity} above {value:.4g}"
        case "streams":
            return f"fewer than {value:.2g} {size.quantity}"
        case "count" if value == 1:
            return f"a single {size.quantity}"
        case _:
            return f"{size.quantity} above {value:.2g}"


def _two_digits(value: float) -> str:
    """Two digits, and never 1.2e+02."""
    return f"{value:.2g}" if value < 99.5 else f"{float(f'{value:.2g}'):.0f}"


def place_text(place: Place) -> str:
    """Where a fault is seen."""
    wrong, right = place.wrong, place.right
    match place.kind:
        case "dimension":
            return "in " + _listed("dimension", [f"{level:.0f}" for level in wrong])
        case "method":
            return "through " + " and ".join(f"{METHOD_LEVELS[int(level)]}()" for level in wrong)
        case "release" if wrong == (1.0,):
            return "at the first release"
        case "release" if min(wrong) > max(right):
            return f"from release {min(wrong):.0f} on"
        case "release":
            return "at " + _listed("release", [f"{level:.0f}" for level in wrong])
        case "time" if min(wrong) > max(right):
            return f"at times from {10.0 ** min(wrong):g} on"
        case "time" if max(wrong) < min(right):
            return f"at times below {10.0 ** (max(wrong) + 1):g}"
        case _:
            return "at times " + " and ".join(f"from {10.0**level:g} to {10.0 ** (level + 1):g}" for level in wrong)


def _listed(what: str, names: list[str]) -> str:
    return f"{what}{'s' if len(names) > 1 else ''} {', '.join(names)}"
