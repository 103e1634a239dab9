"""The nrverify command: everything heavy is imported where it is used, so that `--help` is instant."""

from __future__ import annotations

import difflib
import sys
from typing import Any

import click

EXIT_REFUTED = 1
EXIT_USAGE = 2
EXIT_OWN_FAULT = 70
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


COMMANDS = {
    "verify": ("nrverify.commands.verify", "Settle the paper's 100 statements by evidence that can fail."),
    "explain": ("nrverify.commands.explain", "A claim in full: statement, verdict, correction, derivation."),
    "audit": ("nrverify.commands.audit", "Audit an implementation: is it what it claims to be?"),
    "replay": ("nrverify.commands.replay", "Recompute a recorded verdict without the subject."),
    "vectors": ("nrverify.commands.vectors", "Certified test vectors for implementers in any language."),
    "calibrate": ("nrverify.commands.calibrate", "The instrument tested on mutants and on correct code."),
    "reproduce": ("nrverify.commands.reproduce", "The paper's figures and findings, on its data or synthetic."),
    "benchmark": ("nrverify.commands.benchmark", "Speed and memory as ratios against the machine's limits."),
}
"""Each command's module and its line in the help."""


class ClosestMatchGroup(click.Group):
    """Loads a command when it is asked for, and suggests the closest one for a name it does not know."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        import importlib

        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.4)
            hint = f" Did you mean '{close[0]}'?" if close else f" Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=ClosestMatchGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nrverify", prog_name="nrverify")
def cli() -> None:
    """Settles whether noise-reduction differential privacy is right: the paper's mathematics, and its code."""


def main() -> None:
    """Runs the command; a fault of nrverify's own ends with exit code 70 and one sentence."""
    import os

    try:
        sys.exit(cli.main(prog_name="nrverify", standalone_mode=False) or 0)
    except click.exceptions.Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.ClickException as mistake:
        mistake.show()
        sys.exit(mistake.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: no verdict", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:
        # Whoever reads the output has gone, or its disk is full: no verdict has these codes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            sys.exit(EXIT_BROKEN_PIPE)
        click.echo(f"nrverify: {error.strerror or error}", err=True)
        sys.exit(EXIT_USAGE)
    except Exception as error:
        if os.environ.get("NRVERIFY_DEBUG"):
            raise
        click.echo(
            f"nrverify: a fault of its own: {type(error).__name__}: {error}\n"
            "Please report it; NRVERIFY_DEBUG=1 shows where it happened.",
            err=True,
        )
        sys.exit(EXIT_OWN_FAULT)


if __name__ == "__main__":
    main()
