"""The public interface: every name has a docstring with examples, and the examples run."""

import doctest
import inspect
from importlib import import_module

import pytest

import nrverify

PUBLIC = sorted(set(nrverify.__all__) - {"__version__"})


def examples_of(name):
    """The doctests of a public name, and of its methods, with the globals of its module."""
    found = getattr(nrverify, name)
    plain = inspect.unwrap(found)
    module = import_module(plain.__module__)
    return [one for one in doctest.DocTestFinder(recurse=True).find(plain, name, module=module) if one.examples]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_of_a_public_name_run(name):
    tests = examples_of(name)
    assert tests, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said = []
    for test in tests:
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


RESULTS = {"BudgetExceeded", "Transcripts", "Report"}
"""Classes that a user is given and does not make."""
MADE = [name for name in PUBLIC if inspect.isclass(getattr(nrverify, name)) and name not in RESULTS]


@pytest.mark.parametrize("name", MADE)
def test_the_parameters_of_a_class_are_described(name):
    found = getattr(nrverify, name)
    text = inspect.getdoc(found)
    names = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    described = {word.strip() for line in names.split("\n") if not line.startswith(" ") for word in line.split(",")}
    wanted = {one for one in inspect.signature(found).parameters if not one.startswith("_")}
    assert described == wanted


def test_an_example_that_is_wrong_fails():
    def wrong():
        """>>> 1 + 1
        3
        """

    (test,) = doctest.DocTestFinder().find(wrong, "wrong", module=False, globs={})
    assert doctest.DocTestRunner().run(test, out=lambda text: None).failed == 1
