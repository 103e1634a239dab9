"""`privacy.ex-post` of private stopping on batches made here: right ones are refuted with probability at most 1e-6."""

from dataclasses import replace

import numpy as np

from nrverify.auditing.core.faults.noise import CLAIM_VIOLATED
from nrverify.auditing.core.results import CheckVerdict
from nrverify.auditing.private_stopping.ex_post import StoppingExPost

from .batches import PAIR, bridged, labelled


def concluded(*batches):
    check = StoppingExPost((batches[0].pair,), 1e-6)
    for batch in batches:
        part = check.empty_copy()
        part.observe_labelled(batch)
        check.merge(part)
    return check.conclude(1e-6)


def test_right_runs_are_spared():
    result = concluded(labelled(seed=1), labelled(seed=50))
    assert (result.verdict, result.samples) == (CheckVerdict.CONSISTENT, 8000)
    assert result.sizes[0].unit == "ε"


def test_a_tenth_of_the_noise_tells_neighbours_apart():
    """At time 8 a tenth of the deviation √8 is 0.28: values 1 apart have a loss of about 6, where 0.8 is claimed."""
    result = concluded(*(labelled(seed=seed, noise=lambda *of: 0.1 * bridged(*of)) for seed in (1, 50)))
    assert result.verdict is CheckVerdict.REFUTED
    assert result.finding.fault is CLAIM_VIOLATED
    assert result.finding.estimate.observed > 0


def test_a_claim_that_covers_the_loss_is_spared():
    """The same runs, with charges so large that they cover any loss."""
    sides = [replace(side, epsilons=(40.0,) * 4) for side in (PAIR.design, PAIR.neighbour)]
    generous = replace(PAIR, design=sides[0], neighbour=sides[1])
    runs = replace(labelled(noise=lambda *of: 0.1 * bridged(*of)), pair=generous)
    assert np.isfinite(runs.releases[runs.present]).all()
    assert concluded(runs).verdict is CheckVerdict.CONSISTENT
