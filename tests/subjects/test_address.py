"""An address names a subject; what is wrong with one is said with its remedy."""

import pytest

from nrverify.subjects.address import load_python, parse
from nrverify.subjects.errors import SubjectFailed, UnknownScheme


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from beside import mechanism\n"
        "class Subject:\n    mechanism = mechanism\n"
        "instance = Subject()\n"
        "def factory():\n    return Subject()\n"
        "class NeedsArguments:\n    def __init__(self, x): pass\n"
    )
    (tmp_path / "beside.py").write_text("mechanism = 'brownian'\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    return tmp_path


@pytest.mark.parametrize("name", ["Subject", "instance", "factory"])
def test_a_class_an_instance_and_a_factory_all_name_a_subject(folder, name):
    assert load_python(f"mine.py:{name}").mechanism == "brownian"


def test_a_file_is_reached_by_any_path_and_sees_its_own_folder(folder, monkeypatch):
    monkeypatch.chdir("/")
    assert load_python(f"{folder}/mine.py:Subject").mechanism == "brownian"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("nowhere.py:Subject", "no file"),
        ("mine.py:Missing", "no attribute 'Missing'; it has"),
        ("broken.py:Subject", "ZeroDivisionError"),
        ("leaves.py:Subject", "SystemExit"),
        ("no_such_module_anywhere:Subject", "ModuleNotFoundError"),
        ("mine.py:NeedsArguments", "missing 1 required positional argument"),
        ("mine", "does not name an object"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(folder, rest, words):
    with pytest.raises(SubjectFailed, match=words):
        load_python(rest)


@pytest.mark.parametrize("text", ["brownian", "ftp:somewhere", ""])
def test_an_address_without_a_known_scheme_is_a_mistake_in_the_command(text):
    with pytest.raises(UnknownScheme, match="python:package"):
        parse(text)
