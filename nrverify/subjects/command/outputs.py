"""Outputs in the replies of a process: many at once, and with what each has spent."""

from __future__ import annotations

from typing import Any

from nrverify.subjects.command.json_lines import BadReply, excerpt, read_array
from nrverify.subjects.outputs import charge


def read_outputs(result: Any, runs: int) -> list[Any]:
    """The outputs of so many runs: a list, or a packed array of which each row is one."""
    found = result
    if isinstance(result, dict) and "shape" in result:
        array = read_array(result)
        # Arrays of no numbers have any number of rows in a few bytes: empty outputs are rows of none, and no more.
        fits = array.shape[:1] == (runs,) and (array.size > 0 or array.shape == (runs, 0))
        found = array.tolist() if fits else None
    if not isinstance(found, list) or len(found) != runs:
        raise BadReply(f"is {excerpt(result)}: a list of {runs} outputs is needed, one for each run")
    return found


def read_spent(results: list[Any], smallest: float) -> tuple[list[Any], list[float]]:
    """Outputs and what each has spent."""
    for result in results:
        if not isinstance(result, dict) or "output" not in result or "spent" not in result:
            raise BadReply(f'is {excerpt(result)}: an object such as {{"output": 3, "spent": 0.5}} is needed')
    outputs = [result["output"] for result in results]
    return outputs, [charge(result["spent"], smallest, result["output"]) for result in results]
