"""Replaying: a host that answers from a record, and a reader of records that trusts nothing in them."""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.describe import from_json
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import Archive, BadArchive, opened
from nrverify.subjects.replay.exchanges import Exchange, ExchangeHost
from nrverify.subjects.replay.file import MEMBERS, SCHEMA
from nrverify.subjects.replay.packing import PACKINGS
from nrverify.subjects.requests import REQUESTS, Request, ScalarRequest

MOST_HEADER = 2**20
"""Bytes: a header is a description and a few settings, a few kilobytes at most."""
MOST_REQUESTS = 256 * 2**20
"""Bytes: a million requests at some 200 bytes each, more than an audit makes; the JSON is held in memory."""
PLAIN_REQUESTS, TIGHTEST = 2**20, 20
"""Beyond a megabyte, requests packed more than 20 to one are refused: each has a digest of 128 random bits."""
MOST_DIGITS = 19
"""Of an integer in a record: none needs more than 63 bits."""
OUTCOMES = ("shape", "answered", "refused", "withheld", "failed")


class DoesNotFit(ValueError):
    """The file is not a record of an audit, or the audit it records is not the one that asks."""


@dataclass(frozen=True)
class Answer:
    """A recorded exchange, with the place of its numbers."""

    method: str
    of: str | None
    """The function that scalar() asked for."""
    outcome: str
    words: str
    shape: tuple[int, ...]
    floats: slice
    integers: slice
    seconds: float


class Recording:
    """A record that was read: its header, and the answers by request."""

    def __init__(
        self,
        header: dict[str, Any],
        requests: list[tuple[str, Answer]],
        floats: NDArray[np.float64],
        integers: NDArray[np.int64],
    ) -> None:
        self.header = header
        self.description: Description = from_json(header["description"])
        self.requests = len(requests)
        self.asked = 0
        self._answers: dict[str, deque[Answer]] = defaultdict(deque)
        self._scalars: dict[tuple[str | None, float], float] = {}
        self._floats, self._integers = floats, integers
        for name, answer in requests:
            self._answers[name].append(answer)
            if answer.method == "scalar" and answer.outcome == "shape":
                arguments, values = self._unpacked(answer)
                keys = ((answer.of, x) for x in arguments.tolist())
                self._scalars.update(zip(keys, values.tolist(), strict=True))

    def host(self) -> ExchangeHost:
        """The subject, as far as it was asked."""
        host = ExchangeHost(self.description, math.inf, self._exchange)
        host.replays, host.cut = True, _cut(self.header.get("cut"))
        host.late_cut = _cut(self.header.get("late_cut"))
        return host

    def _exchange(self, request: Request[Any]) -> Exchange:
        """The answer to the same request; seeds make every request another, so that order does not matter."""
        name = request.digest
        if not self._answers.get(name):
            if isinstance(request, ScalarRequest) and (values := self._scalar(request)) is not None:
                return Exchange("answered", values, 0.0)
            raise DoesNotFit(
                f"after {self.asked} of {self.requests} recorded requests the audit asks for {request.method}() with "
                f"arguments that were not recorded: it was recorded by nrverify {self.header['versions']['nrverify']}, "
                "with other settings, or changed since"
            )
        self.asked += 1
        answer = self._answers[name].popleft()
        if answer.outcome != "shape":
            return Exchange(answer.outcome, answer.words, answer.seconds)
        found = self._unpacked(answer)
        return Exchange("answered", found[1] if isinstance(request, ScalarRequest) else found, answer.seconds)

    def _scalar(self, request: ScalarRequest) -> NDArray[np.float64] | None:
        """Values of a function that were recorded one here and one there."""
        found = [self._scalars.get((request.function, float(x))) for x in request.numbers]
        return None if None in found else np.array(found, dtype=np.float64)

    def _unpacked(self, answer: Answer) -> Any:
        numbers = self._floats[answer.floats], self._integers[answer.integers]
        try:
            return PACKINGS[answer.method].unpack(answer.shape, *numbers)
        except ValueError as error:
            raise DoesNotFit(str(error)) from None


def read_recording(path: Path) -> Recording:
    """The record in a file; `DoesNotFit` in one sentence when it is none."""
    try:
        with opened(path) as archive:
            if set(archive.sizes) != MEMBERS:
                raise DoesNotFit(
                    "it is not a replay record: the members header, requests, floats and integers are needed"
                )
            header = _header(_loaded(archive, "header.json", MOST_HEADER), archive)
            if archive.sizes["requests.json"] > max(PLAIN_REQUESTS, TIGHTEST * archive.packed["requests.json"]):
                raise DoesNotFit("requests.json is packed more tightly than requests with digests can be")
            requests = _loaded(archive, "requests.json", MOST_REQUESTS)
            floats, integers = archive.array("floats"), archive.array("integers")
    except BadArchive as error:
        raise DoesNotFit(f"{path}: {error}") from None
    except DoesNotFit as error:
        raise DoesNotFit(f"{path}: {error}") from None
    for name, numbers, kind in (("floats", floats, "<f8"), ("integers", integers, "<i8")):
        if numbers.dtype != np.dtype(kind) or numbers.ndim != 1:
            raise DoesNotFit(f"{path}: {name} must be a list of {kind}")
    try:
        answers = _answers(requests, floats.size, integers.size)
        return Recording(header, answers, floats, integers)
    except (ValueError, SubjectFailed) as error:
        raise DoesNotFit(f"{path}: {error}") from None


def _loaded(archive: Archive, name: str, most: int) -> Any:
    try:
        return json.loads(archive.text(name, most), parse_int=_integer)
    except (ValueError, RecursionError) as error:
        if isinstance(error, (BadArchive, DoesNotFit)):
            raise
        raise DoesNotFit(f"{name} is not JSON") from None


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS + digits.startswith("-"):
        raise DoesNotFit(f"it holds the integer {digits[:20]}… of {len(digits)} digits: at most {MOST_DIGITS} are used")
    return int(digits)


def _header(header: Any, archive: Archive) -> dict[str, Any]:
    """The header, of this schema and with the sums of the other members."""
    if not isinstance(header, dict) or header.get("schema") != SCHEMA:
        raise DoesNotFit(f"it is not a replay record of the schema {SCHEMA!r}")
    wanted = {"versions": dict, "settings": dict, "description": dict, "report": dict, "sums": dict}
    for name, kind in wanted.items():
        if not isinstance(header.get(name), kind):
            raise DoesNotFit(f"its header has no {name}")
    if not isinstance(header["versions"].get("nrverify"), str):
        raise DoesNotFit("its header does not say which version of nrverify recorded it")
    for name in MEMBERS - {"header.json"}:
        if header["sums"].get(name) != archive.sum(name):
            raise DoesNotFit(f"{name} is not what was recorded: its sum differs")
    return header


def _cut(found: Any) -> tuple[int, ...] | None:
    """The place where the time of the recorded run was up."""
    if found is None:
        return None
    if not isinstance(found, list) or len(found) != 2 or not all(type(number) is int for number in found):
        raise DoesNotFit(f"its header has a cut of {found!r:.60}: two integers are needed")
    return tuple(found)


def _answers(requests: Any, floats: int, integers: int) -> list[tuple[str, Answer]]:
    """Every recorded exchange with the place of its numbers, which together must be all the numbers there are."""
    if not isinstance(requests, list):
        raise DoesNotFit("requests.json is not a list")
    found: list[tuple[str, Answer]] = []
    at = [0, 0]
    for request in requests:
        name, answer = _answer(request, (at[0], at[1]))
        at = [answer.floats.stop, answer.integers.stop]
        if at[0] > floats or at[1] > integers:
            raise DoesNotFit("the requests have more answers than there are numbers")
        found.append((name, answer))
    if at != [floats, integers]:
        raise DoesNotFit("there are more numbers than the requests have answers")
    return found


def _answer(request: Any, at: tuple[int, int]) -> tuple[str, Answer]:
    outcomes = [name for name in OUTCOMES if name in request] if isinstance(request, dict) else []
    if len(outcomes) != 1 or set(request) - {"of"} != {"method", "digest", "seconds", outcomes[0]}:
        raise DoesNotFit(f"a request has the keys method, digest, seconds, and one of {', '.join(OUTCOMES)}")
    method, name, seconds, outcome = request["method"], request["digest"], request["seconds"], outcomes[0]
    of = request.get("of")
    if not isinstance(method, str) or method not in REQUESTS:
        raise DoesNotFit(f"there is no request {method!r:.60}")
    if not isinstance(name, str) or not (of is None or isinstance(of, str)):
        raise DoesNotFit("the digest of a request, and the function it asked for, must be text")
    if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
        raise DoesNotFit(f"a request took {seconds!r:.60} seconds")
    words: Any = request[outcome]
    shape: tuple[int, ...] = ()
    floats = integers = 0
    if outcome == "shape":
        if method not in PACKINGS or not isinstance(words, list):
            raise DoesNotFit(f"{method}() has no answer of the shape {words!r:.60}")
        floats, integers = PACKINGS[method].sizes(words)
        words, shape = "", tuple(words)
    elif not isinstance(words, str) or (outcome == "answered" and method != "refusal"):
        raise DoesNotFit(f"{method}() has no answer in words")
    places = slice(at[0], at[0] + floats), slice(at[1], at[1] + integers)
    return name, Answer(method, of, outcome, words, shape, *places, float(seconds))
