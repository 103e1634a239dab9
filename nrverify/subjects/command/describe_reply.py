"""The reply to describe: what a subject in another process says of itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from nrverify.subjects.attributes import misspelt
from nrverify.subjects.command.json_lines import BadReply, excerpt
from nrverify.subjects.describe import attributes, describe, in_protocol, methods_of
from nrverify.subjects.description import ANY, METHODS, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.noise_families import own_names

PROTOCOL = 1
"""The version of PROTOCOL.md; it is raised when a subject of the old version would be misunderstood."""
KNOWN_METHODS = ("open", "sample", "play", "run", "run_many", "epsilon", "time", "time_of", "delta_of")
"""Those of all mechanisms: looked for where the mechanism named is unknown."""


@dataclass(frozen=True)
class Described:
    """A description, and the encoding its transcripts are asked for in (None is JSON)."""

    description: Description
    encoding: str | None


def read_description(result: Any) -> Described:
    """The description in a reply; what is absent may be left out or null, what is unknown is ignored."""
    if not isinstance(result, dict):
        raise BadReply(f"is not a description: {excerpt(result)}")
    protocol = result.get("protocol")
    if protocol is not None and protocol != PROTOCOL:
        raise BadReply(f"speaks protocol {excerpt(protocol)}: this nrverify speaks {PROTOCOL}")
    given = {name: _printable(said) for name, said in result.items()}
    mechanism = given.get("mechanism")
    if mechanism == "private-stopping":
        raise SubjectFailed("private stopping is audited in Python only: its utility is a function, not JSON")
    given["methods"] = _names(given.get("methods"), "methods", needed=_methods_of(mechanism))
    if mechanism in ANY and _charges(given):
        given["methods"] = [*given["methods"], "spent"]
    description = describe(given)
    found = misspelt(attributes(), given, description, description.mechanism)
    encodings = _names(result.get("encodings"), "encodings", needed=None)
    preferred = ("i64le", "f64le") if description.integer else ("f64le",)
    return Described(
        replace(description, misspelt=found), next((name for name in preferred if name in encodings), None)
    )


def _charges(given: dict[str, Any]) -> bool:
    """Whether each run answers what it has spent: where that is the only claim there is."""
    others = given.get("epsilon") is not None or "delta_of" in given["methods"]
    return given.get("smallest_epsilon") is not None and not others and "spent" not in given["methods"]


def _methods_of(mechanism: Any) -> str:
    if not isinstance(mechanism, str) or mechanism not in (*METHODS, *own_names()):
        return ", ".join(KNOWN_METHODS)
    return ", ".join((*methods_of(mechanism), *in_protocol(mechanism)))


def _names(value: Any, key: str, needed: str | None) -> list[str]:
    """A list of names; `needed` says which there are when it must not be left out."""
    if value is None and needed is None:
        return []
    if value is None:
        raise BadReply(f"has no {key}: it must list what the subject offers of {needed}")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadReply(f"has {key} {excerpt(value)}: a list of names is needed")
    return value


def _printable(value: Any) -> Any:
    return excerpt(value, 100) if isinstance(value, str) else value
