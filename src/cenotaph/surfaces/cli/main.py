"""The command line's one door: parse, import the verb, run it, and turn what happens into an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from cenotaph.errors import CenotaphError, OutputError
from cenotaph.surfaces.cli.parsers import HOME, UsageError, build_parser

__all__ = ["entry", "run"]

_interrupted: Final = 130
_reader_gone: Final = 141
"""As a shell counts a program that a closed pipe ended; nothing failed, so nothing is said."""


def entry() -> int:
    """What the `cenotaph` command does; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return run(sys.argv[1:])


def run(argv: Sequence[str]) -> int:
    """One command.

    Args:
        argv: The words after `cenotaph`.

    Returns:
        0 fine, 1 findings or a gap, 2 could not do it, 3 halted by the budget; 130 after Ctrl-C.
    """
    if sys.stdout is None or sys.stderr is None:  # a closed descriptor: nothing could be said
        return CenotaphError.exit_status
    try:
        status = _run(argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _silence(sys.stdout.fileno())
        return _reader_gone
    except KeyboardInterrupt:
        sys.stderr.write("\ncenotaph: interrupted; no file was half written\n")
        return _interrupted


def _run(argv: Sequence[str]) -> int:
    try:
        args = build_parser().parse_args(argv)
        if args.verb is None:
            build_parser().print_help(sys.stderr)
            raise UsageError("no verb was given.", next_step="For a first look: cenotaph demo")
        status: int = import_module(f"cenotaph.surfaces.cli.{HOME[args.verb]}").run(args)
        return status
    except SystemExit as done:  # argparse, after --help and --version
        return int(done.code or 0)
    except BrokenPipeError:
        raise
    except CenotaphError as error:
        return _failed(error, argv)
    except MemoryError:
        return _failed(CenotaphError("there is not enough memory for this input."), argv)
    except Exception as error:  # noqa: BLE001 - the last line of defence: reported, never swallowed
        return _internal(error, argv)


def _failed(error: CenotaphError, argv: Sequence[str]) -> int:
    from cenotaph.surfaces.cli.talk import failure, give_json, say_failure

    say_failure(error)
    if "--json" in argv:
        try:
            give_json(failure(error))
        except OutputError as second:
            say_failure(second)
    return error.exit_status


def _internal(error: Exception, argv: Sequence[str]) -> int:
    """A defect of ours: one line, and where it happened only for those who ask."""
    from cenotaph.api.places import traceback_wanted

    if traceback_wanted():
        import traceback

        traceback.print_exception(error)
    defect = CenotaphError(
        f"internal error ({type(error).__name__}: {error}); please report it.",
        next_step="CENOTAPH_TRACEBACK=1 shows where it happened. Your files are as they were.",
    )
    return _failed(defect, argv)


def _silence(descriptor: int) -> None:
    """What is still buffered goes nowhere, instead of failing once more when the interpreter ends."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, descriptor)
    os.close(devnull)


if __name__ == "__main__":
    sys.exit(entry())
