"""Writes the pinned statements beside the Coq files: `python -m nrverify.ledger.coq.pin`, after a change of them."""

from __future__ import annotations

import sys

from nrverify.ledger.coq.coqc import missing
from nrverify.ledger.coq.workshop import Workshop
from nrverify.ledger.evidence import Undecided
from nrverify.ledger.suites import load_suites


def main() -> int:
    """Pins the statements of all kernel evidence; the exit code."""
    if words := missing():
        print(words, file=sys.stderr)
        return 2
    for item in load_suites().evidence:
        core = item.evidence.core
        if core is None:
            continue
        with Workshop() as workshop:
            try:
                workshop.build(core.source)
                core.statements.write_text(workshop.statements(core), "utf-8")
            except Undecided as refusal:
                print(f"{core.file}: {refusal}", file=sys.stderr)
                return 1
        print(f"pinned {core.statements.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
