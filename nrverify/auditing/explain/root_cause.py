"""Attribution: which refutation comes of which, so that a fault is named once and where it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nrverify.auditing.core.named_alternatives import FORGETFUL
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.value_in_clear import BARE
from nrverify.auditing.noise_reduction.checks.fingerprints import SIZES
from nrverify.auditing.noise_reduction.checks.lattice import MULTIPLES
from nrverify.auditing.noise_reduction.checks.streams import TRANSCRIPTS
from nrverify.auditing.noise_reduction.checks.value import PULL
from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import UNREPEATED
from nrverify.auditing.noise_reduction.diagnosis.second_moments import Suspect

REPEATED = "ties.repeated-time"
PRIMARY = (REPEATED, "law.release", "ties", "law.transcript", "law.adaptive")
SECONDARY = ("law.value", "independence.sessions", "independence.coordinates", "loss.stopping", "privacy.ex-post")
"""A fault of the law shows in these too: their own cause is named only when the law is not refuted."""
FORGETS = "some sessions forget what they released: too small a cache of sessions, or a path lost between releases"
ROUNDED = "releases on"
"""What the check of grids says where releases themselves lie on one."""
CLEARER = 1.2
"""A check that asks for the very fault has so much more evidence than those that see what comes of it."""
LAWS = ("law.release", "law.transcript", "law.adaptive", "ties", REPEATED, "law.value")
"""A fault that explains the second moments is named in the first of these that is refuted."""


@dataclass(frozen=True)
class Attribution:
    """The check that others come of, the fault that explains it, if one does, and which checks come of it."""

    source: str | None = None
    suspect: Suspect | None = None
    follow: frozenset[str] = field(default_factory=frozenset)


def attributed(results: Sequence[CheckResult], integer: bool) -> Attribution:
    """The attribution of refuted results; `integer` for noise of whole numbers."""
    refuted = {result.id: result.observed or "" for result in results if result.verdict is CheckVerdict.REFUTED}
    evidence = {result.id: result.statistic or 0.0 for result in results if result.id in refuted}
    source = _source(refuted, evidence, integer)
    if source is None:
        return Attribution()
    suspect = None
    if source in LAWS and (source != "law.value" or refuted.keys().isdisjoint(PRIMARY)):
        suspect = next((result.suspect for result in results if _explains(result.suspect, refuted)), None)
    if suspect is not None:
        source = next(id for id in LAWS if id in refuted)
        if FORGETFUL in refuted.get("law.transcript", "") and suspect.gain < evidence["law.transcript"]:
            # A mixture of two laws has second moments between theirs.
            suspect = replace(suspect, causes=(*suspect.causes, FORGETS))
    follow = _follow(source, refuted, suspect)
    # What has clearly more evidence than its source has a cause of its own.
    if suspect is None and evidence[source] and PULL not in refuted[source]:
        follow = {id for id in follow if evidence.get(id, 0.0) < CLEARER * evidence[source]}
    return Attribution(source, suspect, frozenset(follow))


def _source(refuted: Mapping[str, str], evidence: Mapping[str, float], integer: bool) -> str | None:
    """The refuted check that other refutations most likely come of, from what each observed and its log e-value."""
    streams = refuted.get("randomness.streams", "")
    # Whole numbers of a wrong law may come again by chance, where those of the claimed law would not.
    by_chance = integer and TRANSCRIPTS in streams and not refuted.keys().isdisjoint(PRIMARY)
    # Releases on a grid, or without noise, come again whatever their streams.
    lattice = refuted.get("lattice", "")
    on_grid = MULTIPLES in lattice and most(lattice)
    if streams and BARE in lattice:
        return "lattice"
    if streams and not by_chance and not on_grid and not any(name in streams for name in SIZES.values()):
        return "randomness.streams"
    if lattice and BARE not in lattice:
        return "lattice"
    laws = [evidence[id] for id in ("law.release", "law.transcript", "law.adaptive") if id in evidence]
    if PULL in refuted.get("law.value", "") or (laws and evidence.get("law.value", 0.0) >= CLEARER * max(laws)):
        return "law.value"
    return next((id for id in (*PRIMARY, "law.value") if id in refuted), None)


def most(observed: str) -> bool:
    """Whether "so many of so many" are most of them; where nothing is counted, all are."""
    counted = re.match(r"(\d+) of (\d+) ", observed)
    return counted is None or int(counted[1]) > 0.9 * int(counted[2])


def _explains(suspect: Suspect | None, refuted: Mapping[str, str]) -> bool:
    """Whether a fault that fits the second moments may be what went wrong, by what else was observed."""
    if suspect is None or PULL in refuted.get("law.value", ""):
        return False
    # A shift, or rare releases of another scale, are no matter of second moments.
    if any(words in text for text in refuted.values() for words in ("centre of", "one release in", "one session in")):
        return False
    # It says nothing of a time asked for again unless it changes those too, nor of coins that fall too often or seldom.
    coins = "ties on" in refuted.get("ties", "") and ": 0 of" not in refuted["ties"] and "law.release" not in refuted
    return not coins and (REPEATED not in refuted or suspect.causes[0] in UNREPEATED)


def _follow(source: str, refuted: Mapping[str, str], suspect: Suspect | None) -> set[str]:
    """Checks whose refutation comes of this one's."""
    others = {*PRIMARY, *SECONDARY} - {REPEATED}
    if source == "lattice" or any(name in refuted.get("randomness.streams", "") for name in SIZES.values()):
        # Noise on a grid, or cut off at a limit, repeats itself whatever its streams.
        others.add("randomness.streams")
    if source == "randomness.streams" or (suspect is not None and suspect.causes[0] in UNREPEATED):
        others.add(REPEATED)
    elif suspect is None and source not in ("lattice", "ties", "law.value"):
        others -= set(PRIMARY)
    return others - {source}
