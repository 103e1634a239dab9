"""A folder in which Coq files are compiled and asked; the gates that a file must pass before anything rests on it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from nrverify.ledger.coq import coqc
from nrverify.ledger.coq.goals import Question, file_of
from nrverify.ledger.coq.source import defined_in, forbidden_word, header_of, with_required
from nrverify.ledger.evidence import Core, Undecided

CLASSICAL = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms of Coq's real numbers."""

MACHINE_INTEGERS = re.compile(r"(?:PrimInt63|Uint63|Sint63|CarryType|Uint63Axioms)\.\w+|(?:int|carry)")
"""63-bit integers and their specification, on which Interval computes; hardware floats are not among them."""


class Workshop:
    """Compiled files of one piece of evidence; as a context manager it leaves nothing behind."""

    def __init__(self) -> None:
        self._temporary = TemporaryDirectory(prefix="nrverify-kernel-")
        self.folder = Path(self._temporary.name)
        self._passed: dict[Core, str] = {}
        self._asked = 0
        self.foreseen: dict[Question, None] = {}
        """Proofs that the forms of the evidence will need, in their order."""
        self.proved: frozenset[Question] = frozenset()
        """Those of them that Coq has accepted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._temporary.cleanup()

    def pass_gates(self, core: Core) -> str:
        """The statements of the cited theorems as Coq prints them; `Undecided` names the gate that refuses."""
        if core not in self._passed:
            self.build(core.source)
            printed = self.statements(core)
            check_pinned(core, printed)
            self._passed[core] = printed
        return self._passed[core]

    def build(self, source: Path) -> None:
        """Compiles a file and what it requires."""
        for path in with_required(source):
            text = path.read_text("utf-8")
            if word := forbidden_word(text):
                raise Undecided(f"{path.name} has the word {word!r}: a file for the kernel may not")
            copy = self.folder / path.name
            if not copy.exists():
                copy.write_text(text, "utf-8")
                answer = coqc.compile_file(self.folder, path.name)
                if not answer.accepted:
                    raise Undecided(f"coqc refuses {path.name}: {answer.error}")

    def statements(self, core: Core) -> str:
        """Asks Coq for the statements and the definitions, in their notation and without any, and for the axioms."""
        sources = with_required(core.source)
        prefixes = [f"nrverify.{path.stem}" for path in sources]
        defined = [(p, name) for p, path in zip(prefixes, sources, strict=True) for name in _defined(path)]
        theorems = [f"{prefixes[-1]}.{name}" for name in core.theorems]
        lines = ["Set Printing Width 118.", *(f"Require {prefix}." for prefix in prefixes)]
        lines += ["Set Printing All."]
        lines += [f'Redirect "full{i}" Check {name}.' for i, name in enumerate(theorems)]
        lines += [f'Redirect "body{i}" Print {prefix}.{name}.' for i, (prefix, name) in enumerate(defined)]
        lines += ["Unset Printing All.", header_of(core.source.read_text("utf-8"))]
        lines += [f"Import {prefixes[-1]}."]
        lines += [f'Redirect "said{i}" Check {name}.' for i, name in enumerate(theorems)]
        own = [name for prefix, name in defined if prefix == prefixes[-1]]
        lines += [f'Redirect "means{i}" Print {name}.' for i, name in enumerate(own)]
        lines += [f"Definition cited := ({', '.join(theorems)}).", 'Redirect "axioms" Print Assumptions cited.']
        answer = self._ask_with_proofs(core, "\n".join(lines) + "\n")
        if not answer.accepted:
            raise Undecided(f"coqc does not know what {core.file} is cited for: {answer.error}")
        check_axioms(core, self._out("axioms"))
        full = [self._out(f"full{i}") for i in range(len(theorems))] + [
            self._out(f"body{i}") for i in range(len(defined))
        ]
        said = [self._out(f"said{i}") for i in range(len(theorems))] + [self._out(f"means{i}") for i in range(len(own))]
        return pinned_text(core, said, full)

    def _ask_with_proofs(self, core: Core, text: str) -> coqc.Answer:
        """The foreseen proofs come last, where they change nothing that is printed; if one fails, none counts."""
        proofs = file_of(core.source.stem, self.foreseen) if self.foreseen else ""
        if proofs and not forbidden_word(proofs):
            answer = self.ask(text + proofs)
            if answer.accepted:
                self.proved = frozenset(self.foreseen)
                return answer
        return self.ask(text)

    def ask(self, text: str) -> coqc.Answer:
        """coqc on a text of our own, beside the compiled files."""
        self._asked += 1
        name = f"ask{self._asked}.v"
        (self.folder / name).write_text(text, "utf-8")
        return coqc.compile_file(self.folder, name)

    def _out(self, name: str) -> str:
        return (self.folder / f"{name}.out").read_text("utf-8").strip()


def _defined(path: Path) -> tuple[str, ...]:
    return defined_in(path.read_text("utf-8"))


def check_axioms(core: Core, answer: str) -> None:
    """Raises `Undecided` unless everything that `Print Assumptions` lists is allowed."""
    listed = {line.split()[0] for line in answer.splitlines() if line and not line[0].isspace()}
    names = listed - {"Axioms:", "Closed"}
    computes = "Interval" in header_of(core.source.read_text("utf-8"))
    allowed = {name for name in names if name in CLASSICAL or (computes and MACHINE_INTEGERS.fullmatch(name))}
    if extra := sorted(names - allowed):
        raise Undecided(f"{core.file} rests on {', '.join(extra)}, beyond the axioms of the reals")


def pinned_text(core: Core, said: Sequence[str], full: Sequence[str]) -> str:
    """What is committed beside a file: its statements for a reader, and a digest of them without any notation."""
    digest = hashlib.sha256("\n\n".join(full).encode()).hexdigest()
    head = (
        f"The statements and definitions of {core.source.name}, as Coq {coqc.VERSION} prints them.\n"
        "Written by `python -m nrverify.ledger.coq.pin`; a change here is a change of what is proved.\n"
        f"SHA-256 of them without notations, with all that they are defined by: {digest}\n"
    )
    return "\n\n".join([head.strip(), *said]) + "\n"


def check_pinned(core: Core, printed: str) -> None:
    """Raises `Undecided` unless the statements are, to the letter, those that are committed."""
    committed = core.statements
    if not committed.exists():
        raise Undecided(f"{committed.name} is not there: the statements of {core.file} must be pinned in it")
    if committed.read_text("utf-8") != printed:
        raise Undecided(
            f"the statements of {core.file} are not those pinned in {committed.name}{_first_change(committed, printed)}"
        )


def _first_change(committed: Path, printed: str) -> str:
    old, new = (text.split("\n\n") for text in (committed.read_text("utf-8"), printed))
    for before, after in zip(old[1:], new[1:], strict=False):
        if before != after:
            return f": {' '.join(after.split())[:300]}"
    return "" if len(old) == len(new) else f": {len(new) - 1} of them, {len(old) - 1} are pinned"
