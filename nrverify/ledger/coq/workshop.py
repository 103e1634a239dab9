"""A folder in which Coq files are compiled and asked; the gates that a file must pass before anything rests on it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from nrverify.ledger.coq import coqc
from nrverify.ledger.coq.goals import Question, file_of, tie_names
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

MACHINE_INTEGERS = ("PrimInt63.", "Uint63.")
"""What Interval computes on: integers of 63 bits, with specifications that are axioms. Ties of theorems to formulas and
numbers may rest on them, theorems may not. Hardware floats (`PrimFloat`), which Interval takes without `i_prec`, are
not among them."""

DEPTH = 100_000
"""Of printed terms: beyond its default of 50, Coq prints `...`, which would leave numerals of a statement unpinned."""


class Workshop:
    """Compiled files of some pieces of evidence; as a context manager it leaves nothing behind.

    What Coq is going to be asked is announced (`expect`), and asked in one run of coqc: each run loads the libraries,
    and each `Print Assumptions` walks through the theory of the reals, which takes longer than most proofs. When the
    run is refused, nothing of it counts, and every file is asked by itself, so that the one at fault is named.
    """

    def __init__(self) -> None:
        self._temporary = TemporaryDirectory(prefix="nrverify-kernel-")
        self.folder = Path(self._temporary.name)
        self._expected: dict[Core, dict[Question, None]] = {}
        self._printed: dict[Core, str] = {}
        self._asked = 0
        self.proved: set[tuple[Core, Question]] = set()
        """Proofs that were announced and that Coq accepts."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._temporary.cleanup()

    def expect(self, core: Core, questions: Sequence[Question]) -> None:
        """Announces proofs about the definitions of a file, to be asked together with all others."""
        self._expected.setdefault(core, {}).update(dict.fromkeys(questions))

    def pass_gates(self, core: Core) -> str:
        """The statements of the cited theorems as Coq prints them; `Undecided` names the gate that refuses."""
        self._ask_expected()
        if core not in self._printed:
            self.build(core.source)
            self._printed[core] = self.statements(core)
        check_pinned(core, self._printed[core])
        return self._printed[core]

    def build(self, source: Path) -> None:
        """Compiles a file and what it requires."""
        for path in with_required(source):
            text = path.read_text("utf-8")
            if word := forbidden_word(text):
                raise Undecided(f"{path.name} has the word {word!r}: a file for the kernel may not")
            copy = self.folder / path.name
            if not copy.with_suffix(".vo").exists():
                copy.write_text(text, "utf-8")
                answer = coqc.compile_file(self.folder, path.name)
                if not answer.accepted:
                    raise Undecided(f"coqc refuses {path.name}: {answer.error}")

    def statements(self, core: Core) -> str:
        """Asks Coq for the statements and the definitions, in their notation and without any, and for the axioms."""
        answer = self.ask("\n".join([*_required([core]), _inquiry(core), _axioms([core])]))
        if not answer.accepted:
            raise Undecided(f"coqc does not know what {core.file} is cited for: {answer.error}")
        check_axioms(core, self._out("axioms"))
        return self._pinned(core)

    def proves(self, core: Core, questions: Sequence[Question]) -> bool:
        """Whether Coq accepts proofs about the definitions of a file; `Undecided` if they rest on what they may not."""
        if not self.proved.issuperset((core, question) for question in questions):
            if not self.ask(file_of(core.source.stem, questions) + _tie_axioms(tie_names(questions))).accepted:
                return False
            check_axioms(core, self._out("ties"), MACHINE_INTEGERS)
        return True

    def ask(self, text: str) -> coqc.Answer:
        """coqc on a text of our own, beside the compiled files."""
        self._asked += 1
        name = f"ask{self._asked}.v"
        (self.folder / name).write_text(text, "utf-8")
        return coqc.compile_file(self.folder, name)

    def _ask_expected(self) -> None:
        """Statements, axioms and proofs of all announced files."""
        expected, self._expected = self._expected, {}
        cores = list(expected)
        if not cores:
            return
        try:
            for core in cores:
                self.build(core.source)
            text = [*_required(cores), *map(_inquiry, cores), _axioms(cores)]
            ties: list[str] = []
            for core in cores:
                module, questions = f"Proofs_{core.source.stem}", list(expected[core])
                text.append(_module(module, file_of(core.source.stem, questions)))
                ties += [f"{module}.{name}" for name in tie_names(questions)]
            if not self.ask("\n".join([*text, _tie_axioms(ties)])).accepted:
                return
            check_axioms(cores[0], self._out("axioms"))
            check_axioms(cores[0], self._out("ties"), MACHINE_INTEGERS)
        except Undecided:
            return
        self._printed.update({core: self._pinned(core) for core in cores})
        self.proved.update((core, question) for core in cores for question in expected[core])

    def _pinned(self, core: Core) -> str:
        stem = core.source.stem
        parts = {"full": len(core.theorems), "body": len(_all_defined(core))}
        full = [self._out(f"{stem}-{part}{i}") for part, count in parts.items() for i in range(count)]
        parts = {"said": len(core.theorems), "means": len(_defined(core.source))}
        said = [self._out(f"{stem}-{part}{i}") for part, count in parts.items() for i in range(count)]
        return pinned_text(core, said, full)

    def _out(self, name: str) -> str:
        return (self.folder / f"{name}.out").read_text("utf-8").strip()


def _required(cores: Sequence[Core]) -> list[str]:
    sources = dict.fromkeys(path.stem for core in cores for path in with_required(core.source))
    return [f"Require nrverify.{stem}." for stem in sources]


def _module(name: str, text: str) -> str:
    """In a module of its own, so that imports, scopes and tactics end with it."""
    return f"Module {name}.\n{text}End {name}.\n"


def _inquiry(core: Core) -> str:
    """Prints statements and definitions of a file, without any notation and in its own."""
    stem, theorems = core.source.stem, _theorems(core)
    lines = ["Set Printing Width 118.", f"Set Printing Depth {DEPTH}.", "Set Printing All."]
    lines += [f'Redirect "{stem}-full{i}" Check {name}.' for i, name in enumerate(theorems)]
    lines += [f'Redirect "{stem}-body{i}" Print {name}.' for i, name in enumerate(_all_defined(core))]
    lines += ["Unset Printing All.", header_of(core.source.read_text("utf-8")), f"Import nrverify.{stem}."]
    lines += [f'Redirect "{stem}-said{i}" Check {name}.' for i, name in enumerate(theorems)]
    lines += [f'Redirect "{stem}-means{i}" Print {name}.' for i, name in enumerate(_defined(core.source))]
    return _module(f"Inquiry_{stem}", "\n".join(lines) + "\n")


def _axioms(cores: Sequence[Core]) -> str:
    cited = ", ".join(name for core in cores for name in _theorems(core))
    return f'Definition cited := ({cited}).\nRedirect "axioms" Print Assumptions cited.\n'


def _tie_axioms(ties: Sequence[str]) -> str:
    return f'Definition ties := ({", ".join(ties)}).\nRedirect "ties" Print Assumptions ties.\n' if ties else ""


def _theorems(core: Core) -> list[str]:
    return [f"nrverify.{core.source.stem}.{name}" for name in core.theorems]


def _all_defined(core: Core) -> list[str]:
    return [f"nrverify.{path.stem}.{name}" for path in with_required(core.source) for name in _defined(path)]


def _defined(path: Path) -> tuple[str, ...]:
    return defined_in(path.read_text("utf-8"))


def check_axioms(core: Core, answer: str, allowed: tuple[str, ...] = ()) -> None:
    """Raises `Undecided` unless everything that `Print Assumptions` lists is allowed, as are names that begin so."""
    listed = {line.split()[0] for line in answer.splitlines() if line and not line[0].isspace()}
    found = listed - {"Axioms:", "Closed"} - CLASSICAL
    if extra := sorted(name for name in found if not name.startswith(allowed)):
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
