"""What is looked at in a text: its length, the numbers written in it, and its first and last characters."""

from __future__ import annotations

import re
from functools import lru_cache

FIRST, LAST = 24, 8
"""Characters that are looked at one by one: strings of bits and short codes are that long; of longer ones the end."""
NUMBERS, SEARCHED = 4, 400
"""Numbers that are read in a text, and the characters in which they are looked for."""
CHARACTER = "@"
"""What the step of a path to one character begins with; the last ones are counted from the end."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@lru_cache(maxsize=4096)
def parts_of(text: str) -> tuple[tuple[str, str | int | float], ...]:
    """The last steps of the paths to the properties and characters of a text, and what is there."""
    found: list[tuple[str, str | int | float]] = [("#characters", len(text))]
    numbers = _NUMBER.finditer(text[:SEARCHED])
    found += [
        (f"#number {place}", float(number.group())) for place, number in zip(range(NUMBERS), numbers, strict=False)
    ]
    if len(text) > 1:
        found += [(f"{CHARACTER}{place}", character) for place, character in enumerate(text[:FIRST])]
    if len(text) > FIRST:
        found += [(f"{CHARACTER}-{place}", text[-place]) for place in range(1, min(LAST, len(text) - FIRST) + 1)]
    return tuple(found)


def words(step: str, place: str) -> str | None:
    """A property or character of the text at a place, in words; None where the step is neither."""
    if step == "#characters":
        return f"the number of characters of {place}"
    if step.startswith("#number "):
        return f"number {int(step.removeprefix('#number ')) + 1} in {place}"
    if step.startswith(CHARACTER):
        where = int(step.removeprefix(CHARACTER))
        return f"character {where + 1} of {place}" if where >= 0 else f"character {-where} from the end of {place}"
    return None


def character_at(text: str, step: str) -> str:
    """The character that a step leads to."""
    return text[int(step.removeprefix(CHARACTER))]
