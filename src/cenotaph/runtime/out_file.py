"""A file that appears whole or not at all.

The view is written beside its target and renamed over it once it is on the disk: a reader sees the
old file or the new one, and a full disk, a crash or an interrupt leaves the old one.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from cenotaph.errors import OutputError

__all__ = ["OutFile", "reserved"]


class OutFile(Protocol):
    """Takes the bytes of a file, once."""

    def write(self, data: bytes) -> None:
        """Makes them durable; raises `OutputError` if that can't be."""


@contextmanager
def reserved(path: str, *, not_over: Sequence[str] = ()) -> Iterator[OutFile]:
    """Holds a place for a file before the work for it begins, so that a bad place is refused early.

    Args:
        path: Where the file is to stand; a link is followed; a device is written to as it is.
        not_over: Files that must not be overwritten by it.

    Raises:
        OutputError: It can't be written there, or it would overwrite one of `not_over`.
    """
    for other in not_over:
        if _same(path, other):
            raise OutputError(
                f"{path} is {other}, which is only read and never overwritten; nothing was written.",
                next_step="Name another file with -o.",
                file=path,
            )
    real = os.path.realpath(path)
    try:
        mode: int | None = os.stat(real).st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _refusal(path, error) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder; a file was expected.", next_step="Name a file in it.", file=path)
    if mode is not None and not stat.S_ISREG(mode):
        yield _Device(path)
        return
    beside = f"{real}.{secrets.token_hex(4)}.part"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
    except OSError as error:
        raise _refusal(path, error) from error
    place = _Beside(path, real, beside, descriptor)
    try:
        yield place
    finally:
        place.close()


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def _refusal(path: str, error: OSError) -> OutputError:
    folder = os.path.dirname(path) or "."
    step = "Free some space, or name another place with -o."
    if not os.path.isdir(folder):
        step = f"Make the folder {folder} first."
    elif error.errno in (13, 30):
        step = "Give write access, or name another place with -o."
    return OutputError(
        f"{path} can't be written: {error.strerror or error}. What stood there is as it was.",
        next_step=step,
        file=path,
    )


class _Device:
    """A pipe or a device: there is nothing to rename."""

    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, data: bytes) -> None:
        try:
            with open(self._path, "wb", buffering=0) as file:
                _write_all(file.fileno(), data)
        except OSError as error:
            raise _refusal(self._path, error) from error


class _Beside:
    def __init__(self, path: str, real: str, beside: str, descriptor: int) -> None:
        self._path, self._real, self._beside = path, real, beside
        self._descriptor: int | None = descriptor
        self._done = False

    def write(self, data: bytes) -> None:
        assert self._descriptor is not None
        try:
            _write_all(self._descriptor, data)
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
            os.replace(self._beside, self._real)
            self._done = True
            _sync_folder(os.path.dirname(self._real))
        except OSError as error:
            raise _refusal(self._path, error) from error

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        if not self._done:
            with suppress(FileNotFoundError):
                os.unlink(self._beside)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: str) -> None:
    """The rename itself is durable; where a folder can't be opened (Windows) the system sees to it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
