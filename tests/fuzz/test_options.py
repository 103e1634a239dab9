"""Options of `nrverify audit` with any values: understood, or a usage error; never an internal error."""

import click
import pytest

from nrverify.auditing.core.settings import Settings
from nrverify.commands.audit import command
from tests.fuzz.fuzzing import MANY, corpus, fresh

OPTIONS = (
    *("--alpha", "--samples", "--budget", "--timeout", "--seed", "--check", "--jobs", "--scheduler", "--engine"),
    *("--claim", "--claim", "--numerics", "--law", "--trace", "--record", "--json"),
)
FLAGS = ("--smoke", "--plan", "--keep-going", "--table", "--no-record", "--quiet", "--verbose", "--github")
VALUES = (
    *("", "-", "0", "-0", "1", "-1", "1.5", "1e-6", "1e400", "-1e400", "nan", "inf", "-inf", "1_000", "0x10", "²", "٣"),
    *("9" * 25, "9" * 5000, "random", "dask", "local", "law.release", "law.relaese", "\x1b[2J", "\u202e", "\udc80"),
    *("1e6", "1e10", "1e300", "4" * 19, str(2**63), str(2**63 - 1), "１２", " 1 ", "1\n", "tcp://127.0.0.1:9", "None"),
    *("1,1e-5", "1,", ",", ",,", "1,1", "1,-1", "nan,nan", "0,0", "1e-300", "701", "1,0,0", "1;2", "1,١", "inf,0"),
    *("exact", "idealized", "EXACT", "python:nowhere:Nothing", "privacy.claim", "numerics.last-bits", "/", "."),
)


def tried(arguments):
    """What the options come to, up to where an audit would begin."""
    words, code = "understood", 0
    try:
        context = command.make_context("audit", ["python:nowhere:Nothing", *arguments])
        found = context.params
        names = ("alpha", "samples", "budget", "timeout", "seed", "numerics", "claim")
        Settings(**{name: found[name] for name in names})
    except (click.ClickException, ValueError) as mistake:
        words = str(mistake)
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    assert words
    assert code == 0


@pytest.mark.parametrize("arguments", corpus("options"))
def test_options_that_once_failed(arguments):
    tried([word.replace("NINES", "9" * 5000) for word in arguments])


@pytest.mark.slow
def test_any_options_are_understood_or_a_usage_error():
    rng = fresh()
    for _ in range(MANY):
        chosen = rng.choices(OPTIONS, k=rng.randrange(1, 5))
        given = [word for option in chosen for word in (option, rng.choice(VALUES))]
        tried([*given, *rng.sample(FLAGS, rng.choice([0, 0, 1, 2]))])
