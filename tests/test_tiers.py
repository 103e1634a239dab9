"""Holds the tiers of the tests apart: unit tests run no audit and start no process; what is slow is marked."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest

TESTS = Path(__file__).parent
UNIT = sorted((TESTS / "unit").rglob("*.py"))
MAY_AUDIT = {"test_add_a_check.py"}
"""Unit tests in which the audit itself is what is tested."""
PROCESSES = {"subprocess", "multiprocessing", "distributed", "selenium"}


def imported(path):
    """All modules, and names out of modules, that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", UNIT, ids=lambda path: str(path.relative_to(TESTS)))
def test_unit_tests_start_no_process_and_run_no_audit(path):
    found = set(imported(path))
    assert not {name.partition(".")[0] for name in found} & PROCESSES
    if path.name not in MAY_AUDIT:
        assert not found & {"nrverify.audit", "nrverify.auditing.audit", "nrverify.auditing.audit.audit"}


def test_the_guard_sees_an_audit_and_a_process(tmp_path):
    path = tmp_path / "test_wrong.py"
    path.write_text("import subprocess\n\n\ndef f():\n    from nrverify import audit\n", "utf-8")
    assert {"subprocess", "nrverify.audit"} <= set(imported(path))


def test_the_second_tier_is_left_out_by_default_and_named(pytestconfig):
    assert "not slow" in pytestconfig.getini("addopts")
    assert any(line.startswith("slow:") for line in pytestconfig.getini("markers"))


def test_no_test_module_is_imported_by_another():
    found = {str(path.relative_to(TESTS)): set(imported(path)) for path in TESTS.rglob("*.py")}
    assert len(found) > 300
    tests = {
        path: [name for name in names if re.match(r"(tests)?\..*\btest_|test_", name)] for path, names in found.items()
    }
    assert {path: names for path, names in tests.items() if names} == {}


def test_the_second_tier_names_files_and_tests_that_exist():
    for file, entry in (*conftest.SECOND_TIER.items(), *conftest.LONG.items()):
        tree = ast.parse((TESTS / file).read_text("utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert {test.partition("[")[0] for test in entry if isinstance(entry, dict)} <= names, file


@pytest.mark.parametrize(
    ("file", "text", "alone"),
    [
        ("a.py", "def test_a(): ...", False),
        ("b.py", "def test_a(): ...", True),
        ("b.py", "@pytest.mark.slow\ndef test_a(): ...", False),
        ("b.py", "def test_a(browser): ...", False),
    ],
)
def test_a_file_is_left_out_of_the_second_tier_where_nothing_in_it_can_be_slow(file, text, alone, monkeypatch):
    monkeypatch.setattr(conftest, "SECOND_TIER", {"a.py": {"test_a": "why"}})
    assert conftest.first_tier_alone(file, text) == alone


@pytest.mark.parametrize(
    ("test", "slow"),
    [("test_a[x-case1]", True), ("test_a[x-case0]", False), ("test_a", False), ("test_b", True), ("test_b[1]", True)],
)
def test_a_test_is_of_the_second_tier_by_its_name_and_by_a_pattern_of_its_parameters(test, slow, monkeypatch):
    monkeypatch.setattr(
        conftest, "SECOND_TIER", {"a.py": {"test_a[*-case[12]]": "why", "test_b": "why"}, "c.py": "why"}
    )
    assert conftest.in_second_tier("a.py", test) == slow
    assert not conftest.in_second_tier("b.py", test)
    assert not conftest.in_second_tier("a.py")
    assert conftest.in_second_tier("c.py")


def test_the_dearest_tests_are_listed_by_what_they_cost_with_their_fixtures():
    costs = {"a": 1.25, "b": 30.0, "c": 2.0}
    reports = [SimpleNamespace(when="teardown", nodeid=name, user_properties=[("cpu", costs[name])]) for name in costs]
    reports += [SimpleNamespace(when="call", nodeid="b", user_properties=[]), SimpleNamespace(message="a warning")]
    assert conftest.dearest(reports, 2) == ["    33.2 all", "    30.0 b", "     2.0 c"]
