"""Public auditors and nrverify, side by side: runs and seconds until a false privacy claim is refuted."""

from __future__ import annotations

from nrverify.benchmark.peers.peer import Listed, Peer

LISTED = (
    Listed("StatDP", "statdp"),
    Listed("DP-Sniper", "dpsniper"),
    Listed("Delta-Siege", "deltasiege"),
    Listed("DP-Auditorium", "dp_auditorium"),
    Listed("jax_privacy", "jax_privacy"),
    Listed("dp_sequential_test", "dp_sequential_test"),
)
"""The public auditors looked for, each under the name by which Python imports it."""


def peers() -> tuple[Peer, ...]:
    """Every auditor with an adapter here, installed or not; a new one is a file with a class, and a line here."""
    from nrverify.benchmark.peers.jax_privacy import ClopperPearson, OneRun

    return (ClopperPearson(told=False), OneRun(told=False), ClopperPearson(told=True), OneRun(told=True))
