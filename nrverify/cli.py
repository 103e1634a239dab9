"""The nrverify command: everything heavy is imported where it is used, so that `--help` is instant."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from nrverify.closest import closest

EXIT_USAGE = 2
"""As click and most shells have it."""
EXIT_OWN_FAULT = 70
"""EX_SOFTWARE of sysexits.h: an internal error is told from a refutation."""
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as of a program that Ctrl-C has ended."""
EXIT_BROKEN_PIPE = 141
"""128 + SIGPIPE, as of a program that the closed pipe has ended: the verdict was not delivered, and is none."""

EXIT_CODES = """\b
Exit codes of every command:
  0    nothing refuted, everything as it should be
  1    refuted, or something is not as it should be
  2    usage error: in the command, its files or its configuration
  3    the subject could not be run
  4    inconclusive
  70   an internal error of nrverify
  129, 130, 143  ended by SIGHUP, SIGINT or SIGTERM (128 + the signal's number): no verdict
  141  whoever read the output has closed it; reports asked for as files are written
"""


COMMANDS = {
    "verify": ("nrverify.commands.verify", "Settle the paper's 100 statements by evidence that can fail."),
    "explain": ("nrverify.commands.explain", "A claim: statement, verdict, correction, proof; or a check."),
    "audit": ("nrverify.commands.audit", "Audit an implementation: is it what it claims to be?"),
    "replay": ("nrverify.commands.replay", "Recompute a recorded verdict without the subject."),
    "law": ("nrverify.commands.law", "Test a law of noise of one's own, before it judges anything."),
    "diff": ("nrverify.commands.diff", "What changed between two reports of audits."),
    "protocol": ("nrverify.commands.protocol", "The protocol of subjects in other languages, in a page."),
    "vectors": ("nrverify.commands.vectors", "Certified test vectors for implementers in any language."),
    "calibrate": ("nrverify.commands.calibrate", "Test the auditor itself on mutants and on correct code."),
    "reproduce": ("nrverify.commands.reproduce", "The paper's figures and findings, on its data or synthetic."),
    "benchmark": ("nrverify.commands.benchmark", "Speed and memory as ratios against the machine's limits."),
}
"""Each command's module and its line in the help."""


class OutputClosed(click.ClickException):
    """Whoever read the output has gone: there is nobody to tell."""

    exit_code = EXIT_BROKEN_PIPE

    def show(self, file: IO[Any] | None = None) -> None:
        """Nothing."""


@contextmanager
def _noticing_a_closed_pipe() -> Iterator[None]:
    """Left to themselves click and rich end with 1 then, which means refuted."""
    try:
        yield
    except BrokenPipeError as error:
        raise OutputClosed("output closed") from error
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):
            raise OutputClosed("output closed") from leaving
        raise


class ClosestMatchGroup(click.Group):
    """Loads a command when it is asked for, and suggests the closest one for a name it does not know."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _noticing_a_closed_pipe():  # as --help prints
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _noticing_a_closed_pipe():
            return super().invoke(ctx)

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
            close = closest(name, COMMANDS)
            hint = f" Did you mean '{close}'?" if close else f" Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=ClosestMatchGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(package_name="nrverify", prog_name="nrverify")
def cli() -> None:
    """Settles whether noise-reduction differential privacy is right: the paper's mathematics, and its code."""


def main() -> None:
    """Runs the command; an internal error ends with exit code 70 and one sentence."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    from nrverify.platforms import unsupported

    if (why := unsupported()) is not None:
        sys.exit(_refused(why))
    from nrverify.processes import leaving

    leaving.listen()
    try:
        code = _exit_code()
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        # Whoever reads the output has gone, or its disk is full: no verdict has these codes.
        code = _say_nothing_more(error)
    if (number := leaving.told()) is not None:
        leaving.end_now(number)
    if leaving.abandoned():
        leaving.end_with(code)
    leaving.sweep()
    sys.exit(code)


def _refused(why: str) -> int:
    click.echo(why, err=True)
    return EXIT_USAGE


def _exit_code() -> int:
    """What the command comes to; `OSError` where its output cannot be written."""
    from nrverify.processes.leaving import Told

    try:
        return int(cli.main(prog_name="nrverify", standalone_mode=False) or 0)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as mistake:
        from nrverify.plain_text import plain_text

        object.__setattr__(mistake, "message", plain_text(mistake.message))
        mistake.show()
        return mistake.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: no verdict", err=True)
        return EXIT_INTERRUPTED
    except Told:
        return EXIT_INTERRUPTED
    except OSError:
        raise
    except Exception as error:
        if os.environ.get("NRVERIFY_DEBUG"):
            raise
        from nrverify.plain_text import plain_text

        click.echo(
            f"nrverify: internal error: {type(error).__name__}: {plain_text(str(error))}\n"
            "Please report it; NRVERIFY_DEBUG=1 shows where it happened.",
            err=True,
        )
        return EXIT_OWN_FAULT


def _say_nothing_more(error: OSError) -> int:
    """Lets go of the streams, so that the interpreter does not stumble over them when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if isinstance(error, BrokenPipeError):
        os.dup2(nowhere, 2)
        return EXIT_BROKEN_PIPE
    click.echo(f"nrverify: {error.strerror or error}", err=True)
    return EXIT_USAGE


if __name__ == "__main__":
    main()
