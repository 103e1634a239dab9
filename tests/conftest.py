"""The second tier of the tests: whole files, and single tests, that take long. CI runs them with `pytest -m slow`."""

import os
import time
import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

import hypothesis
import pytest

# What a property takes depends on how busy the machine is.
hypothesis.settings.register_profile("nrverify", deadline=None)
hypothesis.settings.load_profile("nrverify")

# A worker of the suite has one core: linear algebra with a thread per core would have the workers wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TESTS = Path(__file__).parent

TIERS = tomllib.loads((TESTS / "tiers.toml").read_text("utf-8"))

SECOND_TIER: dict[str, str | dict[str, str]] = {**TIERS["files"], **TIERS["tests"]}
"""Files of the second tier, or tests of a file, and why each is."""

LONG: dict[str, str | dict[str, str]] = {**TIERS["long"]["files"], **TIERS["long"]["tests"]}
"""Files, or tests of a file, of the second tier that take longest, and why."""

BY_FIXTURE = {"browser": "pages in a browser"}
"""Fixtures whose tests are of the second tier, and why."""

BEGUN = pytest.StashKey[float]()
"""The CPU time at which a test began."""


def pytest_addoption(parser):
    """Everything at once, for who has the time; and where the time goes."""
    parser.addoption("--both-tiers", action="store_true", help="Run the second tier, too.")
    parser.addoption("--dearest", type=int, default=0, metavar="N", help="List the N tests that took most CPU time.")


def in_second_tier(file: str, test: str = "") -> bool:
    """Whether a file, or a test of it by its name with parameters, is of the second tier."""
    return listed(SECOND_TIER, file, test)


def listed(tier: dict[str, str | dict[str, str]], file: str, test: str = "") -> bool:
    """Whether a table has a file, or a test of it by its name with parameters."""
    entry = tier.get(file, {})
    if isinstance(entry, str):
        return True
    name, _, parameters = test.partition("[")
    patterns = [key.partition("[") for key in entry]
    return any(name == one and (not some or fnmatch(parameters[:-1], some[:-1])) for one, _, some in patterns)


def pytest_ignore_collect(collection_path, config):
    """Files that have nothing of the tier that is to run are not even imported."""
    marks = config.option.markexpr
    if config.getoption("--both-tiers") or collection_path.suffix != ".py":
        return None
    inside = collection_path.is_relative_to(TESTS)
    file = str(collection_path.relative_to(TESTS)) if inside else ""
    if marks == "not slow":
        return True if inside and in_second_tier(file) else None
    if marks in ("slow", "slow and not long"):
        return True if not inside or first_tier_alone(file, collection_path.read_text("utf-8")) else None
    return None


def first_tier_alone(file: str, text: str) -> bool:
    """Whether a file of tests has none of the second tier: neither listed, nor marked, nor with a fixture of it."""
    return file not in SECOND_TIER and not any(word in text for word in ("slow", *BY_FIXTURE))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks the second tier before `-m` selects."""
    for item in items:
        file = str(item.path.relative_to(TESTS)) if item.path.is_relative_to(TESTS) else ""
        if in_second_tier(file, item.name) or not BY_FIXTURE.keys().isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if listed(LONG, file, item.name) and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.long)
    if config.getoption("--both-tiers"):
        config.option.markexpr = ""


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Notes the CPU time at which a test begins."""
    item.stash[BEGUN] = cpu_seconds()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Gives the last report of a test the CPU time of the whole, with its fixtures."""
    if call.when == "teardown":
        item.user_properties.append(("cpu", cpu_seconds() - item.stash[BEGUN]))


def pytest_terminal_summary(terminalreporter, config):
    """Lists the dearest tests, where they are asked for: CPU time says the same on a machine that is busy."""
    if config.getoption("--dearest"):
        reports = [report for some in terminalreporter.stats.values() for report in some]
        terminalreporter.section("the dearest tests, in seconds of CPU")
        terminalreporter.write("\n".join(dearest(reports, config.getoption("--dearest"))) + "\n")


def dearest(reports: Iterable[object], most: int) -> list[str]:
    """The sum over all tests, then those that took most, in lines."""
    found = [
        (dict(report.user_properties)["cpu"], report.nodeid)
        for report in reports
        if getattr(report, "when", "") == "teardown" and "cpu" in dict(report.user_properties)
    ]
    return [
        f"{cost:8.1f} {name}" for cost, name in [(sum(cost for cost, _ in found), "all"), *sorted(found)[::-1][:most]]
    ]


@pytest.fixture
def mark(monkeypatch):
    """An entry in the environment of every process that the test starts."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    return f"NRVERIFY_TEST={value}"
