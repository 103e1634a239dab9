"""Arrays of right records, written for these tests alone: drawn here, and by nobody else's code."""

import json
from pathlib import Path

import numpy as np

SCHEDULE = [4.0, 2.0, 1.0]


def brownian(value, sessions, seed, schedule=SCHEDULE):
    """Brownian noise forwards in time: independent increments from the least noisy release on."""
    rng = np.random.default_rng(seed)
    spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
    steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
    return (np.array(value) + np.cumsum(steps, axis=1))[:, ::-1]


def transcripts(sessions=40, **changes):
    """A record on a fixed schedule; None leaves an array out."""
    arrays = {
        "mechanism": "brownian",
        "value": [0.0],
        "neighbour": [1.0],
        "schedule": SCHEDULE,
        "releases": brownian([0.0], sessions, 1),
        "releases_neighbour": brownian([1.0], sessions, 2),
    }
    return {name: np.asarray(array) for name, array in {**arrays, **changes}.items() if array is not None}


def asked(sessions=40, **changes):
    """The same as what each session was asked, the second session stopped after its first release."""
    arrays = transcripts(sessions, schedule=None)
    for suffix in ("", "_neighbour"):
        times = np.tile(SCHEDULE, (sessions, 1))
        times[1, 1:] = np.nan
        arrays[f"releases{suffix}"][1, 1:] = np.nan
        arrays[f"asked{suffix}"] = times
    return {name: np.asarray(array) for name, array in {**arrays, **changes}.items() if array is not None}


def runs(sessions=40, **changes):
    """Halting rounds of a threshold mechanism, made up."""
    rng = np.random.default_rng(3)
    arrays = {
        "mechanism": "above-threshold",
        "utilities": [-2.0, -2.0, -2.0],
        "utilities_neighbour": [-3.0, -3.0, -1.0],
        "epsilons": 2.0,
        "threshold": 0.0,
        "sensitivity": 1.0,
        "rounds": rng.integers(0, 4, sessions),
        "rounds_neighbour": rng.integers(0, 4, sessions),
    }
    return {name: np.asarray(array) for name, array in {**arrays, **changes}.items() if array is not None}


def schema(name):
    """A JSON schema of this repository."""
    return json.loads((Path(__file__).parents[2] / "reports" / "schema" / f"{name}.json").read_text("utf-8"))
