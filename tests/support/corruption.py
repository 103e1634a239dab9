"""Right replies of the protocol, corrupted at random."""

import json

from tests.support.awkward import AWKWARD


def corrupted(rng, reply):
    """A reply with something wrong about it, or about to be: a dictionary or the bytes of a line."""
    line = bytearray(json.dumps(reply).encode())
    result = reply["result"]
    kind = rng.randrange(9)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(60))).replace(b"\n", b"") + b"\n"
    if kind == 1:
        del line[rng.randrange(len(line)) :]
    elif kind == 2:
        line[rng.randrange(len(line))] = rng.randrange(256)
    elif kind == 3:
        return {**reply, "id": rng.choice([reply["id"] - 1, reply["id"] + 1, *AWKWARD])}
    elif kind == 4:
        return {**reply, rng.choice(["refused", "skipped", "error", "id", "result"]): rng.choice(AWKWARD)}
    elif kind == 5:
        return {"id": reply["id"], rng.choice(["refused", "skipped", "error", "result"]): rng.choice(AWKWARD)}
    elif kind == 6 and isinstance(result, dict):
        return {**reply, "result": {**result, rng.choice(list(result)): rng.choice(AWKWARD)}}
    elif kind == 7 and isinstance(result, list) and result:
        changed = list(result)
        changed[rng.randrange(len(changed))] = rng.choice(AWKWARD)
        return {**reply, "result": changed}
    else:
        return bytes(line).replace(b"0", rng.choice([b"NaN", b"-Infinity", b"1e999", b"null", b'"0"', b"[0]"])) + b"\n"
    return bytes(line) + b"\n"
