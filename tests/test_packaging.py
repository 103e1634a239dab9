"""The wheel has every package: the list in pyproject.toml is the tree."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_package_is_listed_once():
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed = tomllib.load(file)["tool"]["setuptools"]["packages"]
    folders = [path.parent.relative_to(ROOT) for path in sorted((ROOT / "nrverify").rglob("__init__.py"))]
    suites = [
        path.parent.relative_to(ROOT)
        for name in ("properties", "symbolic")
        for path in (ROOT / name).rglob("__init__.py")
    ]
    there = [".".join(folder.parts) for folder in folders] + [
        ".".join(("nrverify", *folder.parts)) for folder in suites
    ]
    assert sorted(listed) == sorted(there)


def test_no_folder_has_more_modules_than_a_reader_can_overlook():
    for root in ("nrverify", "symbolic", "properties"):
        for folder in {path.parent for path in (ROOT / root).rglob("*.py")}:
            assert len(list(folder.glob("*.py"))) <= 28, folder
