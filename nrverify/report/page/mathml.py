"""LaTeX into MathML, so that a page shows mathematics without fetching anything: the subset the ledger uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from unicodedata import normalize

from nrverify.report.page.mathml_symbols import (
    ACCENTS,
    BOLD,
    DELIMITERS,
    DOUBLE,
    FUNCTIONS,
    LARGE,
    LETTERS,
    LIMITED,
    OPENING,
    OPERATORS,
    PAIRS,
    RAISED,
    SCRIPT,
    SIZES,
    SPACES,
)

TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)

END = "\\end"

OPENS = frozenset({"{", "(", "[", "\\{", "\\begin", "\\left", "\\bigl", "\\Bigl", "\\langle"})
CLOSES = frozenset({"}", ")", "]", "\\}", "\\end", "\\right", "\\bigr", "\\Bigr", "\\rangle"})

RELATIONS = frozenset(
    {"=", "<", ">", *(f"\\{name}" for name in ("le", "ge", "sim", "in", "to", "iff", "Longrightarrow"))}
)

ALPHABETS = {"mathcal": SCRIPT, "mathbb": DOUBLE, "mathbf": BOLD}


class Unreadable(ValueError):
    """The formula is outside the subset; whoever shows it falls back to its source."""


def mathml(latex: str, display: bool = True) -> str:
    """The formula as one <math> element; `Unreadable` when it is outside the subset."""
    parser = _Parser(TOKEN.findall(latex))
    row = parser.row(frozenset())
    if parser.peek() is not None:
        raise Unreadable(f"{latex!r}: {parser.peek()!r} closes nothing")
    block = ' display="block"' if display else ""
    return f"<math{block}>{row}</math>"


def pieces(latex: str) -> list[list[str]]:
    """The formula cut where a narrow page may break the line: at its widest spaces, and there before each relation."""
    parts: list[list[str]] = [[""]]
    depth = 0
    for token in TOKEN.findall(latex):
        depth += (token in OPENS) - (token in CLOSES)
        if depth == 0 and token in ("\\quad", "\\qquad"):
            parts.append([""])
        elif depth == 0 and token in RELATIONS and parts[-1][-1].strip():
            parts[-1].append(token)
        else:
            parts[-1][-1] += token
    return [part for part in parts if any(piece.strip() for piece in part)]


@dataclass
class _Parser:
    tokens: list[str]
    at: int = 0
    before: str = field(default="", init=False)
    """What stands before the next atom: nothing, an operand, or an operator; it tells a sign from a subtraction."""

    def peek(self, blanks: bool = False) -> str | None:
        """The next token that is not blank."""
        at = self.at
        while at < len(self.tokens) and self.tokens[at].isspace() and not blanks:
            at += 1
        return self.tokens[at] if at < len(self.tokens) else None

    def take(self) -> str:
        """The next token that is not blank, consumed."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        if self.at == len(self.tokens):
            raise Unreadable("the formula ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, wanted: str) -> None:
        """Consumes this very token."""
        if (token := self.take()) != wanted:
            raise Unreadable(f"{token!r} where {wanted!r} belongs")

    def row(self, ends: frozenset[str]) -> str:
        """Everything up to one of the tokens that end it, which stays."""
        self.before = ""
        return "".join(self._items(ends))

    def _items(self, ends: frozenset[str]) -> Iterator[str]:
        while (token := self.peek()) is not None and token not in ends:
            if token == "}":
                return
            if token == "\\textstyle":
                self.take()
                yield f'<mstyle displaystyle="false">{self.row(ends)}</mstyle>'
                return
            yield self.scripted()

    def scripted(self) -> str:
        """An atom with what is above and below it."""
        token = self.peek() or ""
        base = self.atom()
        below = token.removeprefix("\\").rstrip("*") in {*LARGE, *LIMITED} or token == "\\operatorname*"
        lower = upper = ""
        primes = ""
        state = self.before
        while (mark := self.peek()) is not None:
            if mark == "'":
                self.take()
                primes += "′"
            elif mark == "_" and not lower:
                self.take()
                lower = self.argument()
            elif mark == "^" and not upper:
                self.take()
                upper = self.argument()
            elif mark in RAISED and not upper:
                self.take()
                upper = f"<mn>{RAISED[mark]}</mn>" if mark != "ⁿ" else "<mi>n</mi>"
            else:
                break
        self.before = state
        if primes:
            upper = f"<mrow><mo>{primes}</mo>{upper}</mrow>"
        tag = {(True, False): "sub", (False, True): "sup", (True, True): "subsup"}.get((bool(lower), bool(upper)))
        if below and tag is not None:
            tag = {"sub": "under", "sup": "over", "subsup": "underover"}[tag]
        text = base if tag is None else f"<m{tag}>{base}{lower}{upper}</m{tag}>"
        name = token.removeprefix("\\").rstrip("*")
        return text + self._after_function() if name in FUNCTIONS or name == "operatorname" else text

    def _after_function(self) -> str:
        follows = self.peek()
        bare = follows is None or follows in DELIMITERS or follows in ("{", "}", "\\left", "_", "^", ",", "=")
        fenced = follows is not None and follows.removeprefix("\\") in {**SIZES, **PAIRS}
        return "<mo>\u2061</mo>" if bare or fenced else '<mspace width="0.1667em"></mspace>'

    def argument(self) -> str:
        """A group in braces, one digit or one atom: always one element."""
        if self.peek() == "{":
            self.take()
            row = self.row(frozenset({"}"}))
            self.expect("}")
            return f"<mrow>{row}</mrow>"
        self.before = ""
        if (self.peek() or "")[:1].isdigit():
            number = self.take()
            self.tokens[self.at - 1 : self.at] = list(number)
            return f"<mn>{number[0]}</mn>"
        return self.atom()

    def atom(self) -> str:
        """One atom, without scripts."""
        token = self.take()
        before, self.before = self.before, "operand"
        if token == "{":
            self.at -= 1
            group = self.argument()
            self.before = "operand"
            return group
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token == "-":
            self.before = "operator"
            return _operator("−", ' form="prefix"' if before != "operand" else "")
        if token in DELIMITERS and token != ".":
            self.before = "operator" if DELIMITERS[token] in OPENING else "operand"
            return _delimiter(DELIMITERS[token], 'stretchy="false"')
        if token.startswith("\\"):
            return self.command(token[1:])
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "=<>":
            self.before = "operator"
            return _operator(token, INFIX)
        if token in "+,;:!/*.":
            self.before = "operator" if token not in "!*." else "operand"
            return _operator({"*": "∗"}.get(token, token), SPACING.get(token, ""))
        raise Unreadable(f"{token!r} is not part of the subset")

    def command(self, name: str) -> str:
        """What a command stands for."""
        if name in LETTERS:
            upright = ' mathvariant="normal"' if name[0].isupper() else ""
            return f"<mi{upright}>{LETTERS[name]}</mi>"
        if name in OPERATORS:
            self.before = "operator"
            return _operator(OPERATORS[name], SPACING.get(name, INFIX if f"\\{name}" in RELATIONS else ""))
        if name in SPACES:
            self.before = "operator"
            return f'<mspace width="{SPACES[name]}em"></mspace>'
        if name in LARGE:
            self.before = "operator"
            return f"<mo>{LARGE[name]}</mo>"
        if name in FUNCTIONS:
            self.before = "operator"
            return f"<mi>{name}</mi>"
        if name in ALPHABETS:
            return f"<mi>{''.join(ALPHABETS[name].get(letter, letter) for letter in self.word())}</mi>"
        if name in SIZES:
            return self.sized(SIZES[name])
        if name in PAIRS:
            return self.fenced(PAIRS[name])
        if name not in STRUCTURES:
            raise Unreadable(f"\\{name} is not part of the subset")
        return STRUCTURES[name](self)

    def sized(self, size: float) -> str:
        """A delimiter of a given size."""
        token = self.take()
        if token not in DELIMITERS:
            raise Unreadable(f"{token!r} is not a delimiter")
        self.before = "operator" if DELIMITERS[token] in OPENING else "operand"
        return _delimiter(DELIMITERS[token], f'stretchy="true" symmetric="true" minsize="{size}em" maxsize="{size}em"')

    def word(self) -> str:
        """The letters of a group, as they stand."""
        if self.peek() != "{":
            return self.take()
        self.take()
        letters = ""
        while self.peek(blanks=True) != "}":
            if self.at == len(self.tokens):
                raise Unreadable("a group is not closed")
            token = self.tokens[self.at]
            self.at += 1
            if token == "\\,":
                letters += "\u2009"
            elif len(token) == 2 and token[0] == "\\" and token[1] in ACCENTS:
                letters += normalize("NFC", self.take() + ACCENTS[token[1]])
            elif token.startswith("\\") or token == "{":
                raise Unreadable(f"{token!r} inside words")
            else:
                letters += token
        self.take()
        return letters

    def fraction(self) -> str:
        above, below = self.argument(), self.argument()
        self.before = "operand"
        return f"<mfrac>{above}{below}</mfrac>"

    def small_fraction(self) -> str:
        return f'<mstyle displaystyle="false">{self.fraction()}</mstyle>'

    def root(self) -> str:
        degree = ""
        if self.peek() == "[":
            self.take()
            degree = self.row(frozenset({"]"}))
            self.expect("]")
        radicand = self.argument()
        self.before = "operand"
        return f"<mroot>{radicand}<mrow>{degree}</mrow></mroot>" if degree else f"<msqrt>{radicand}</msqrt>"

    def tilde(self) -> str:
        return f'<mover accent="true">{self.argument()}<mo stretchy="false">˜</mo></mover>'

    def text(self) -> str:
        self.before = "operator"
        return f"<mtext>{escape(self.word().replace(' ', chr(0xA0)))}</mtext>"

    def upright(self) -> str:
        word = escape(self.word())
        return f'<mi mathvariant="normal">{word}</mi>' if len(word) == 1 else f"<mi>{word}</mi>"

    def named(self) -> str:
        self.before = "operator"
        return f"<mi>{escape(self.word())}</mi>"

    def fenced(self, end: str) -> str:
        """A pair of delimiters as high as what they enclose."""
        opening = DELIMITERS.get(self.take())
        inside = self.row(frozenset({end}))
        self.expect(end)
        closing = DELIMITERS.get(self.take())
        if opening is None or closing is None:
            raise Unreadable("a pair of delimiters has none")
        self.before = "operand"
        return f"<mrow>{_fence(opening, 'prefix')}{inside}{_fence(closing, 'postfix')}</mrow>"

    def stack(self) -> str:
        self.expect("{")
        return f"<mtable>{self.rows('}')}</mtable>"

    def cases(self) -> str:
        if (name := self.word()) != "cases":
            raise Unreadable(f"\\begin{{{name}}} is not part of the subset")
        table = f'<mtable class="cases">{self.rows(END)}</mtable>'
        if self.word() != name:
            raise Unreadable("an environment is not closed")
        self.before = "operand"
        return f"<mrow>{_fence('{', 'prefix')}{table}</mrow>"

    def rows(self, end: str) -> str:
        """Rows and cells up to the token that ends them, which is consumed."""
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row(frozenset({"&", "\\\\", end})))
            token = self.take()
            if token == end:
                return "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
            if token == "\\\\":
                rows.append([])


STRUCTURES: dict[str, Callable[[_Parser], str]] = {
    "frac": _Parser.fraction,
    "tfrac": _Parser.small_fraction,
    "sqrt": _Parser.root,
    "widetilde": _Parser.tilde,
    "text": _Parser.text,
    "mathrm": _Parser.upright,
    "operatorname": _Parser.named,
    "operatorname*": _Parser.named,
    "substack": _Parser.stack,
    "begin": _Parser.cases,
}
"""Commands with arguments."""

INFIX = ' form="infix"'
"""Also where a relation opens a line."""

SPACING = {
    ":": ' lspace="0.12em" rspace="0.22em"',
    "/": ' lspace="0.05em" rspace="0.05em"',
    "*": ' lspace="0" rspace="0"',
    "!": ' lspace="0" rspace="0"',
    "mid": ' lspace="0.28em" rspace="0.28em" stretchy="false"',
    "exists": ' lspace="0" rspace="0.06em"',
    "forall": ' lspace="0" rspace="0.06em"',
}


def _operator(character: str, attributes: str = "") -> str:
    return f"<mo{attributes}>{escape(character)}</mo>"


def _delimiter(character: str, attributes: str) -> str:
    return f'<mo {attributes} lspace="0" rspace="0">{escape(character)}</mo>' if character else ""


def _fence(character: str, form: str) -> str:
    return _delimiter(character, f'stretchy="true" form="{form}"')
