"""The types of an official package, read as strictly as they are written.

An SDK's `TypedDict`s are hints for a type checker. Asked as they are, pydantic lets unknown keys pass, takes
a list declared as `Iterable` without looking into it, and may match a plain object with one of the package's
lenient response models, which stand in the same unions. Here each `TypedDict` forbids what it does not name,
each iterable is a list whose every item is looked at, nothing is converted, and of a union only what JSON can
hold is left.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any, Literal, Union, get_args, get_origin

import pytest

pydantic = pytest.importorskip("pydantic", reason="needs pydantic, which the official packages bring")
typing_extensions = pytest.importorskip("typing_extensions", reason="needs typing_extensions, which pydantic brings")

_PLAIN = (str, int, float, bool, type(None))
_LISTS = (list, Iterable, Sequence)


class _NotJSON(Exception):
    """A declared type that no JSON value has."""


class _Reader:
    def __init__(self) -> None:
        self.read: dict[Any, Any] = {}

    def strict(self, declared: Any) -> Any:
        """The strict counterpart of a declared type.

        Raises:
            _NotJSON: Bytes, files, and objects of the package.
        """
        origin, args = get_origin(declared), get_args(declared)
        if declared in _PLAIN or origin is Literal:
            return declared
        if declared in (object, Any):
            return Any
        if typing_extensions.is_typeddict(declared):
            return self._object(declared)
        if origin in (Union, types.UnionType):
            return self._union(args)
        if origin in (typing_extensions.Annotated, typing_extensions.Required, typing_extensions.NotRequired):
            return self.strict(args[0])
        if origin in _LISTS:
            return list[self.strict(args[0])]  # type: ignore[misc]
        if origin is dict:
            return dict[str, self.strict(args[1])]  # type: ignore[misc]
        raise _NotJSON(declared)

    def _union(self, members: Iterable[Any]) -> Any:
        left = []
        for member in members:
            try:
                left.append(self.strict(member))
            except _NotJSON:
                continue
        if not left:
            raise _NotJSON(members)
        return reduce(or_, left)

    def _object(self, declared: Any) -> Any:
        """A type that contains itself is looked at as any object from there on."""
        if declared not in self.read:
            self.read[declared] = dict[str, Any]
            fields = {key: self._field(hint, declared.__total__) for key, hint in _hints(declared).items()}
            made = typing_extensions.TypedDict(declared.__name__, fields)
            made.__pydantic_config__ = {"extra": "forbid", "strict": True}
            self.read[declared] = made
        return self.read[declared]

    def _field(self, hint: Any, total: bool) -> Any:
        origin = get_origin(hint)
        needed = origin is typing_extensions.Required or (total and origin is not typing_extensions.NotRequired)
        return (typing_extensions.Required if needed else typing_extensions.NotRequired)[self.strict(hint)]


def _hints(declared: Any) -> dict[str, Any]:
    found: dict[str, Any] = typing_extensions.get_type_hints(declared, include_extras=True)
    return found


def strictly(declared: Any) -> Any:
    """A pydantic `TypeAdapter` of the strict counterpart of a package's type."""
    return pydantic.TypeAdapter(_Reader().strict(declared))
