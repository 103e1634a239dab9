"""The guardian: a small process that ends what another has started, should that one be killed.

Run as a script by `guardian.py`, with the standard library alone. On standard input it is told what to keep in mind:
`+ PID MARK`, `- PID`, and of folders of temporary files `folder+ PATH`, `folder- PATH` with the path as a JSON string.
The end of input means that the process it guards has ended: what is still kept in mind then is killed, and removed.
"""

from __future__ import annotations

import importlib
import json
import shutil
import signal
import sys

# The folder of a script is on its path, the package may not be.
descendants = importlib.import_module("descendants" if __name__ == "__main__" else "nrverify.processes.descendants")


def main() -> None:
    """Listens until the end of input, then ends what is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    kept: dict[int, tuple[str | None, str | None]] = {}
    folders: set[str] = set()
    for line in iter(sys.stdin.readline, ""):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "+":
            pid, _, mark = rest.partition(" ")
            kept[int(pid)] = (mark or None, descendants.started_at(int(pid)))
        elif word == "-":
            kept.pop(int(rest), None)
        elif word == "folder+":
            folders.add(json.loads(rest))
        elif word == "folder-":
            folders.discard(json.loads(rest))
    for pid, (mark, started) in kept.items():
        if started is not None or mark is not None:
            descendants.end(pid, mark, started)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
