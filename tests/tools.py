"""Tools of other worlds (a compiler, node, java, a browser) that some tests need and a machine may not have."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

COMMANDS = {
    "cc": ("cc", "gcc"),
    "node": ("node",),
    "java": ("javac",),
    "chromium": ("chromium", "chromium-browser"),
    "chromedriver": ("chromedriver",),
    "coqc": ("coqc",),
}


def need(tool: str) -> str:
    """The path of a tool; without it the test is not run, or fails where NRVERIFY_REQUIRE names the tool."""
    for command in COMMANDS[tool]:
        if path := shutil.which(command):
            return path
    _missing(tool)
    raise AssertionError


def need_module(name: str) -> None:
    """A module of the extra `dev`; without it the test is not run, or fails where NRVERIFY_REQUIRE names the module."""
    if importlib.util.find_spec(name) is None:
        _missing(name)


def _missing(tool: str) -> None:
    if tool in os.environ.get("NRVERIFY_REQUIRE", "").split(","):
        pytest.fail(f"NRVERIFY_REQUIRE names {tool}, which is not on this machine", pytrace=False)
    pytest.skip(f"NOT RUN: needs {tool}")
