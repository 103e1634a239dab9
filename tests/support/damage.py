"""Files damaged at random: bytes changed, cut, doubled or taken from right record files."""

import io
import struct

import numpy as np

from tests.subjects.records import asked, runs, transcripts


def packed(arrays, save=np.savez):
    """The arrays as an .npz file."""
    content = io.BytesIO()
    save(content, **arrays)
    return content.getvalue()


RIGHT = [packed(make(6), save) for make in (transcripts, asked, runs) for save in (np.savez, np.savez_compressed)]
"""Right record files of each kind, stored and compressed."""


def damaged(rng, content):
    """Bytes changed, cut, doubled, exchanged or moved from elsewhere."""
    damaged = bytearray(content)
    for _ in range(rng.randrange(1, 5)):
        at, to = sorted(rng.randrange(len(damaged) + 1) for _ in range(2))
        kind = rng.randrange(7)
        if kind == 0 and damaged:
            damaged[at % len(damaged)] = rng.randrange(256)
        elif kind == 1:
            del damaged[at : min(to, at + rng.randrange(1, 64))]
        elif kind == 2:
            damaged[at:at] = damaged[at : min(to, at + 64)]
        elif kind == 3:
            del damaged[at:]
        elif kind == 4:
            damaged[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(16)))
        elif kind == 5 and len(damaged) > 8:
            struct.pack_into("<L", damaged, at % (len(damaged) - 4), rng.choice([0, 1, 2**31, 2**32 - 1]))
        else:
            other = rng.choice(RIGHT)
            damaged[at:to] = other[at:to]
    return bytes(damaged)
