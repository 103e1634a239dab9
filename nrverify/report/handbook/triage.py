"""The page of triage, made from the table of faults: how a fault looks, where to look, an experiment to confirm it."""

from __future__ import annotations

from nrverify.auditing.core.faults import Fault, known_faults
from nrverify.auditing.core.faults.forms import FORMS
from nrverify.auditing.explain.experiments import EXPERIMENTS, THRESHOLD_LAW, Experiment, experiment_of

_INTRODUCTION = """\
# Triage: from a fault to its line of code

A refuted check names a *fault*, by a permanent id (`"fault"` in JSON, `nrverify explain FAULT`). Below, faults that
show in the same way stand together: how they look in a report, two lines that confirm them without nrverify's checks,
then each fault with its likely cause, where to look, and what an attacker gains.

Each experiment prints what is seen, and what is claimed. It starts from

```python
import numpy as np
from mine import MyBrownian as Subject  # your own

subject, value = Subject(), np.zeros(2)
```

`sample(value, schedule, sessions, seed)` gives an array (sessions, releases, coordinates); for a subject that offers
`open` alone, collect releases in a loop. Random differences are below a few per cent at these numbers of draws; smaller
faults need an audit.

If none of it fits: replay the run (`nrverify replay FILE`), look at the page (`--html page.html`), and compare one
session step by step with a bridge written down by hand."""


def triage_page() -> str:
    """The page, as Markdown."""
    faults = known_faults()
    shown: dict[int, list[Fault]] = {}
    for fault in faults.values():
        shown.setdefault(id(experiment_of(fault)), []).append(fault)
    groups = [_group(one, shown.get(id(one), [])) for one in EXPERIMENTS]
    helper = (
        f"## The law of thresholds\n\nThe function `law` of the experiments above:\n\n```python\n{THRESHOLD_LAW}```"
    )
    return "\n\n".join([_INTRODUCTION, *groups, helper]) + "\n"


def _group(experiment: Experiment, faults: list[Fault]) -> str:
    head, _, checks = experiment.symptom.partition(" (")
    parts = [f"## {head.rstrip('.')}"]
    if checks:
        parts.append(f"Seen in {checks.rstrip('.').rstrip(')')}.")
    parts.append(f"```python\n{experiment.code}\n```")
    if experiment.about:
        parts.append(experiment.about)
    parts += [_row(fault) for fault in faults]
    return "\n\n".join(parts)


def _row(fault: Fault) -> str:
    rows = [f"**Likely cause:** {fault.cause}.", f"**If so:** {fault.consequence}."]
    if fault.look:
        rows.insert(1, f"**Look at:** {fault.look}.")
    forms = FORMS.get(fault.id, ())
    if forms:
        rows.append("**Particular forms:** " + ", ".join(f"[`{form}`](#{form})" for form in forms) + ".")
    return f"### `{fault.id}`\n\n" + "  \n".join(rows)
