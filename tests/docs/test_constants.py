"""A constant that is a choice has its reason beside it: a docstring below it, or a comment on it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [path for folder in ("nrverify", "symbolic", "properties") for path in sorted((ROOT / folder).rglob("*.py"))]
NO_CHOICE = {-1, 0, 1, 2}
"""Numbers that are what they are: signs, neutral elements, and both of two."""
NUMBERS = {"HALF", "ONE", "TWO", "THREE", "QUARTER"}
"""Names that say their numbers."""


def names_of(node):
    """Constants that a statement makes."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    flat = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [one.id for one in flat if isinstance(one, ast.Name) and one.id.strip("_").isupper()]


def chosen(node):
    """Whether the value has a number in it that could be another."""
    found = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return any(type(value) in (int, float) and value not in NO_CHOICE for value in found)


def without_reason(text):
    """Names and lines of constants of modules and classes that are chosen and have no reason beside them."""
    lines, tree = text.splitlines(), ast.parse(text)
    for body in (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)):
        for node, after in zip(body, [*body[1:], None], strict=True):
            names = set(names_of(node)) - NUMBERS
            if not names or node.value is None or not chosen(node.value):
                continue
            said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not said and not any("#" in line for line in lines[node.lineno - 1 : node.end_lineno]):
                yield f"{node.lineno}: {', '.join(sorted(names))}"


def test_every_choice_has_its_reason_beside_it():
    found = {str(path.relative_to(ROOT)): list(without_reason(path.read_text("utf-8"))) for path in SOURCES}
    assert len(found) > 700
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MOST = 40", ["1: MOST"]),
        ('MOST = 40\n"""Of a page."""', []),
        ("MOST = 40  # of a page", []),
        ("FIRST, SECOND = 3, 4\nOTHER = 5  # why", ["1: FIRST, SECOND"]),
        ("class Law:\n    MOST: int = 40", ["2: MOST"]),
        ("SIGN, NONE, YES = -1, 0, True", []),
        ("most = 40\nNAME = 'forty'", []),
        ("HALF, THREE = 0.5, Integer(3)", []),
    ],
)
def test_a_choice_is_told_from_what_is_none(text, found):
    assert list(without_reason(text)) == found
