"""Synthetic data of the shape of the paper's: as many rows and columns, counts, rates and labels of the same kind.

They let every figure be drawn without the files; nothing seen in them says anything of the paper's findings.
"""

from __future__ import annotations

import numpy as np

from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.data.kdd import FEATURES, NUMERIC, Events
from nrverify.reproduce.data.twitter import WEEKS, Topics

_NUMERIC_NAMES = [FEATURES[index] for index in NUMERIC]
_FLAGS = ("land", "logged_in", "root_shell", "su_attempted", "is_host_login", "is_guest_login")
_RARE = ("duration", "wrong_fragment", "urgent", "hot", "num_failed_logins", "num_compromised", "num_root")


def events(rows: int, rng: np.random.Generator) -> Events:
    """One event in five is normal; most normal events have many bytes, most attacks are floods of connections."""
    sign = np.where(rng.random(rows) < 0.2, 1.0, -1.0)
    normal = (sign > 0) != (rng.random(rows) < 0.035)
    columns = {name: np.zeros(rows) for name in _NUMERIC_NAMES}
    columns["src_bytes"] = np.floor(np.exp(rng.normal(np.where(normal, 5.5, 3.0), np.where(normal, 1.0, 3.2))))
    columns["dst_bytes"] = np.where(normal, np.floor(np.exp(rng.normal(7.3, 1.2, rows))), rng.poisson(0.5, rows))
    columns["count"] = np.where(normal, rng.integers(1, 20, rows), rng.integers(100, 512, rows)).astype(float)
    columns["srv_count"] = np.where(rng.random(rows) < 0.7, columns["count"], rng.integers(1, 25, rows))
    columns["dst_host_count"] = np.where(normal, rng.integers(1, 256, rows), 255.0)
    columns["dst_host_srv_count"] = np.where(rng.random(rows) < 0.75, 255.0, rng.integers(1, 40, rows))
    for name in _NUMERIC_NAMES:
        if name.endswith("_rate"):
            columns[name] = np.round(rng.beta(0.2, 0.5, rows), 2)
    for name in _FLAGS:
        columns[name] = (rng.random(rows) < np.where(normal, 0.3, 0.02)).astype(float)
    for name in _RARE:
        columns[name] = rng.poisson(0.02, rows) * rng.integers(1, 10, rows).astype(float)
    features = np.column_stack([columns[name] for name in _NUMERIC_NAMES])
    # Floods repeat themselves: two attacks in three are copies of one of a few hundred.
    attacks = np.flatnonzero(sign < 0)
    copies = attacks[rng.random(attacks.size) < 2 / 3]
    features[copies] = features[rng.choice(attacks[:300], copies.size)]
    return Events(features, sign, rows)


def topics(rows: int, rng: np.random.Generator) -> Topics:
    """Topics whose log-volume wanders from week to week; eleven groups of seven weekly columns, then the week after."""
    volume = rng.normal(3.0, 1.9, rows)[:, np.newaxis] + 0.4 * rng.normal(size=(rows, WEEKS + 1)).cumsum(axis=1)
    counts = np.floor(np.exp(np.minimum(volume, 11.0)))
    weekly = counts[:, :WEEKS]

    def share(level: float) -> Floats:
        return np.asarray(np.floor(weekly * rng.uniform(level - 0.1, level, (rows, WEEKS))))

    some = (weekly > 0).astype(float)
    groups = (
        weekly,
        share(0.6),
        1e-6 * np.maximum(np.round(weekly * 1.4), 0),
        some,
        np.floor(weekly * rng.uniform(1.0, 1.1, (rows, WEEKS))),
        1e-6 * np.round(weekly * 0.8),
        some,
        some * (1 + rng.exponential(0.1, (rows, WEEKS))),
        share(0.9),
        some * (1 + rng.exponential(0.15, (rows, WEEKS))),
        weekly,
    )
    return Topics(np.concatenate(groups, axis=1), counts[:, WEEKS], rows, False)
