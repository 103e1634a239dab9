"""KDD-Cup-99 in its original format: 41 features and a label, comma-separated, with or without a header line.

The paper predicts normal against malicious network events from the d = 38 numeric features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nrverify.reproduce.data.files import DataError, Floats, chosen_numbers, lines_of, require_fields, subsamples

# fmt: off
FEATURES = (
    "duration", "protocol_type", "service", "flag", "src_bytes", "dst_bytes", "land", "wrong_fragment", "urgent",
    "hot", "num_failed_logins", "logged_in", "num_compromised", "root_shell", "su_attempted", "num_root",
    "num_file_creations", "num_shells", "num_access_files", "num_outbound_cmds", "is_host_login", "is_guest_login",
    "count", "srv_count", "serror_rate", "srv_serror_rate", "rerror_rate", "srv_rerror_rate", "same_srv_rate",
    "diff_srv_rate", "srv_diff_host_rate", "dst_host_count", "dst_host_srv_count", "dst_host_same_srv_rate",
    "dst_host_diff_srv_rate", "dst_host_same_src_port_rate", "dst_host_srv_diff_host_rate", "dst_host_serror_rate",
    "dst_host_srv_serror_rate", "dst_host_rerror_rate", "dst_host_srv_rerror_rate",
)
SYMBOLIC = frozenset({"protocol_type", "service", "flag"})
NUMERIC = tuple(index for index, name in enumerate(FEATURES) if name not in SYMBOLIC)
"""The 38 numeric columns."""

NORMAL = "normal."
LABELS = frozenset((
    "normal.", "back.", "buffer_overflow.", "ftp_write.", "guess_passwd.", "imap.", "ipsweep.", "land.",
    "loadmodule.", "multihop.", "neptune.", "nmap.", "perl.", "phf.", "pod.", "portsweep.", "rootkit.", "satan.",
    "smurf.", "spy.", "teardrop.", "warezclient.", "warezmaster.",
))
# fmt: on
"""The labels of the training file: normal events and 22 kinds of attack."""

WHOLE_SHA256 = "8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561"
"""The complete 10 % file, gzipped, as the archive has it."""

_FIELDS = len(FEATURES) + 1
"""The features and the label."""
_WHAT = "41 features and a label, as in kddcup.data_10_percent"


@dataclass(frozen=True)
class Events:
    """Numeric features (n, 38) of network events, +1 for a normal one and −1 for an attack; and how many there were."""

    features: Floats
    signs: Floats
    available: int


def recognised(first_line: str) -> bool:
    """Whether a file that begins so could be KDD-Cup-99."""
    return first_line.count(",") == _FIELDS - 1


def read(path: Path, rows: int, rngs: Sequence[np.random.Generator]) -> tuple[Events, ...]:
    """Random samples of the events in a file, one for each generator; every line of the file is checked."""
    lines = lines_of(path)
    first_line = 1
    if lines and lines[0].split(",")[0].strip() == FEATURES[0]:
        _require_header(path, lines.pop(0))
        first_line = 2
    require_fields(path, lines, _FIELDS, first_line, _WHAT)
    labels = [line[line.rfind(",") + 1 :].strip() for line in lines]
    if unknown := set(labels) - LABELS:
        index = next(index for index, label in enumerate(labels) if label in unknown)
        raise DataError(
            path,
            f"expected the label {NORMAL!r} or one of the 22 attacks of KDD-Cup-99 (such as 'smurf.'), "
            f"found {labels[index]!r}",
            first_line + index,
        )
    samples = subsamples(path, len(lines), rows, rngs, "KDD-Cup-99", first_line)
    tables = chosen_numbers(path, lines, NUMERIC, FEATURES, samples, first_line)
    signs = np.array([1.0 if label == NORMAL else -1.0 for label in labels])
    return tuple(Events(table, signs[sample], len(lines)) for table, sample in zip(tables, samples, strict=True))


def _require_header(path: Path, line: str) -> None:
    found = [name.strip() for name in line.split(",")]
    expected = [*FEATURES, "label"]
    if found != expected:
        wrong = next((pair for pair in zip(expected, found, strict=False) if pair[0] != pair[1]), None)
        words = f"the name {wrong[0]!r}, found {wrong[1]!r}" if wrong else f"{_FIELDS} names, found {len(found)}"
        raise DataError(path, f"a header line must name the columns of KDD-Cup-99: expected {words}", 1)
