"""A harness in Python without any library: `harness.py brownian | brownian-fresh | threshold | threshold-fresh`.

The -fresh variants are wrong: noise that must be reduced, or kept, is drawn afresh.
"""

import base64
import json
import math
import random
import struct
import sys


class Brownian:
    """f(x) plus a Brownian path at times that never increase: the next noise is drawn from the bridge to 0."""

    def __init__(self, value, seed, fresh):
        self.value, self.random, self.fresh = value, random.Random(seed), fresh
        self.time, self.noise = math.inf, [0.0] * len(value)

    def release(self, at):
        if not 0 < at <= self.time:
            raise ValueError(f"time {at} must be positive and must not increase")
        if self.time == math.inf or self.fresh:
            mean, deviation = 0.0, math.sqrt(at)
        else:
            mean, deviation = at / self.time, math.sqrt(at * (self.time - at) / self.time)
        if at != self.time:
            self.noise = [mean * noise + deviation * self.random.gauss(0.0, 1.0) for noise in self.noise]
        self.time = at
        return [value + noise for value, noise in zip(self.value, self.noise, strict=True)]


def laplace(rng, scale):
    return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))


def above_threshold(request, rng, fresh):
    """The bits printed: 0 for each utility below the threshold, a last 1 for the first above, with noise on both."""
    scale = request["sensitivity"] / request["epsilons"][0]
    threshold = request["threshold"] + laplace(rng, 2 * scale)
    bits = []
    for utility in request["utilities"]:
        if fresh:
            threshold = request["threshold"] + laplace(rng, 2 * scale)
        bits.append(int(utility + laplace(rng, 4 * scale) >= threshold))
        if bits[-1]:
            break
    return bits


def packed(rows):
    """Whole transcripts, sessions × releases × d, as base64 of little-endian doubles."""
    numbers = [number for session in rows for release in session for number in release]
    shape = [len(rows), len(rows[0]), len(rows[0][0])]
    return {"shape": shape, "f64le": base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()}


def transcripts(request, seeds, fresh):
    """A session for each seed, on one schedule."""
    paths = (Brownian(request["value"], seed, fresh) for seed in seeds)
    rows = [[path.release(at) for at in request["schedule"]] for path in paths]
    return packed(rows) if request.get("encoding") == "f64le" else rows


def answer(request, kind, sessions):
    """The result of a request; a ValueError is a refusal."""
    op, fresh = request["op"], kind.endswith("-fresh")
    if op == "describe":
        about = {"protocol": 1, "name": f"Python {kind}", "version": "1", "language": "python"}
        if kind.startswith("brownian"):
            return about | {
                "mechanism": "brownian",
                "methods": ["open", "sample", "play"],
                "encodings": ["json", "f64le"],
            }
        return about | {"mechanism": "above-threshold", "methods": ["run", "run_many"]}
    if op == "open":
        name = max(sessions, default=0) + 1
        sessions[name] = Brownian(request["value"], request["seed"], fresh)
        return {"session": name}
    if op == "release":
        return sessions[request["session"]].release(request["at"])
    if op == "close":
        del sessions[request["session"]]
        return None
    rng = random.Random(request.get("seed"))
    if op == "sample":
        return transcripts(request, (rng.getrandbits(64) for _ in range(request["sessions"])), fresh)
    if op == "play":
        return transcripts(request, request["seeds"], fresh)
    if op == "run":
        return above_threshold(request, rng, fresh)
    if op == "run_many":
        printed = (above_threshold(request, rng, fresh) for _ in range(request["runs"]))
        return [len(bits) if bits[-1] else 0 for bits in printed]
    return None  # stop


def main():
    if sys.argv[1] not in ("brownian", "brownian-fresh", "threshold", "threshold-fresh"):
        sys.exit(f"no kind {sys.argv[1]}: brownian | brownian-fresh | threshold | threshold-fresh")
    sessions = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"result": answer(request, sys.argv[1], sessions)}
        except ValueError as refusal:
            reply = {"refused": str(refusal)}
        except Exception as error:
            reply = {"error": repr(error)}
        print(json.dumps({"id": request["id"]} | reply), flush=True)
        if request["op"] == "stop":
            break


if __name__ == "__main__":
    main()
