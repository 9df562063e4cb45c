"""Arrays out of a pickle that is never unpickled: nothing that it names is imported or called.

A pickle is a program for a stack. The few binary opcodes that write arrays are walked here with
symbols in place of functions; an array is a view of the file's own bytes. All else is refused
before it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bbccli.errors import InputError
from bbccli.readers.runs.symbols import Array, Held, RefusedError, built, called, known, refuse

MOST_OPCODES = 10_000
"""An array takes about 40."""

_PROTOCOLS = (2, 3, 4, 5)
_LONGEST_NAME = 100
_MOST_ITEMS = 64
_DEEPEST = 8
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
            refuse("it does not start as a pickle of protocol 2 to 5")
        for _ in range(MOST_OPCODES):
            opcode = self.natural(1)
            if opcode == _STOP:
                return self.result()
            action = _ACTIONS.get(opcode)
            if action is None:
                refuse(f"opcode 0x{opcode:02x} at byte {self.at - 1} writes no array")
            action(self)
        return refuse(f"it has more than {MOST_OPCODES:,} opcodes")

    def result(self) -> Array | dict[str, Array]:
        """Return the one thing on the stack, if it is an array or a dictionary of arrays."""
        (value,) = self.stack
        if self.below or self.at != len(self.data):
            refuse("it does not end where it says")
        if isinstance(value, dict):
            return {key: _values(held) for key, held in value.items()}
        return _values(value)

    def take(self, size: int) -> memoryview:
        """Return the next bytes."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            refuse("it ends too early")
        if start < self.frame_end < self.at:
            refuse("an opcode crosses the end of its frame")
        return self.data[start : self.at]

    def natural(self, width: int) -> int:
        """Return the next whole number of so many bytes."""
        return int.from_bytes(self.take(width), "little")

    def integer(self, width: int) -> None:
        """Push a number with a sign."""
        if width > 8:
            refuse("it has a number of more than 8 bytes")
        self.stack.append(int.from_bytes(self.take(width), "little", signed=True))

    def text(self, width: int) -> None:
        """Push a text whose length stands before it."""
        self.stack.append(str(self.take(self.natural(width)), "utf-8"))

    def frame(self) -> None:
        """Begin a frame: opcodes that a slow reader may fetch at once."""
        size = self.natural(8)
        if self.at < self.frame_end:
            refuse("a frame begins in another")
        self.frame_end = self.at + size
        if self.frame_end > len(self.data):
            refuse("it ends too early")

    def mark(self) -> None:
        """Begin a list of items."""
        if len(self.below) == _DEEPEST:
            refuse("it is nested too deeply")
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
            refuse("it is nested too deeply")
        self.stack.append(tuple(items))

    def set_items(self, items: list[Any]) -> None:
        """Put arrays into the dictionary on the stack."""
        target = self.stack[-1]
        for key, held in zip(items[::2], items[1::2], strict=True):
            if not (isinstance(target, dict) and isinstance(key, str) and isinstance(held, Held)):
                refuse("it holds more than arrays by name")
            target[key] = held

    def remember(self, index: int) -> None:
        """Put what is on the stack into the memo."""
        if index >= MOST_OPCODES:
            refuse("it remembers too much")
        self.memo[index] = self.stack[-1]

    def line(self) -> str:
        """Return the text up to the next line break."""
        start = self.at
        while self.natural(1) != ord("\n"):
            if self.at - start > _LONGEST_NAME:
                refuse("it names something too long")
        return str(self.data[start : self.at - 1], "utf-8")

    def reduce(self) -> None:
        """Push what a call would give."""
        symbol, arguments = self.popped(2)
        self.spend(arguments)
        self.stack.append(called(symbol, arguments))

    def build(self) -> None:
        """Give the thing on the stack its state."""
        state = self.stack.pop()
        self.spend(state)
        built(self.stack[-1], state)

    def spend(self, arguments: Any) -> None:
        """Count the bytes that may be copied, so that a small file never fills the memory."""
        items = arguments if isinstance(arguments, tuple) else ()
        self.left -= sum(len(item) for item in items if isinstance(item, str | memoryview))
        if self.left < 0:
            refuse("it uses the same bytes again and again")


def _values(held: Any) -> Array:
    if not isinstance(held, Held) or held.values is None:
        refuse("it holds something else")
    return held.values


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
    ord("c"): lambda m: m.stack.append(known(m.line(), m.line())),
    0x93: lambda m: m.stack.append(known(*m.popped(2))),
    ord("R"): _Machine.reduce,
    ord("b"): _Machine.build,
}
