"""One audit a gate, also where several processes run its items: the first audits, the others wait for its report."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from nrverify.auditing.core.report import Report, report_from


def once(folder: Path, key: str, audit: Callable[[], Report]) -> Report:
    """The report of the audit called `key`, from whichever process sharing the folder comes first.

    The lock belongs to the process: it ends with it, and a subject forked from it does not hold it. So whoever waits
    waits for an audit that goes on (and is limited by its own budget), and audits itself should the first have died.
    """
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    done = folder / f"{name}.json"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        if done.exists():
            return report_from(json.loads(done.read_text("utf-8")))
        report = audit()
        draft = folder / f"{name}.draft"
        draft.write_bytes(report.to_json().encode("utf-8", "backslashreplace"))
        draft.rename(done)
        return report
