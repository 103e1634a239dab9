"""What a derivation wrote before it was computed: the source of a step's sides, and the sympy functions behind them.

A side such as `limit(1/psi, t, 0)` is a number by the time a step sees it. A step that printed the number alone would
read `0 = 0`. The source of the call says what was computed.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from functools import lru_cache
from types import FrameType
from typing import Any

TRUSTED = (
    *("integrate", "limit", "summation", "simplify", "solve", "series", "nsolve", "satisfiable", "doit", "refine"),
    *("powsimp", "powdenest", "expand_power_base", "expand_log", "logcombine", "combsimp"),
)
"""Functions of sympy whose answers a step takes over unchecked; those of powers and logarithms rest on assumptions that
evidence may force. Arithmetic, substitution and derivatives are not among them: they rewrite by fixed rules."""

DEEPEST_NAMES, DEEPEST_CALLS = 2, 3
"""How far names are replaced by what was assigned to them, and functions are read for what they call: a reader follows
no more, and evidence is no deeper."""


class Written:
    """The call of a step as its author wrote it."""

    def __init__(self, frame: FrameType) -> None:
        self.globals = frame.f_globals
        self.call = _call_at(frame)
        self.before = _assignments(frame) if self.call is not None else {}

    def side(self, index: int) -> str:
        """The source of one argument (the name of the step is argument 0); empty where it is not known."""
        node = self._argument(index)
        return "" if node is None else _plain(node)

    def tools(self, *indices: int) -> tuple[str, ...]:
        """The trusted functions of sympy that computed these arguments."""
        found: set[str] = set()
        for index in indices:
            node = self._argument(index)
            if node is not None:
                found |= self._trusted(node, frozenset())
        return tuple(name for name in TRUSTED if name in found)

    def _trusted(self, node: ast.expr, seen: frozenset[str]) -> set[str]:
        """In an expression, and in what was assigned to the names in it."""
        found = _trusted(node, self.globals, DEEPEST_CALLS)
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self.before and part.id not in seen:
                found |= self._trusted(self.before[part.id], seen | {part.id})
        return found

    def _argument(self, index: int) -> ast.expr | None:
        if self.call is None or index >= len(self.call.args):
            return None
        node = self.call.args[index]
        for _ in range(DEEPEST_NAMES):
            node = _Replace(self.before).visit(node) if isinstance(node, ast.Name) else node
        return node


class _Replace(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


@lru_cache(maxsize=256)
def _tree(filename: str) -> ast.Module | None:
    lines = linecache.getlines(filename)
    return ast.parse("".join(lines)) if lines else None


def _call_at(frame: FrameType) -> ast.Call | None:
    """The call that a frame is in the middle of, found by its place in the source."""
    places = list(frame.f_code.co_positions())
    place = places[frame.f_lasti // 2]
    return _calls(frame.f_code.co_filename).get(place)


@lru_cache(maxsize=256)
def _calls(filename: str) -> dict[tuple[int | None, ...], ast.Call]:
    """All calls of a file by their place."""
    tree = _tree(filename)
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call)
    }


def _assignments(frame: FrameType) -> dict[str, ast.expr]:
    """Local names and the last expression assigned to each above the line that runs."""
    tree = _tree(frame.f_code.co_filename)
    found: dict[str, ast.expr] = {}
    for function in ast.walk(tree) if tree is not None else ():
        if isinstance(function, ast.FunctionDef) and _is_body_of(frame, function):
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and len(node.targets) == 1 and node.lineno < frame.f_lineno:
                    _bind(node.targets[0], node.value, found)
    return found


def _is_body_of(frame: FrameType, function: ast.FunctionDef) -> bool:
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return function.name == frame.f_code.co_name and first == frame.f_code.co_firstlineno


def _bind(target: ast.expr, value: ast.expr, found: dict[str, ast.expr]) -> None:
    if isinstance(target, ast.Name):
        if not _is_symbol(value):
            found[target.id] = value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for name, part in zip(target.elts, value.elts, strict=True):
            _bind(name, part, found)


def _is_symbol(value: ast.expr) -> bool:
    """Whether a new symbol is made: its own name says more than that."""
    return isinstance(value, ast.Call) and _plain(value.func) in ("Symbol", "symbols", "Function", "Dummy")


def _plain(node: ast.expr) -> str:
    """The source of an expression in one line, without the name of the library."""
    return ast.unparse(node).replace("sp.S.", "").replace("sp.", "")


def _trusted(node: ast.AST, names: dict[str, Any], depth: int) -> set[str]:
    found: set[str] = set()
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
        if name in TRUSTED:
            found.add(name)
        elif depth and inspect.isfunction(called := names.get(name)):
            body = _body_of(called.__code__.co_filename, called.__name__)
            if body is not None:
                found |= _trusted(body, called.__globals__, depth - 1)
    return found


@lru_cache(maxsize=1024)
def _body_of(filename: str, name: str) -> ast.FunctionDef | None:
    tree = _tree(filename)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)) if tree is not None else ()
    return next((node for node in functions if node.name == name), None)
