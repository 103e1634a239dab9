"""Mutants whose single releases look right: each fault by a statistic of its own, which the right mechanism passes."""

from __future__ import annotations

import pytest

from nrverify.reference.mutants import MUTANTS
from tests.reference.between_sessions import FAULTS


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_there_and_the_right_mechanism_does_not_have_it(name: str) -> None:
    shows, right = FAULTS[name]
    mutant = next(entry.subject for entry in MUTANTS if entry.name == name)
    assert shows(mutant())
    assert not shows(right())
