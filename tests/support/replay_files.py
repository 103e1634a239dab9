"""Subjects to record, and replay files that were tampered with."""

import hashlib
import json
import zipfile

import numpy as np

from tests.auditing import subjects

AWKWARD = (None, True, -1, 0, 2**70, 1e308, "", "inf", "\ud800", [], [[]], {}, {"a": 1}, [None], "sample", 1e-320, 3)


class Unseeded(subjects.Right):
    """Right but for its bridge, and never the same twice: nothing but the record can repeat its verdict."""

    name = "an unseeded/noise"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng()
        return value + np.sqrt(schedule)[:, None] * rng.standard_normal((sessions, len(schedule), len(value)))

    open = None


class Wrong:
    """A threshold mechanism that draws its threshold anew in every round."""

    mechanism = "above-threshold"

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        rng = np.random.default_rng()
        bits = []
        for utility, epsilon in zip(utilities, epsilons, strict=True):
            noise = rng.laplace(0, 4 * sensitivity / epsilon) - rng.laplace(0, 1e-9)
            bits.append(int(utility + noise >= threshold))
            if bits[-1]:
                break
        return bits


def members_of(path):
    """The members of a record file by name."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def written(path, members):
    """The members as a record file."""
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def changed(rng, found):
    """JSON with something in it replaced, left out or added."""
    if isinstance(found, dict) and found and rng.random() < 0.9:
        key = rng.choice(sorted(found))
        kind = rng.randrange(6)
        if kind == 0:
            return {name: value for name, value in found.items() if name != key}
        if kind == 1:
            return {**found, rng.choice(["more", "shape", "refused", ""]): rng.choice(AWKWARD)}
        return {**found, key: changed(rng, found[key])}
    if isinstance(found, list) and found and rng.random() < 0.9:
        at = rng.randrange(len(found))
        kind = rng.randrange(5)
        if kind == 0:
            return found[:at]
        if kind == 1:
            return [*found, *found[at : at + 2]]
        return [*found[:at], changed(rng, found[at]), *found[at + 1 :]]
    return rng.choice(AWKWARD)


def tampered(rng, members):
    """A record whose JSON was changed and whose sums were made to fit, as somebody would who means it."""
    header, requests = (json.loads(members[f"{name}.json"]) for name in ("header", "requests"))
    if rng.random() < 0.5:
        requests = changed(rng, requests)
    else:
        header = changed(rng, header)
    members = {**members, "requests.json": json.dumps(requests).encode()}
    if isinstance(header, dict) and isinstance(header.get("sums"), dict) and rng.random() < 0.9:
        header["sums"]["requests.json"] = hashlib.sha256(members["requests.json"]).hexdigest()
    return {**members, "header.json": json.dumps(header).encode()}
