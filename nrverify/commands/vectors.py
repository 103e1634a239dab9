"""`nrverify vectors`: writes the certified test vectors, or checks that those in a folder are current."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nrverify.commands.options import (
    check_writable,
    executor_for,
    jobs_option,
    make_folder,
    quiet_option,
    write_document,
)
from nrverify.plain_text import plain_text

if TYPE_CHECKING:
    from nrverify.vectors.generation import Progress


@click.command(name="vectors")
@click.option(
    "--out", "folder", metavar="DIR", default="vectors", show_default=True, help="The folder, one file per function."
)
@click.option("--schema", "schema_file", metavar="FILE", help="Also the JSON Schema of the files ('-': only that).")
@click.option("--check", is_flag=True, help="Write nothing: compare with what is there, exit 1 where it differs.")
@jobs_option
@quiet_option
def command(folder: str, schema_file: str | None, check: bool, jobs: int | None, quiet: bool) -> None:
    """Write certified test vectors as JSON, for implementers in any language.

    Every number is a decimal string with a certified radius, computed in ball arithmetic. The output is the same byte
    for byte on every machine. Exit code 0; with --check 1 when a file differs or is missing; 2 for a mistake.
    """
    from nrverify.vectors.schema import schema_text

    if schema_file == "-":
        if check:
            raise click.UsageError("--check compares files: name the schema's file instead of '-'")
        write_document("-", schema_text())
        return
    path = _folder(folder, check)
    if schema_file is not None and not check:
        check_writable(schema_file)
    from nrverify.vectors.generation import file_texts

    with executor_for(jobs) as executor:
        texts = file_texts(executor, _progress_line(quiet))
    documents = {path / name: content for name, content in texts.items()}
    if schema_file is not None:
        documents[Path(schema_file)] = schema_text()
    if check:
        sys.exit(_compare(documents, path, quiet))
    for file, content in documents.items():
        write_document(str(file), content)
    if not quiet:
        click.echo(plain_text(f"{len(texts)} files of certified test vectors in {folder}", one_line=True))


def _folder(name: str, check: bool) -> Path:
    """The folder, made where it is missing and to be written."""
    path = Path(name)
    if name in ("", "-") or "\0" in name or (path.exists() and not path.is_dir()):
        raise click.UsageError(f"--out {name!r} is not a folder: name one that exists or can be made")
    if check:
        if not path.is_dir():
            raise click.UsageError(f"no folder {name!r} to check: write it first, with nrverify vectors --out {name}")
        return path
    try:
        make_folder(path)
    except OSError as error:
        raise click.UsageError(f"cannot make the folder {name!r}: {error.strerror or error}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise click.UsageError(f"cannot write in the folder {name!r}: name one that is writable")
    return path


def _compare(documents: dict[Path, str], folder: Path, quiet: bool) -> int:
    """1 where a file differs, is missing or is left over, each named; else 0."""
    from nrverify.vectors.generation import difference, is_vectors

    faults = []
    for file, content in documents.items():
        try:
            where = difference(content, file.read_bytes())
        except OSError as error:
            faults.append(f"{file}: cannot be read: {error.strerror or error}")
            continue
        if where is not None:
            faults.append(f"{file}: differs from what is generated, first at {where}")
    for file in sorted(folder.glob("*.json")):
        if file not in documents and file.is_file() and is_vectors(file.read_bytes()):
            faults.append(f"{file}: is not generated any more; delete it")
    for fault in faults:
        click.echo(plain_text(fault, one_line=True), err=True)
    if not faults and not quiet:
        click.echo(f"{len(documents)} files are current")
    return 1 if faults else 0


def _progress_line(quiet: bool) -> Progress | None:
    """A line on a terminal's standard error that says how far the run is."""
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int, name: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{done}/{total} {name}" if done < total else "\r\x1b[2K")
        sys.stderr.flush()

    return show
