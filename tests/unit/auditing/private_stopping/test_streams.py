"""`randomness.streams` of private stopping: right runs are refuted with probability at most 1e-7, seeds are fixed."""

import numpy as np
import pytest

from nrverify.auditing.private_stopping.streams import StoppingStreams

from .batches import THREE, bridged, stopped


def of_streams(bits):
    """Runs whose noise comes from so many streams."""

    def noise(schedule, shape, rng):
        streams = rng.integers(2**bits, size=shape[0])
        one_each = {int(stream): np.random.default_rng(int(stream)) for stream in np.unique(streams)}
        paths = {stream: bridged(schedule, (1, shape[1]), own)[0] for stream, own in one_each.items()}
        return np.stack([paths[int(stream)] for stream in streams])

    return noise


@pytest.mark.parametrize("options", [{}, {"design": THREE}])
@pytest.mark.parametrize(("noise", "verdict"), [(bridged, "consistent"), (of_streams(12), "refuted")])
def test_few_streams_are_refuted(noise, verdict, options):
    check = StoppingStreams()
    for seed in (1, 2):
        fresh = check.empty_copy()
        fresh.observe(stopped(noise=noise, runs=500, seed=seed, **options))
        check.merge(fresh)
    result = check.conclude(1e-7)
    assert result.verdict == verdict
    assert verdict == "refuted" or result.sizes[0].value > 2**12
