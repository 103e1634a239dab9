"""How α is shared: by declared weights, and wholly among those asked for."""

import pytest

from nrverify.auditing.core.alpha import levels
from nrverify.auditing.registry import ROOMS, declarations_for


def level_of(id, only=(), mechanism="laplace"):
    declared = declarations_for(mechanism)
    one = next(one for one in declared if one.id == id)
    return levels(1e-6, only, declared)(type("Check", (), {"declaration": one}))


def test_a_check_asked_for_alone_has_the_whole_alpha():
    assert level_of("privacy.ex-post", only=("privacy.ex-post",)) == pytest.approx(1e-6, rel=1e-12)
    assert level_of("privacy.ex-post") == pytest.approx(0.06e-6, rel=1e-12)


def test_checks_asked_for_together_share_alpha_by_their_weights():
    both = ("privacy.ex-post", "law.release")
    assert sum(level_of(id, only=both) for id in both) == pytest.approx(1e-6, rel=1e-12)


@pytest.mark.parametrize("mechanism", ROOMS)
def test_the_weights_of_a_mechanism_leave_room(mechanism):
    weights = {one.id: one.weight for one in declarations_for(mechanism)}
    assert sum(weights.values()) < 1
