"""Where a subject is: the file and line a code host shows beside a finding, found without importing anything."""

from __future__ import annotations

import ast
import inspect
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True)
class Location:
    """A path with forward slashes, relative to the repository where the file is in it, and a line counted from 1."""

    path: str
    line: int = 1

    @property
    def uri(self) -> str:
        """The path as a URI reference."""
        scheme = "file://" if self.path.startswith("/") else ""
        return scheme + quote(self.path, errors="backslashreplace")


def location_of(address: str | None) -> Location:
    """The place of the subject at an address; one that has no file is given a stable name of its own."""
    scheme, _, rest = (address or "").partition(":")
    found: Location | None = None
    if scheme == "python":
        found = _python(rest)
    elif scheme == "cmd":
        found = _command(rest)
    elif scheme == "records":
        found = _file(Path(rest))
    return found or Location((address or "subject").lstrip("/"))


def location_of_object(subject: Any, otherwise: Location) -> Location:
    """Where the class or function of a subject is written."""
    if isinstance(subject, str):
        return location_of(subject)
    home = subject if inspect.isclass(subject) or inspect.isroutine(subject) else type(subject)
    try:
        file, line = inspect.getsourcefile(home), inspect.getsourcelines(home)[1]
    except (OSError, TypeError):
        return otherwise
    return _file(Path(file), max(line, 1)) or otherwise if file else otherwise


def location_of_file(file: str, line: int) -> Location:
    """A line of a file."""
    return _file(Path(file), line) or Location(file.lstrip("/"), line)


def _python(rest: str) -> Location | None:
    place, _, name = rest.rpartition(":")
    if not place:
        return None
    if place.endswith(".py"):
        candidates = [Path(place)]
    else:
        parts = Path(*place.split("."))
        roots = [Path(), *(Path(entry) for entry in sys.path if entry)]
        candidates = [root / path for root in roots for path in (f"{parts}.py", parts / "__init__.py")]
    for candidate in candidates:
        if (found := _file(candidate)) is not None:
            return Location(found.path, _line_of(candidate, name))
    return None


def _command(rest: str) -> Location | None:
    """The first word of the command that is a file in the current folder: the program, or the script it is given."""
    try:
        words = shlex.split(rest)
    except ValueError:
        return None
    here = Path.cwd()
    for word in words:
        if (found := _file(Path(word))) is not None and Path(word).resolve().is_relative_to(here):
            return found
    return None


def _file(path: Path, line: int = 1) -> Location | None:
    try:
        whole = path.resolve()
        if not whole.is_file():
            return None
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
        return None
    root = _repository()
    return Location((whole.relative_to(root) if whole.is_relative_to(root) else whole).as_posix(), line)


def _repository() -> Path:
    """The nearest folder upwards that is under version control, to which code hosts take paths; else this one."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _line_of(path: Path, name: str) -> int:
    """The line where the name is bound at the top level of the file; 1 where it is not found."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return 1
    lines = [node.lineno for node in tree.body if name in _bound_by(node)]
    return lines[-1] if lines else 1


def _bound_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}
