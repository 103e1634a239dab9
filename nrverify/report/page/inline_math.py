"""Plain-text mathematics inside sentences, set as mathematics: scripts raised and lowered, variables in italics.

The ledger writes `T_{n+1}(β_{1:n}) ≤ T_n`, `e^{−2ab}`, `p^{f(x)}_{T_n}`; a reader should see them set.
"""

from __future__ import annotations

import re
from collections.abc import Container
from html import escape

PIECE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|(?P<double>\b0x[0-9a-f]+(?:\.[0-9a-f]+)?p[-+]\d+)"
    r"|(?P<name>\b[A-Za-z]{2,}(?:_[A-Za-z]{2,})+\b(?:\([^()]*\))?)"
    r"|(?P<claim>\b[PBMANRE]\d\d\b)"
    r"|(?P<number>\d+(?:\.\d+)?e[-+−]?\d+\b)"
    r"|(?P<script>[_^](?=[{A-Za-z0-9*+∞α-ωΑ-Ω∗ℓ]|[-−]\d))"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵗˣᵀ]+)"
    r"|(?P<lowered>[₀₁₂₃₄₅₆₇₈₉₊₋]+)"
    r"|(?P<prime>')"
    r"|(?P<word>[A-Za-zÀ-ÖØ-öø-ÿ]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)

RAISED = str.maketrans(
    {**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ", "0123456789+−T", strict=True)), "ⁿ": "<i>n</i>", "ᵗ": "<i>t</i>", "ˣ": "<i>x</i>"}
)
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+−")
"""Fonts rarely have all of these characters, and never alike: they are set as scripts."""

SCRIPT = re.compile(r"[A-Za-z]+|[-−]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?|.", re.DOTALL)

ARTICLE_FOLLOWS = re.compile(r" [A-Za-zα-ωΔ0-9]")

NOT_AFTER_AN_ARTICLE = re.compile(r" (?:is|are|has|and|or|to|in|with|of|for|at|when|has|must|gives)\b")

PRODUCTS = frozenset({"ab", "abt", "at", "st", "ds", "du", "dt", "xx", "yx", "dy", "uv", "nx"})
"""Short words that are products of variables where an operator stands next to them."""

BESIDE_A_PRODUCT = re.compile(r"(?:[_^/²⁺ᵀ)·]| [+−=<>≤≥·])")

REALS = re.compile(r"(?:_\{[≥>]|\^d|ⁿ)")


def set_prose(text: str, ids: Container[str] = ()) -> str:
    """The text as HTML, escaped, its mathematics set; the id of a claim among `ids` leads to it."""
    return _set(" ".join(text.split()), ids)


def _set(text: str, ids: Container[str] = ()) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        match = PIECE.match(text, at)
        assert match is not None
        at = match.end()
        if code := match["code"] or match["double"] or match["name"]:
            out.append(f"<code>{escape(code)}</code>")
        elif match["number"]:
            out.append(_power_of_ten(match["number"]))
        elif match["script"]:
            scripts, at = _scripts(text, match.start())
            out.append(scripts)
        elif match["raised"]:
            out.append(f"<sup>{match['raised'].translate(RAISED)}</sup>")
        elif match["lowered"]:
            out.append(f"<sub>{match['lowered'].translate(LOWERED)}</sub>")
        elif match["prime"]:
            out.append(_apostrophe(text, match.start()))
        elif match["word"]:
            out.append(_word(text, match.start(), match["word"]))
        elif match["claim"]:
            id = match["claim"]
            out.append(f'<a href="#{id}">{id}</a>' if id in ids else id)
        else:
            out.append(_character(text, match.start()))
    return "".join(out)


def _power_of_ten(number: str) -> str:
    """1e-6 as 10⁻⁶."""
    mantissa, exponent = number.split("e")
    power = f"10<sup>{int(exponent.replace('−', '-'))}</sup>".replace("-", "−")
    return power if mantissa == "1" else f"{mantissa}·{power}"


def _scripts(text: str, at: int) -> tuple[str, int]:
    """One script, or a raised and a lowered one above each other; and where the text goes on."""
    found: dict[str, str] = {}
    while at < len(text) and text[at] in "_^" and text[at] not in found and at + 1 < len(text):
        mark = text[at]
        if text[at + 1] == "{":
            end = _closing(text, at + 1)
            found[mark], at = _set(text[at + 2 : end]), end + 1
        else:
            script = SCRIPT.match(text, at + 1)
            assert script is not None
            found[mark], at = _set(script[0]), script.end()
    above = f"<sup>{found['^']}</sup>" if "^" in found else ""
    below = f"<sub>{found['_']}</sub>" if "_" in found else ""
    if not above or not below:
        return above or below, at
    return f'<span class="scripts">{above}{below}</span>', at


def _closing(text: str, opening: int) -> int:
    """Where the brace closes; the end of the text if it never does."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _apostrophe(text: str, at: int) -> str:
    """A prime after a variable, an apostrophe or a quotation mark elsewhere."""
    single = at > 0 and (
        text[at - 1] in ")}′'" or (text[at - 1].isalpha() and not text[max(0, at - 2) : at - 1].isalpha())
    )
    genitive = re.match(r"'s\b", text[at:]) is not None
    return "′" if single and not genitive else "’"


def _character(text: str, at: int) -> str:
    """Any other character, with quotation marks that open and close."""
    if text[at] == '"':
        return "“" if at == 0 or text[at - 1] in " (" else "”"
    if text[at] == "-" and text[at + 1 : at + 2].isdigit() and (at == 0 or text[at - 1] in " ([,{^_"):
        return "−"
    return escape({"~": "∼"}.get(text[at], text[at]))


def _word(text: str, at: int, word: str) -> str:
    """A variable is one Latin letter on its own, and not an article."""
    rest = text[at + len(word) :]
    if len(word) > 1:
        return _longer(word, text[max(0, at - 1) : at], rest)
    if word == "R" and REALS.match(rest):
        return "ℝ"
    if word in "PE" and rest[:1] in ("(", "["):
        return {"P": "ℙ", "E": "𝔼"}[word]
    if rest[:1].isdigit() and word.isupper():
        return word
    if (word == "s" and text[max(0, at - 1) : at] == "'") or re.match(r"\.\d", rest) or text[:at].endswith("Appendix "):
        return word
    opens_sentence = at == 0 or text[max(0, at - 2) : at] in (". ", ": ")
    article = ARTICLE_FOLLOWS.match(rest) is not None and NOT_AFTER_AN_ARTICLE.match(rest) is None
    if article and (word == "a" or (word == "A" and opens_sentence)):
        return word
    return f"<i>{word}</i>"


def _longer(word: str, before: str, rest: str) -> str:
    """A word of several letters: a word, or a product of variables."""
    if word == "nth":
        return "<i>n</i>th"
    product = word in PRODUCTS and (before.isdigit() or before == "−" or BESIDE_A_PRODUCT.match(rest) is not None)
    return f"<i>{word}</i>" if product else escape(word)
