"""The map of the code: what ARCHITECTURE names is there, and what is there it names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
FENCED = re.compile(r"```\n(.*?)```", re.DOTALL)
FOLDERS = tuple(
    ROOT / name for name in (".", "nrverify", "nrverify/auditing", "nrverify/report", "nrverify/auditing/core")
)
"""Where a path of the map may begin."""


def named(text):
    """Files and folders that a text names: in its trees with their endings, elsewhere in backticks with a stroke."""
    trees = " ".join(FENCED.findall(text))
    written = re.findall(r"`([\w./]+)`", FENCED.sub("", text))
    paths = [name for name in written if "/" in name or name.endswith((".py", ".toml"))]
    return [*re.findall(r"[a-z_]+(?:/[a-z_]+)*(?:/|\.py)", trees), *paths]


def missing(text):
    """Those that are nowhere."""
    return [name for name in named(text) if not any((folder / name).exists() for folder in FOLDERS)]


def places(folder):
    """Packages and modules of a folder, as the map writes them."""
    packages = [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")]
    return packages + [path.name for path in folder.glob("*.py") if not path.name.startswith("__")]


def test_what_the_map_names_is_there():
    assert len(named(TEXT)) > 60
    assert missing(TEXT) == []


@pytest.mark.parametrize("text", ["see `auditing/gone.py`", "```\nauditing/\n  gone/    a room\n```", "`gone/x.toml`"])
def test_a_name_of_nothing_is_found(text):
    assert len(missing(text)) == 1


def on_the_map(place, text):
    """Whether a text names a package, with its stroke, or a module, with its ending or without."""
    return re.search(rf"\b{place}" if place.endswith("/") else rf"\b{place.removesuffix('.py')}\b", text)


@pytest.mark.parametrize("folder", ["nrverify", "nrverify/auditing"])
def test_what_is_there_is_on_the_map(folder):
    here = places(ROOT / folder)
    assert len(here) > 15
    assert [place for place in here if not on_the_map(place, TEXT)] == []


def test_what_is_not_on_the_map_is_found():
    text = "trial.py  gating/plugin: processes that end"
    found = [bool(on_the_map(place, text)) for place in ("trial.py", "gating/", "processes/", "run.py")]
    assert found == [True, True, False, False]
