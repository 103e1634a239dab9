"""The ledger file lists the hundred statements of the paper, each complete and well formed."""

import re
import tomllib
from importlib.resources import files

import pytest

FAMILIES = {"P": 14, "B": 19, "M": 6, "A": 19, "N": 14, "R": 15, "E": 13}
VERDICTS = {"true", "true-with-hypothesis", "true-proof-wrong", "false", "misprint", "gap", "not-checkable"}
TEXTS = (
    "id",
    "where",
    "label",
    "title",
    "statement",
    "statement_latex",
    "verdict",
    "correction",
    "correction_latex",
    "why",
)
EXPECTED_IDS = [f"{family}{number:02d}" for family, count in FAMILIES.items() for number in range(1, count + 1)]

DOCUMENT = tomllib.loads(files("nrverify.ledger").joinpath("claims.toml").read_text(encoding="utf-8"))
CLAIMS = DOCUMENT["claim"]

each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=[claim["id"] for claim in CLAIMS])


def unbalanced(latex: str) -> bool:
    r"""True when the grouping braces of `latex` do not match; escaped braces \{ and \} are symbols, not groups."""
    depth = 0
    for symbol in latex.replace(r"\\", "").replace(r"\{", "").replace(r"\}", ""):
        depth += {"{": 1, "}": -1}.get(symbol, 0)
        if depth < 0:
            return True
    return depth != 0


def test_there_are_one_hundred_claims_in_the_order_of_their_families() -> None:
    assert len(EXPECTED_IDS) == 100
    assert [claim["id"] for claim in CLAIMS] == EXPECTED_IDS


def test_the_file_holds_nothing_but_claims() -> None:
    assert set(DOCUMENT) == {"claim"}


@each_claim
def test_a_claim_has_exactly_the_fields_of_the_ledger(claim: dict[str, object]) -> None:
    assert set(claim) == {*TEXTS, "weight"}
    assert all(isinstance(claim[name], str) for name in TEXTS)


@each_claim
def test_the_verdict_is_one_of_seven_words_and_the_weight_one_of_three_numbers(claim: dict[str, object]) -> None:
    assert claim["verdict"] in VERDICTS
    assert type(claim["weight"]) is int
    assert claim["weight"] in {1, 2, 3}


@each_claim
def test_place_title_statement_and_reason_are_given(claim: dict[str, str]) -> None:
    for name in ("where", "title", "statement", "why"):
        assert claim[name].strip(), name
        assert claim[name] == claim[name].strip(), f"{name} has surrounding blanks"
    assert len(claim["title"].split()) <= 8


@each_claim
def test_a_claim_that_is_not_simply_true_carries_its_correction(claim: dict[str, str]) -> None:
    if claim["verdict"] not in {"true", "not-checkable"}:
        assert claim["correction"].strip()


@each_claim
def test_a_false_formula_is_not_repeated_as_its_correction(claim: dict[str, str]) -> None:
    if claim["verdict"] in {"false", "misprint"} and claim["statement_latex"]:
        assert claim["correction_latex"] != claim["statement_latex"]


@each_claim
def test_the_place_is_named_without_line_numbers(claim: dict[str, str]) -> None:
    assert claim["where"].startswith(("Section ", "Appendix "))
    assert not re.search(r"\b(line|lines|l\.) ?\d", claim["where"])


@each_claim
def test_the_latex_has_balanced_braces_and_no_mathematics_delimiters(claim: dict[str, str]) -> None:
    for name in ("statement_latex", "correction_latex"):
        assert not unbalanced(claim[name]), name
        assert "$" not in claim[name], name


@pytest.mark.parametrize("latex", [r"\frac{1}{2", r"}{", r"\{{", r"x_{1}}"])
def test_unbalanced_latex_is_recognised(latex: str) -> None:
    assert unbalanced(latex)


@pytest.mark.parametrize(
    "latex", ["", r"\{x", r"\frac{1}{x_{n}}", r"\inf\{t\ge 0\}", r"\begin{cases}a\\{b}\end{cases}"]
)
def test_balanced_latex_is_accepted(latex: str) -> None:
    assert not unbalanced(latex)
