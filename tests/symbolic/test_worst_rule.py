"""The enclosure of the worst stopping rule against a dynamic programme that knows nothing of its equation."""

import numpy as np
import pytest

from nrverify.symbolic.beyond.worst_rule import panels, worst_rule


def discrete_looks(order, looks, places=100):
    """The best rule among looks at given ε, by backward induction on cells of m = −x clipped to [0, 1].

    Backwards by Bayes' rule from the forward step: noise stays with probability (ε/ε')², else jumps by Lap(1/ε).
    Noise is put on a grid that reaches far to both sides; the value is a lower bound up to the grid's error.
    """
    a = order - 1
    reach = 400.0
    edges = np.concatenate(
        (-1 - np.geomspace(1e-3, reach, 120)[::-1], np.linspace(-1, 0, places + 1), np.geomspace(1e-3, reach, 120))
    )
    x = (edges[1:] + edges[:-1]) / 2

    def mass(epsilon):
        below = np.where(edges < 0, np.exp(epsilon * np.minimum(edges, 0)) / 2, 1 - np.exp(-epsilon * edges) / 2)
        return np.diff(below)

    def pays(epsilon):
        return np.exp(a * ((np.abs(x + 1) - np.abs(x)) * epsilon - order * epsilon**2 / 2))

    value = pays(looks[-1])
    for now, then in zip(looks[-2::-1], looks[:0:-1], strict=True):
        stays, own = (now / then) ** 2, mass(then)
        jump = (1 - stays) * now / 2 * np.exp(-now * np.abs(x[:, np.newaxis] - x)) * own
        backward = jump + np.diag(stays * own / np.diff(edges))
        value = np.maximum(pays(now), (backward @ value) / backward.sum(axis=1))
    return float(mass(looks[0]) @ value / mass(looks[0]).sum())


def test_a_hundred_and_fifty_looks_come_close_to_the_enclosure_from_below():
    # Looks 2 % apart lose about half a step of drift, a few thousandths.
    found = worst_rule(4.0)
    value = discrete_looks(4.0, np.geomspace(0.05, 1.5, 150))
    assert float(found.least) - 0.004 < value < float(found.most)


@pytest.mark.parametrize("order", [1.5, 4.0])
def test_the_enclosure_is_narrow_and_above_one(order):
    found = worst_rule(order)
    assert found.least > 1
    assert 0 < float(found.most - found.least) < 4e-4


def test_the_place_from_which_a_rule_goes_on_lies_between_the_value_and_its_neighbour():
    order = 4.0
    for panel in panels(order)[:-1]:
        place = panel.y / (2 * (order - 1) * panel.epsilon)
        assert not place > 1
        assert not place < -1e-6
