"""A law that raises, never answers or ends its process, wherever it is first looked at: exit 2 in words, in time."""

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES

LAW = """
import time
TOP

class Law:
    name = "own"

    def marginal(self, t):
        import scipy.stats

        return scipy.stats.norm(0, t**0.5)

    BODY
"""
SUBJECT = """
class Subject:
    mechanism = "own"

    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError("nothing is asked of it")
"""
HANGING = {
    "loading": ("time.sleep(1000)", ""),
    "making": ("", "def __init__(self): time.sleep(1000)"),
    "name": ("", "name = property(lambda self: time.sleep(1000))"),
    "range": ("", "range = property(lambda self: time.sleep(1000))"),
    "marginal": ("", "integer = True\n    def marginal(self, t): time.sleep(1000)"),
    "bridge": ("", "def bridge(self, s, t, given): time.sleep(1000)"),
}
RAISING = {
    "loading": ("raise KeyboardInterrupt", "", "KeyboardInterrupt"),
    "ending": ("import os; os._exit(0)", "", "exit code 0"),
    "anything": ("", "def __getattr__(self, name): raise RuntimeError('nothing here')", "nothing here"),
    "name": ("", "name = property(lambda self: 1 / 0)", "division by zero"),
    "a strange name": ("", "name = type('T', (str,), {'strip': lambda self: 1 / 0})('own')", "division by zero"),
    "range": ("", "range = property(lambda self: 1 / 0)", "division by zero"),
    "norm": ("", "norm = property(lambda self: 1 / 0)", "division by zero"),
    "bridge": ("", "bridge = property(lambda self: 1 / 0)", "division by zero"),
    "dying": ("", "def bridge(self, s, t, given): import os; os._exit(0)", "exit code 0"),
}
COMMANDS = {
    "law": lambda law, subject: ["law", law],
    "audit": lambda law, subject: ["audit", subject, "--law", law, "--no-record"],
    "plan": lambda law, subject: ["audit", subject, "--law", law, "--plan"],
    "smoke": lambda law, subject: ["audit", subject, "--law", law, "--smoke"],
}


def tried(laws):
    """Two laws with every command, all with an audit: all commands look at a law by one function."""
    return [
        (command, what) for what in laws for command in COMMANDS if command == "audit" or what in ("loading", "range")
    ]


def ended(folder, command, top, body, timeout):
    """What the command came to, with such a law."""
    (folder / "own_law.py").write_text(LAW.replace("TOP", top).replace("BODY", body))
    (folder / "subject.py").write_text(SUBJECT)
    law, subject = f"python:{folder / 'own_law.py'}:Law", f"python:{folder / 'subject.py'}:Subject"
    done = CliRunner().invoke(cli, [*COMMANDS[command](law, subject), "--timeout", str(timeout)])
    assert tuple(FAMILIES) == BUILT_IN
    return done


@pytest.mark.parametrize(("command", "what"), tried(HANGING))
def test_a_law_that_never_answers_is_none_after_the_timeout(command, what, tmp_path):
    done = ended(tmp_path, command, *HANGING[what], timeout=1)
    assert done.exit_code == 2, done.output
    assert "took longer than 1 seconds" in " ".join(done.output.split())


@pytest.mark.parametrize(("command", "what"), tried(RAISING))
def test_a_law_that_raises_or_ends_its_process_is_none_and_says_why(command, what, tmp_path):
    *law, words = RAISING[what]
    done = ended(tmp_path, command, *law, timeout=60)
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.output.split())
