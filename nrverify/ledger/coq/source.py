"""A Coq file as text: comments, words that no file may have, what it requires and what it defines."""

from __future__ import annotations

import re
from pathlib import Path

FORBIDDEN = (
    "Admitted",
    "admit",
    "give_up",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Conjectures",
    "Primitive",
    "Module",
    "Load",
    "Redirect",
    "Cd",
    "bypass_check",
    "Unset",
    "Drop",
    "native_compute",
    "Declare",
)
"""Words by which a file could assume, switch checks off, or shadow the name of an axiom that is allowed (`Module`). The
gate to trust is `Print Assumptions`; this one is cheap, and names the word."""

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
INTERVAL = re.compile(r"\b(?:interval|integral|interval_intro|integral_intro)\b(?!_)")
PRECISION = re.compile(r"\s*with\s*\([^)]*\bi_prec\b")
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
    for word in WORD.findall(code):
        if word in FORBIDDEN:
            return str(word)
    for use in INTERVAL.finditer(code):
        if not PRECISION.match(code, use.end()):
            return f"{use[0]} without i_prec, which lets hardware floats decide"
    return ""


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
