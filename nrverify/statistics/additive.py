"""State that adds up: what two workers saw separately is merged into what one worker would have seen.

Every attribute of an `Additive` object is either configuration, named in the class attribute `configuration`, or a sum.
Sums are numbers, arrays, other additive objects, or dictionaries of these. There is nothing to write per class, so no
attribute can be forgotten; an attribute of any other type is a `TypeError` at the first `empty_copy`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

K = TypeVar("K")
V = TypeVar("V")


class Tally(dict[K, V], Generic[K, V]):
    """A dictionary of sums whose keys are not known in advance: an empty one has no keys."""


class First:
    """The first example met, kept for a report; merging keeps the earlier one."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def offer(self, value: Any) -> None:
        """Keeps the value if there is none yet."""
        if self.value is None:
            self.value = value

    def empty_copy(self) -> First:
        """An empty copy."""
        return First()

    def merge(self, other: First) -> None:
        """Keeps the other's example if there is none here."""
        self.offer(other.value)


class Additive:
    """Base of everything that accumulates; see the module docstring."""

    configuration: ClassVar[tuple[str, ...]] = ()
    """Attributes that are no sums: the same in an empty copy, and left alone by `merge`."""
    _kept: ClassVar[frozenset[str]] = frozenset()
    """The configuration of the class and of its bases."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._kept = frozenset(name for base in cls.__mro__ for name in base.__dict__.get("configuration", ()))

    def empty_copy(self) -> Self:
        """A copy with the same configuration and empty sums."""
        # Thousands of bets are copied and merged in a run: plain dictionaries, and numbers first, halve the time.
        blank = object.__new__(type(self))
        kept, own = self._kept, blank.__dict__
        for name, value in self.__dict__.items():
            if name in kept:
                own[name] = value
            elif (zero := ZEROS.get(type(value))) is not None:
                own[name] = zero
            else:
                own[name] = _empty(value, type(self), name)
        return blank

    def merge(self, other: Self) -> None:
        """Adds the sums of another to these."""
        kept, own = self._kept, self.__dict__
        for name, value in other.__dict__.items():
            if name not in kept:
                mine = own[name]
                own[name] = mine + value if type(mine) is float or type(mine) is int else _added(mine, value)


ZEROS: dict[type, Any] = {int: 0, float: 0.0}
"""The empty sums of plain numbers, which most sums are."""


def _empty(value: Any, owner: type, name: str) -> Any:
    if isinstance(value, Additive):
        return value.empty_copy()
    if isinstance(value, np.ndarray):
        return np.zeros(value.shape, value.dtype)
    if isinstance(value, dict):
        if isinstance(value, Tally):
            return Tally()
        return {
            key: part.empty_copy() if isinstance(part, Additive) else _empty(part, owner, name)
            for key, part in value.items()
        }
    if value is None:
        return None
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return type(value)(0)
    if hasattr(value, "empty_copy") and hasattr(value, "merge"):
        return value.empty_copy()
    where = f"{owner.__name__}.{name}"
    raise TypeError(f"{where} is {value!r}, which does not add up: list it in `configuration`, or make it a sum")


def _added(value: Any, other: Any) -> Any:
    if isinstance(value, Additive):
        value.merge(other)
        return value
    if isinstance(value, np.ndarray):
        # Not in place: an array under a key that was new here still belongs to the other.
        return value + other
    if isinstance(value, dict):
        for key, part in other.items():
            if key not in value:
                value[key] = part
            elif isinstance(part, Additive):
                value[key].merge(part)
            else:
                value[key] = _added(value[key], part)
        return value
    if other is None:
        return value
    if hasattr(value, "merge"):
        value.merge(other)
        return value
    return value + other
