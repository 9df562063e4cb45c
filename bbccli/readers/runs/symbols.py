"""What calls and states in a pickle of an array stand for; nothing is called but what is here."""

from __future__ import annotations

import math
import re
from enum import Enum, auto
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_MOST_AXES = 32
_LARGEST_AXIS = 2**40
_PLAIN = re.compile(r"[A-Za-z0-9_.]{1,100}")


class RefusedError(Exception):
    """Why a pickle is none of an array."""


class Name(Enum):
    """A function or class that a pickle of an array names: a symbol, never the thing itself."""

    RECONSTRUCT = auto()
    FROM_BUFFER = auto()
    NDARRAY = auto()
    DTYPE = auto()
    ENCODE = auto()
    BYTES = auto()


_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"): Name.RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): Name.RECONSTRUCT,
    ("numpy.core.numeric", "_frombuffer"): Name.FROM_BUFFER,
    ("numpy._core.numeric", "_frombuffer"): Name.FROM_BUFFER,
    ("numpy", "ndarray"): Name.NDARRAY,
    ("numpy", "dtype"): Name.DTYPE,
    ("_codecs", "encode"): Name.ENCODE,  # how protocol 2 writes bytes
    ("__builtin__", "bytes"): Name.BYTES,  # and how it writes none
}
_CODES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
_NUMPY = {
    (code, order): np.dtype(f"{order}{code}")
    for code in _CODES
    for order in ("|" if code.endswith("1") else "<>")
}
_NEW_ARRAY = (Name.NDARRAY, (0,), memoryview(b"b"))
_PLAIN_DTYPE = (3, None, None, None, -1, -1, 0)


class DtypeState:
    """A dtype: `numpy` is None until its byte order is told."""

    def __init__(self, code: Any) -> None:
        if code not in _CODES:
            refuse("it holds objects, texts or records, not numbers")
        self.code = code
        self.numpy: np.dtype[Any] | None = None

    def build(self, version: Any, order: Any, *rest: Any) -> None:
        """Tell the byte order."""
        kind = _NUMPY.get((self.code, order))
        if self.numpy is not None or kind is None or (version, *rest) != _PLAIN_DTYPE:
            refuse("its dtype is not a plain one")
        self.numpy = kind


class Held:
    """An array: `values` is None until its numbers are told."""

    def __init__(self, values: Array | None = None) -> None:
        self.values = values

    def build(self, version: Any, shape: Any, kind: Any, by_column: Any, raw: Any) -> None:
        """Tell shape and numbers."""
        if self.values is not None or version != 1 or by_column not in (False, True):
            refuse("its array is of an unknown version")
        self.values = _array(raw, kind, shape, "F" if by_column else "C")


def refuse(reason: str) -> NoReturn:
    """Raise the error that ends the reading."""
    raise RefusedError(reason)


def known(module: Any, name: Any) -> Name:
    """Return the symbol of a name; one that no array needs is refused.

    Raises
    ------
    RefusedError
        Any other name.
    """
    symbol = _NAMES.get((module, name))
    if symbol is None:
        plain = all(isinstance(one, str) and _PLAIN.fullmatch(one) for one in (module, name))
        refuse(f"it names {f'{module}.{name}' if plain else 'something'}, which no array needs")
    return symbol


def called(symbol: Any, arguments: Any) -> Any:
    """Return what a call would give: an array, a dtype, or bytes.

    Raises
    ------
    RefusedError
        Any other call.
    """
    if isinstance(symbol, Name) and isinstance(arguments, tuple):
        if symbol is Name.RECONSTRUCT and arguments == _NEW_ARRAY:
            return Held()
        if symbol is Name.FROM_BUFFER:
            return Held(_from_buffer(*arguments))
        if symbol is Name.DTYPE and arguments[1:] == (False, True):
            return DtypeState(arguments[0])
        if symbol is Name.ENCODE and arguments[1:] == ("latin1",) and isinstance(arguments[0], str):
            return memoryview(arguments[0].encode("latin-1"))
        if symbol is Name.BYTES and arguments == ():
            return memoryview(b"")
    return refuse("it makes something other than an array")


def built(target: Any, state: Any) -> None:
    """Give a dtype its byte order, or an array its numbers; each once.

    Raises
    ------
    RefusedError
        Another target, another state, a second time.
    """
    if not isinstance(target, DtypeState | Held) or not isinstance(state, tuple):
        refuse("it changes something other than an array")
    target.build(*state)


def _from_buffer(raw: Any, kind: Any, shape: Any, order: Any, axes: Any = None) -> Array:
    """Array of protocol 5; order "K" tells the axes apart."""
    if axes is None:
        return _array(raw, kind, shape, order)
    if order != "K" or not _is_whole(axes) or sorted(axes) != list(range(len(shape))):
        refuse("its array has an unknown order")
    return _array(raw, kind, shape, "C").transpose(axes)


def _array(raw: Any, kind: Any, shape: Any, order: Any) -> Array:
    """View of bytes that a shape fills exactly."""
    if not isinstance(raw, memoryview) or not isinstance(kind, DtypeState) or kind.numpy is None:
        refuse("its array is not made of plain numbers")
    if (
        not _is_whole(shape)
        or len(shape) > _MOST_AXES
        or math.prod(max(n, 1) for n in shape) > _LARGEST_AXIS
    ):
        refuse("its array has an impossible shape")
    if order not in ("C", "F"):
        refuse("its array has an unknown order")
    if math.prod(shape) * kind.numpy.itemsize != len(raw):
        refuse("the shape of its array does not fit its bytes")
    if kind.code == "b1" and len(raw) and np.frombuffer(raw, np.uint8).max() > 1:
        refuse("its truth values are neither true nor false")
    values = np.frombuffer(raw, kind.numpy) if len(raw) else np.empty(0, kind.numpy)
    values = np.require(values, kind.numpy.newbyteorder("="), "A")
    values.flags.writeable = False
    return values.reshape(shape, order=order)


def _is_whole(numbers: Any) -> bool:
    """Whether these are whole numbers of an array: a shape, or axes."""
    return isinstance(numbers, tuple) and all(
        type(n) is int and 0 <= n <= _LARGEST_AXIS for n in numbers
    )
