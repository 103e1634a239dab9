"""Small files in the formats of the paper's data."""

import gzip

import numpy as np

from nrverify.reproduce.data.kdd import FEATURES, LABELS


def kdd_lines(rows, seed=0):
    """Lines of KDD-Cup-99, every label in turn."""
    rng = np.random.default_rng(seed)
    labels = sorted(LABELS)
    lines = []
    for row in range(rows):
        numbers = [str(n) for n in rng.integers(0, 500, len(FEATURES))]
        numbers[1:4] = ["tcp", "http", "SF"]
        numbers[24] = f"{rng.random():.2f}"
        lines.append(",".join([*numbers, labels[row % len(labels)]]))
    return lines


def twitter_lines(rows, fields=78, seed=0):
    """Lines of Twitter.data: counts, tiny shares in scientific notation, and a popularity in halves."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        numbers = [str(n) for n in rng.integers(0, 300, fields - 1)]
        numbers[20] = f"{rng.random() * 1e-5:.2E}"
        lines.append(",".join([*numbers, f"{rng.integers(0, 400) / 2:.1f}"]))
    return lines


def write(path, lines):
    """A file of these lines, gzipped where its name says so."""
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
