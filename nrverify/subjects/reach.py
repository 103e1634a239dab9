"""How a subject is reached: Python in a worker process, cmd: as a process of its own, records: as a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nrverify.subjects.address import instance_of, load_python, parse
from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.description import Description
from nrverify.subjects.host import Host
from nrverify.subjects.own_laws.place import Place, use
from nrverify.subjects.python.host import PythonHost
from nrverify.subjects.records.file import RecordsFile


def opener(subject: Any, folder: str | None = None, law: Place | None = None) -> Callable[[float], Host | RecordsFile]:
    """A function of the timeout that opens the subject.

    With a folder a Python subject gets an interpreter of its own there, and this process is not forked; there the
    subject describes itself by the law of one's own at this place, if one judges.
    """

    def loaded(load: Callable[[], Any]) -> Any:
        if law is not None:
            use(law, "")
        return load()

    if not isinstance(subject, str):
        return lambda timeout: PythonHost(lambda: loaded(lambda: instance_of(subject)), timeout, folder)
    address = parse(subject)
    if address.scheme == "python":
        return lambda timeout: PythonHost(lambda: loaded(lambda: load_python(address.rest)), timeout, folder)
    if address.scheme == "cmd":
        return lambda timeout: ProcessHost(address.rest, timeout)
    return lambda timeout: RecordsFile(address.rest)


def description_of(subject: Any, timeout: float) -> Description:
    """What a subject says of itself; `SubjectFailed` where it cannot be reached or describes itself wrongly."""
    host = opener(subject)(timeout)
    host.close()
    return host.description
