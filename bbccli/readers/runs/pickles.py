"""Arrays out of a pickle that is never unpickled: nothing that it names is imported or called.

A pickle is a program for a stack. The few binary opcodes that write arrays are walked here with
symbols in place of functions; an array is a view of the file's own bytes. All else is refused
before it is looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError

Array = NDArray[Any]

MOST_OPCODES = 10_000
"""An array takes about 40."""

_PROTOCOLS = (2, 3, 4, 5)
_LONGEST_NAME = 100
_MOST_ITEMS = 64
_DEEPEST = 8
_MOST_AXES = 32
_LARGEST_AXIS = 2**40
_PLAIN = re.compile(r"[A-Za-z0-9_.]{1,100}")
_HINT = "pickles are never loaded; export the predictions as Parquet or CSV"


def arrays_of(data: bytes, name: str) -> Array | dict[str, Array]:
    """Return the array of a pickle, or the arrays of a pickled dictionary by their keys.

    Real numbers, whole numbers and truth values are read, in protocols 2 to 5, as numpy 1 and 2
    write them. The arrays are read-only and in the processor's byte order: each is a view of
    `data`, or a copy where `data` does not hold it as the processor needs it.

    Parameters
    ----------
    data
        All bytes of the file.
    name
        The file, for messages.

    Raises
    ------
    InputError
        Anything else: another object, a name that no array needs, a damaged file.
    """
    try:
        return _Machine(data).run()
    except RefusedError as error:
        reason = str(error)
    except (IndexError, KeyError, TypeError, ValueError):
        reason = "it is damaged, or holds something else"
    raise InputError(f"is not a pickled array of numbers: {reason}", path=name, hint=_HINT)


class _Machine:
    """The stack of a pickle; `below` holds the stacks below the open marks."""

    def __init__(self, data: bytes) -> None:
        self.data = memoryview(data)
        self.at = 0
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.frame_end = 0
        self.left = 2 * len(data)

    def run(self) -> Array | dict[str, Array]:
        """Walk to the end and return what is left on the stack."""
        if self.natural(1) != 0x80 or self.natural(1) not in _PROTOCOLS:
            _refuse("it does not start as a pickle of protocol 2 to 5")
        for _ in range(MOST_OPCODES):
            opcode = self.natural(1)
            if opcode == _STOP:
                return self.result()
            action = _ACTIONS.get(opcode)
            if action is None:
                _refuse(f"opcode 0x{opcode:02x} at byte {self.at - 1} writes no array")
            action(self)
        return _refuse(f"it has more than {MOST_OPCODES:,} opcodes")

    def result(self) -> Array | dict[str, Array]:
        """Return the one thing on the stack, if it is an array or a dictionary of arrays."""
        (value,) = self.stack
        if self.below or self.at != len(self.data):
            _refuse("it does not end where it says")
        if isinstance(value, dict):
            return {key: _values(array) for key, array in value.items()}
        return _values(value)

    def take(self, size: int) -> memoryview:
        """Return the next bytes."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            _refuse("it ends too early")
        if start < self.frame_end < self.at:
            _refuse("an opcode crosses the end of its frame")
        return self.data[start : self.at]

    def natural(self, width: int) -> int:
        """Return the next whole number of so many bytes."""
        return int.from_bytes(self.take(width), "little")

    def integer(self, width: int) -> None:
        """Push a number with a sign."""
        if width > 8:
            _refuse("it has a number of more than 8 bytes")
        self.stack.append(int.from_bytes(self.take(width), "little", signed=True))

    def text(self, width: int) -> None:
        """Push a text whose length stands before it."""
        self.stack.append(str(self.take(self.natural(width)), "utf-8"))

    def frame(self) -> None:
        """Begin a frame: opcodes that a slow reader may fetch at once."""
        size = self.natural(8)
        if self.at < self.frame_end:
            _refuse("a frame begins in another")
        self.frame_end = self.at + size
        if self.frame_end > len(self.data):
            _refuse("it ends too early")

    def mark(self) -> None:
        """Begin a list of items."""
        if len(self.below) == _DEEPEST:
            _refuse("it is nested too deeply")
        self.below.append(self.stack)
        self.stack = []

    def marked(self) -> list[Any]:
        """End a list of items and return them."""
        items, self.stack = self.stack, self.below.pop()
        return items

    def popped(self, count: int) -> list[Any]:
        """Take the last items from the stack."""
        return [self.stack.pop() for _ in range(count)][::-1]

    def tuple(self, items: list[Any]) -> None:
        """Push a tuple; those of arrays are short and at most two deep."""
        inner = [item for item in items if isinstance(item, tuple)]
        if len(items) > _MOST_ITEMS or any(isinstance(one, tuple) for i in inner for one in i):
            _refuse("it is nested too deeply")
        self.stack.append(tuple(items))

    def set_items(self, items: list[Any]) -> None:
        """Put arrays into the dictionary on the stack."""
        target = self.stack[-1]
        for key, array in zip(items[::2], items[1::2], strict=True):
            if not (
                isinstance(target, dict) and isinstance(key, str) and isinstance(array, ArrayState)
            ):
                _refuse("it holds more than arrays by name")
            target[key] = array

    def remember(self, index: int) -> None:
        """Put what is on the stack into the memo."""
        if index >= MOST_OPCODES:
            _refuse("it remembers too much")
        self.memo[index] = self.stack[-1]

    def line(self) -> str:
        """Return the text up to the next line break."""
        start = self.at
        while self.natural(1) != ord("\n"):
            if self.at - start > _LONGEST_NAME:
                _refuse("it names something too long")
        return str(self.data[start : self.at - 1], "utf-8")

    def reduce(self) -> None:
        """Push what a call would give."""
        symbol, arguments = self.popped(2)
        self.spend(arguments)
        self.stack.append(_call(symbol, arguments))

    def build(self) -> None:
        """Give the thing on the stack its state."""
        state = self.stack.pop()
        self.spend(state)
        _set_state(self.stack[-1], state)

    def spend(self, arguments: Any) -> None:
        """Count the bytes that may be copied, so that a small file never fills the memory."""
        items = arguments if isinstance(arguments, tuple) else ()
        self.left -= sum(len(item) for item in items if isinstance(item, str | memoryview))
        if self.left < 0:
            _refuse("it uses the same bytes again and again")


def _values(array: Any) -> Array:
    if not isinstance(array, ArrayState) or array.values is None:
        _refuse("it holds something else")
    return array.values


class RefusedError(Exception):
    """The reason why a pickle is refused."""


class Symbol(Enum):
    """A function or class that a pickle of an array names: a symbol, never the thing itself."""

    RECONSTRUCT = auto()
    FROM_BUFFER = auto()
    NDARRAY = auto()
    DTYPE = auto()
    ENCODE = auto()
    BYTES = auto()


_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"): Symbol.RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): Symbol.RECONSTRUCT,
    ("numpy.core.numeric", "_frombuffer"): Symbol.FROM_BUFFER,
    ("numpy._core.numeric", "_frombuffer"): Symbol.FROM_BUFFER,
    ("numpy", "ndarray"): Symbol.NDARRAY,
    ("numpy", "dtype"): Symbol.DTYPE,
    ("_codecs", "encode"): Symbol.ENCODE,  # how protocol 2 writes bytes
    ("__builtin__", "bytes"): Symbol.BYTES,  # and how it writes none
}
_CODES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
_NUMPY = {
    (code, order): np.dtype(f"{order}{code}")
    for code in _CODES
    for order in ("|" if code.endswith("1") else "<>")
}
_NEW_ARRAY = (Symbol.NDARRAY, (0,), memoryview(b"b"))
_PLAIN_DTYPE = (3, None, None, None, -1, -1, 0)


class DtypeState:
    """A dtype: `numpy` is None until its state gives the byte order."""

    def __init__(self, code: Any) -> None:
        if code not in _CODES:
            _refuse("it holds objects, texts or records, not numbers")
        self.code = code
        self.numpy: np.dtype[Any] | None = None

    def build(self, version: Any, order: Any, *rest: Any) -> None:
        """Set the byte order."""
        kind = _NUMPY.get((self.code, order))
        if self.numpy is not None or kind is None or (version, *rest) != _PLAIN_DTYPE:
            _refuse("its dtype is not a plain one")
        self.numpy = kind


class ArrayState:
    """An array: `values` is None until its state gives the numbers."""

    def __init__(self, values: Array | None = None) -> None:
        self.values = values

    def build(self, version: Any, shape: Any, kind: Any, by_column: Any, raw: Any) -> None:
        """Set shape and numbers."""
        if self.values is not None or version != 1 or by_column not in (False, True):
            _refuse("its array is of an unknown version")
        self.values = _array(raw, kind, shape, "F" if by_column else "C")


def _refuse(reason: str) -> NoReturn:
    """Raise the error that ends the reading."""
    raise RefusedError(reason)


def _symbol(module: Any, name: Any) -> Symbol:
    """Return the symbol of a name; one that no array needs is refused."""
    symbol = _NAMES.get((module, name))
    if symbol is None:
        plain = all(isinstance(one, str) and _PLAIN.fullmatch(one) for one in (module, name))
        _refuse(f"it names {f'{module}.{name}' if plain else 'something'}, which no array needs")
    return symbol


def _call(symbol: Any, arguments: Any) -> Any:
    """Return what a call would give: an array, a dtype, or bytes."""
    if isinstance(symbol, Symbol) and isinstance(arguments, tuple):
        if symbol is Symbol.RECONSTRUCT and arguments == _NEW_ARRAY:
            return ArrayState()
        if symbol is Symbol.FROM_BUFFER:
            return ArrayState(_from_buffer(*arguments))
        if symbol is Symbol.DTYPE and arguments[1:] == (False, True):
            return DtypeState(arguments[0])
        if (
            symbol is Symbol.ENCODE
            and arguments[1:] == ("latin1",)
            and isinstance(arguments[0], str)
        ):
            return memoryview(arguments[0].encode("latin-1"))
        if symbol is Symbol.BYTES and arguments == ():
            return memoryview(b"")
    return _refuse("it makes something other than an array")


def _set_state(target: Any, state: Any) -> None:
    """Give a dtype its byte order, or an array its numbers; each once."""
    if not isinstance(target, DtypeState | ArrayState) or not isinstance(state, tuple):
        _refuse("it changes something other than an array")
    target.build(*state)


def _from_buffer(raw: Any, kind: Any, shape: Any, order: Any, axes: Any = None) -> Array:
    """Array of protocol 5; order "K" tells the axes apart."""
    if axes is None:
        return _array(raw, kind, shape, order)
    if order != "K" or not _is_whole(axes) or sorted(axes) != list(range(len(shape))):
        _refuse("its array has an unknown order")
    return _array(raw, kind, shape, "C").transpose(axes)


def _array(raw: Any, kind: Any, shape: Any, order: Any) -> Array:
    """View of bytes that a shape fills exactly."""
    if not isinstance(raw, memoryview) or not isinstance(kind, DtypeState) or kind.numpy is None:
        _refuse("its array is not made of plain numbers")
    if (
        not _is_whole(shape)
        or len(shape) > _MOST_AXES
        or math.prod(max(n, 1) for n in shape) > _LARGEST_AXIS
    ):
        _refuse("its array has an impossible shape")
    if order not in ("C", "F"):
        _refuse("its array has an unknown order")
    if math.prod(shape) * kind.numpy.itemsize != len(raw):
        _refuse("the shape of its array does not fit its bytes")
    if kind.code == "b1" and len(raw) and np.frombuffer(raw, np.uint8).max() > 1:
        _refuse("its truth values are neither true nor false")
    values = np.frombuffer(raw, kind.numpy) if len(raw) else np.empty(0, kind.numpy)
    values = np.require(values, kind.numpy.newbyteorder("="), "A")
    values.flags.writeable = False
    return values.reshape(shape, order=order)


def _is_whole(numbers: Any) -> bool:
    """Whether these are whole numbers of an array: a shape, or axes."""
    return isinstance(numbers, tuple) and all(
        type(n) is int and 0 <= n <= _LARGEST_AXIS for n in numbers
    )


_STOP = ord(".")
_ACTIONS: dict[int, Callable[[_Machine], Any]] = {
    0x95: _Machine.frame,
    ord("("): _Machine.mark,
    # values
    ord("N"): lambda m: m.stack.append(None),
    0x88: lambda m: m.stack.append(True),
    0x89: lambda m: m.stack.append(False),
    ord("K"): lambda m: m.stack.append(m.natural(1)),
    ord("M"): lambda m: m.stack.append(m.natural(2)),
    ord("J"): lambda m: m.integer(4),
    0x8A: lambda m: m.integer(m.natural(1)),
    0x8C: lambda m: m.text(1),
    ord("X"): lambda m: m.text(4),
    0x8D: lambda m: m.text(8),
    ord("C"): lambda m: m.stack.append(m.take(m.natural(1))),
    ord("B"): lambda m: m.stack.append(m.take(m.natural(4))),
    0x8E: lambda m: m.stack.append(m.take(m.natural(8))),
    0x96: lambda m: m.stack.append(m.take(m.natural(8))),
    # tuples and dictionaries
    ord(")"): lambda m: m.tuple([]),
    0x85: lambda m: m.tuple(m.popped(1)),
    0x86: lambda m: m.tuple(m.popped(2)),
    0x87: lambda m: m.tuple(m.popped(3)),
    ord("t"): lambda m: m.tuple(m.marked()),
    ord("}"): lambda m: m.stack.append({}),
    ord("s"): lambda m: m.set_items(m.popped(2)),
    ord("u"): lambda m: m.set_items(m.marked()),
    # the memo
    ord("q"): lambda m: m.remember(m.natural(1)),
    ord("r"): lambda m: m.remember(m.natural(4)),
    0x94: lambda m: m.remember(len(m.memo)),
    ord("h"): lambda m: m.stack.append(m.memo[m.natural(1)]),
    ord("j"): lambda m: m.stack.append(m.memo[m.natural(4)]),
    # names, calls, states
    ord("c"): lambda m: m.stack.append(_symbol(m.line(), m.line())),
    0x93: lambda m: m.stack.append(_symbol(*m.popped(2))),
    ord("R"): _Machine.reduce,
    ord("b"): _Machine.build,
}
