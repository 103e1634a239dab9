"""A Coq file as text: comments, sentences that no file may have, what it requires and what it defines."""

from __future__ import annotations

import re
from pathlib import Path

SENTENCES = frozenset(
    (
        *("From", "Import", "Open", "Section", "End", "Variable", "Variables", "Hypothesis"),
        *("Definition", "Fixpoint", "Record", "Inductive", "Lemma", "Theorem", "Proof", "Qed"),
    )
)
"""What a sentence may begin with, unless it is a tactic, which begins with a small letter. Nothing else is needed, so
that nothing can be assumed, admitted, switched off, or given a second meaning by a notation; and what is defined is
pinned. The gate to trust is `Print Assumptions`; this one is cheap, and names the word."""

COMPILED = ("native_compute", "native_cast_no_check")
"""Tactics whose results a compiler of OCaml decides, and not the kernel."""

SENTENCE_ENDS = re.compile(r"\.(?=\s|$)")
BEGINS = re.compile(r"(?:[\s{}*+-]|\d+(?:,\s*\d+)*\s*:)*([A-Za-z_]\w*|\S)?")
"""The first word of a sentence, after bullets and numbers of goals."""

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
HEADER = re.compile(r"^(?:From \w+ Require Import [^.]*|Import \w+|Open Scope \w+)\.$", re.M)
REQUIRED = re.compile(r"^From nrverify Require Import ([^.]*)\.$", re.M)
DEFINED = re.compile(r"^\s*(?:Definition|Fixpoint|Record|Inductive)\s+([A-Za-z_][A-Za-z0-9_']*)", re.M)
PROVED = re.compile(r"^\s*Theorem\s+([A-Za-z_][A-Za-z0-9_']*)", re.M)


def code_of(text: str) -> str:
    """The text without comments, which nest, and without what strings say."""
    kept: list[str] = []
    depth, place, quoted = 0, 0, False
    while place < len(text):
        two = text[place : place + 2]
        if text[place] == '"':
            quoted = not quoted
            place += 1
            continue
        if not quoted and two in ("(*", "*)"):
            depth = depth + 1 if two == "(*" else max(depth - 1, 0)
            place += 2
            continue
        if depth == 0 and not quoted:
            kept.append(text[place])
        place += 1
    return "".join(kept)


def forbidden_word(text: str) -> str:
    """The first thing in a file that no file may have; empty where there is none."""
    code = code_of(text)
    for sentence in SENTENCE_ENDS.split(code):
        begins = BEGINS.match(sentence)
        word = (begins[1] or "") if begins else ""
        if word and not word[0].islower() and word not in SENTENCES and word != "(":
            return word
    return next((str(word) for word in WORD.findall(code) if word in COMPILED), "")


def header_of(text: str) -> str:
    """The lines that load libraries and open scopes: statements are printed in their notation."""
    return "\n".join(HEADER.findall(code_of(text)))


def defined_in(text: str) -> tuple[str, ...]:
    """Names of definitions, in their order."""
    return tuple(DEFINED.findall(code_of(text)))


def theorems_in(text: str) -> tuple[str, ...]:
    """Names of theorems, in their order; lemmas are steps towards them."""
    return tuple(PROVED.findall(code_of(text)))


def with_required(source: Path) -> tuple[Path, ...]:
    """A file after all the files beside it that it requires, each once."""
    found: dict[Path, None] = {}
    for line in REQUIRED.findall(code_of(source.read_text("utf-8"))):
        for name in line.split():
            found.update(dict.fromkeys(with_required(source.with_name(f"{name}.v"))))
    found[source] = None
    return tuple(found)
