"""`python -m tests.fuzz [MINUTES]`: the fuzzers on fresh seeds, round after round, until the minutes are over.

Each round is one seed, printed before it begins, and each file a process of its own, so that memory is told for each.
Ends with 1 where anything was found: `NRVERIFY_FUZZ_SEED=SEED NRVERIFY_FUZZ=SHARE pytest -m slow FILE` finds it again.
"""

import os
import resource
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("tests/fuzz/test_*.py"), *ROOT.glob("tests/*/*_fuzz.py")])
SHARE = "0.2"
"""Of the cases of a test run: a round comes to every file within a few minutes."""
MINUTES = 60.0


def tried(file: Path, seed: int) -> bool:
    """Whether the fuzzers of a file found nothing with this seed; what pytest says is printed where they did."""
    environment = {
        **os.environ,
        "NRVERIFY_FUZZ_SEED": str(seed),
        "NRVERIFY_FUZZ": os.environ.get("NRVERIFY_FUZZ", SHARE),
    }
    command = [sys.executable, "-m", "pytest", "-m", "slow", "-n", "0", "-q", "--hypothesis-seed", str(seed), str(file)]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    words = done.stdout.strip().rpartition("\n")[2]
    print(f"  {file}: {words} ({time.monotonic() - began:.0f} s; largest process so far {peak:,} KB)", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, flush=True)
    return done.returncode == 0


def main(minutes: float = MINUTES) -> int:
    """Rounds until the minutes are over; the last one is not begun anew, and ends with its file."""
    end, rounds, found = time.monotonic() + 60 * minutes, 0, []
    while time.monotonic() < end:
        seed, rounds = secrets.randbelow(2**32), rounds + 1
        print(f"round {rounds}: NRVERIFY_FUZZ_SEED={seed}", flush=True)
        for file in FILES:
            if time.monotonic() < end and not tried(file, seed):
                found.append((str(file), seed))
    print(f"{rounds} rounds in {minutes:g} minutes: {found or 'nothing found'}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
