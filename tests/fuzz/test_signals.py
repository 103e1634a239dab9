"""Signals at random moments: the documented code, one line, and no process left, whatever was going on."""

import os
import signal
import time

import pytest

from tests.fuzz.fuzzing import MANY, fresh
from tests.support.commands import COMMANDS, PATIENCE, carrying, started, until

NAMES = ("verify", "audit", "audit with workers", "reproduce", "calibrate")
STARTED = 1.0
"""Seconds in which the interpreter has come to nrverify's own code: before, signals are Python's affair."""


@pytest.mark.slow
def test_a_signal_at_any_moment_ends_a_command_with_its_code(tmp_path, mark):
    rng = fresh()
    for _ in range(MANY // 500):
        name = rng.choice(NAMES)
        number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
        process = started(COMMANDS[name], tmp_path)
        time.sleep(STARTED + 6 * rng.random() ** 2)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
        code = -signal.SIGKILL if number == signal.SIGKILL else 128 + number
        assert process.returncode == code, (name, number, errors)
        assert errors == ("" if number == signal.SIGKILL else f"ended by {number.name}: no verdict\n"), (name, number)
        until(lambda: carrying(mark) == [])
