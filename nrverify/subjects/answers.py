"""Answers made into arrays, or one sentence that says what was needed: the same for every way to reach a subject."""

from __future__ import annotations

import inspect
import reprlib
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.address import describe_error
from nrverify.subjects.errors import SubjectFailed

Floats = NDArray[np.float64]

SHOWN = 8
"""Numbers of an answer that are quoted: more than `reprlib` shows."""


def numbers(answer: Any, shape: tuple[int, ...], what: str) -> Floats:
    """The answer as floats of that shape (a scalar where one number is wanted)."""
    if type(answer) is np.ndarray and answer.dtype == np.float64 and answer.shape == shape:
        return answer  # as nearly every one is: an interactive subject is asked for each release by itself
    wanted = "one number is needed" if shape == (1,) else f"numbers of shape {shape} are needed"
    if len(shape) == 3:
        wanted += ", (sessions, releases, coordinates)"
    if inspect.iscoroutine(answer):
        answer.close()
        raise SubjectFailed(f"{what} is async, and returned a coroutine: {wanted}, from a plain method")
    try:
        array = np.asarray(answer)
        if array.dtype.kind == "O" and all(isinstance(part, Number) for part in array.flat):
            # Decimal, Fraction and the like.
            array = array.astype(np.float64)
    except Exception as error:
        raise SubjectFailed(f"{what} returned no array of numbers of shape {shape}: {describe_error(error)}") from error
    if array.dtype.kind not in "iufb":
        raise SubjectFailed(f"{what} returned {_words(answer)} ({type(answer).__name__}): {wanted}")
    if array.shape == shape:
        return array.astype(np.float64, copy=False)
    if array.shape == () and shape == (1,):
        return array.astype(np.float64).reshape(1)
    raise SubjectFailed(f"{what} returned numbers of shape {array.shape}: {wanted}")


def transcripts(answer: Any, shape: tuple[int, int, int], what: str = "sample()") -> Floats:
    """The releases of a batch of sessions, of shape (sessions, releases, d)."""
    try:
        return numbers(answer, shape, what)
    except SubjectFailed as failure:
        found = np.shape(answer) if isinstance(answer, np.ndarray) else ()
        if shape[1] > 1 and found in ((shape[0], 1, shape[2]), (shape[0], shape[2]), (shape[0],)):
            hint = "if a session makes one release only, set most_releases = 1, or raise ValueError at longer schedules"
            raise SubjectFailed(f"{failure}; {hint}") from None
        raise


def halting_rounds(answer: Any, runs: int, positives: int = 1) -> NDArray[np.int64]:
    """The halting rounds of that many runs, 0 for never; for several positives the rounds of the ones, (runs, c)."""
    if positives == 1:
        rounds = numbers(answer, (runs,), "run_many()")
    else:
        rounds = numbers(answer, (runs, positives), f"positives is {positives}, and run_many()")
    if not np.all(rounds == np.round(rounds)) or not np.all(np.abs(rounds) < 2**53):
        raise SubjectFailed("run_many() must return integers (halting rounds, 0 for never)")
    return rounds.astype(np.int64)


def bits(answer: Any) -> list[int]:
    """The bits printed by a run, unchecked but for being a list of integers."""
    array = np.asarray(answer)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iufb"):
        raise SubjectFailed(f"run() returned {_words(answer)}: a list of bits such as [0, 0, 1] is needed")
    if array.dtype.kind == "f" and not np.all(np.isfinite(array) & (array == np.round(array))):
        raise SubjectFailed(f"run() returned {_words(answer)}: bits must be 0 or 1")
    return [int(bit) for bit in array]


def shown(answer: Any, d: int) -> tuple[Floats, list[int]]:
    """(releases, bits) of a private stopping run; a scalar release does where d = 1."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise SubjectFailed(f"run() returned {type(answer).__name__}: the pair (releases, bits) is needed")
    printed = bits(answer[1])
    array = np.asarray(answer[0])
    if array.ndim == 1 and d == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != d or array.dtype.kind not in "iuf":
        raise SubjectFailed(f"run() returned releases of shape {array.shape}: shape (rounds, {d}) is needed")
    return array.astype(np.float64, copy=False), printed


def _words(answer: Any) -> str:
    """An answer in one line, however large it is or says it is."""
    if isinstance(answer, np.ndarray) and answer.ndim != 1:
        return f"an array of shape {answer.shape}"
    text = reprlib.repr(answer[:SHOWN].tolist() if isinstance(answer, np.ndarray) else answer)
    return " ".join(text.split())[:100]
