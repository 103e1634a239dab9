"""Fuzzing: a seed, printed, a number of cases, limits of memory, and a corpus of everything that once failed.

The seed is fixed, so that a test run can be repeated; `NRVERIFY_FUZZ_SEED=random` draws a new one, a number repeats it.
`NRVERIFY_FUZZ` multiplies the number of cases. What fails is added to `corpus/`
under its kind, and is then tried first, and in the first tier too.
"""

import json
import os
import random
import resource
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nrverify.auditing.core.report import Report

MANY = int(10_000 * float(os.environ.get("NRVERIFY_FUZZ", "1")))
"""Cases of a cheap kind."""
MOST_GROWTH = 500 * 2**10
"""KB that this process may grow by: the largest input is below a tenth of it."""
FIXED = "20261118"
"""The seed of test runs."""
CORPUS = Path(__file__).parent / "corpus"


def fresh(part: str = "") -> random.Random:
    """Random numbers from a seed that a failure shows, as it is printed; each part of a test has its own."""
    given = os.environ.get("NRVERIFY_FUZZ_SEED") or FIXED
    seed = secrets.randbelow(2**32) if given == "random" else int(given)
    print(f"NRVERIFY_FUZZ_SEED={seed}")
    return random.Random(f"{seed} {part}" if part else seed)


def corpus(kind: str) -> list:
    """What once failed, of this kind."""
    return json.loads((CORPUS / f"{kind}.json").read_text("utf-8"))


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Fails where this process grows beyond what its inputs are."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_GROWTH


def concluded(report: Report) -> bool:
    """Whether an audit came to a verdict that can be written down, or says in one sentence why not."""
    json.loads(report.to_json())
    assert str(report)
    if report.verdict == "errored":
        return report.exit_code == 3 and one_sentence(report.message or "")
    return report.exit_code in (0, 1, 4)


def one_sentence(words: str) -> bool:
    """Whether it is one: not empty, not long, on one line, without commands to a terminal."""
    return 0 < len(words) < 1500 and words.isprintable()
