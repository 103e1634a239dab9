"""The examples in the docstrings of the accounting run as they are printed."""

import doctest

import pytest

from nrverify.accounting import composition, noise_reduction


@pytest.mark.parametrize("module", [composition, noise_reduction], ids=lambda module: module.__name__)
def test_the_examples_run_as_printed(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
