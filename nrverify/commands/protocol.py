"""`nrverify protocol`: the page that an engineer in another language needs."""

from __future__ import annotations

from importlib.resources import files

import click


@click.command(name="protocol")
@click.option("--records", is_flag=True, help="The format of records: files in its place.")
def command(records: bool) -> None:
    """Print the protocol that a subject in another language speaks: one JSON object per line (cmd:PROGRAM)."""
    click.echo((files("nrverify.subjects") / ("RECORDS.md" if records else "PROTOCOL.md")).read_text("utf-8"), nl=False)
