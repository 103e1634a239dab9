"""What is published: source distribution and wheel are complete, and either installs into a clean environment."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.tools import need_module

ROOT = Path(__file__).parents[1]
IMPORT_ALL = """
import importlib, pathlib, pkgutil, sys
import nrverify
assert pathlib.Path(nrverify.__file__).is_relative_to(sys.prefix), nrverify.__file__
names = [one.name for one in pkgutil.walk_packages(nrverify.__path__, "nrverify.") if not one.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked():
    """The files of the repository."""
    return [line for line in run("git", "ls-files", cwd=ROOT).splitlines() if (ROOT / line).exists()]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The source distribution, and the wheel that is built from it."""
    need_module("build")
    clone, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in tracked():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "build", "--outdir", str(out), str(clone))
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


def test_the_source_distribution_has_every_file_of_the_repository(built):
    with tarfile.open(built[0]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert set(tracked()) - inside == set()


def test_the_wheel_has_every_module_and_what_modules_read_and_no_tests(built):
    with zipfile.ZipFile(built[1]) as archive:
        inside = set(archive.namelist())
    wanted = [name for name in tracked() if name.startswith("nrverify/") and not name.endswith("README.md")]
    suites = [f"nrverify/{name}" for name in tracked() if name.startswith(("symbolic/", "properties/"))]
    assert {name for name in [*wanted, *suites] if name.endswith((".py", ".toml", ".md", ".html", ".css"))} <= inside
    assert not [name for name in inside if name.startswith(("tests/", "docs/"))]


def test_the_metadata_can_be_published(built):
    need_module("twine")
    said = run(sys.executable, "-m", "twine", "check", "--strict", *map(str, built))
    assert said.count("PASSED") == 2


@pytest.mark.parametrize("kind", [0, 1], ids=["sdist", "wheel"])
def test_it_installs_into_a_clean_environment_and_works_there(built, kind, tmp_path):
    """Dependencies are those of this environment: they come after what the new one has itself."""
    run(sys.executable, "-m", "venv", str(tmp_path / "clean"))
    binaries = tmp_path / "clean" / "bin"
    run(str(binaries / "pip"), "install", "--quiet", "--no-deps", str(built[kind]))
    (site,) = (tmp_path / "clean" / "lib").glob("python*/site-packages")
    here = [path for path in dict.fromkeys([sysconfig.get_path("purelib"), *sys.path]) if "site-packages" in path]
    (site / "dependencies.pth").write_text("\n".join(here) + "\n", "utf-8")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    python, command = str(binaries / "python"), str(binaries / "nrverify")
    assert int(run(python, "-c", IMPORT_ALL, cwd=tmp_path, env=environment)) > 400
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert version in run(command, "--version", cwd=tmp_path, env=environment)
    assert "version 1" in run(command, "protocol", cwd=tmp_path, env=environment)
    assert "recursion" in run(command, "explain", "fresh-noise", cwd=tmp_path, env=environment)
