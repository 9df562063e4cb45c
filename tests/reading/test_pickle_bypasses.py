"""Attacks that pass scanners of pickles, one by one: each is real, and none does anything here."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from day import daily, swept
from reading import fault

from bbccli.errors import InputError
from bbccli.tools.pickles import arrays_of

HEAD = b"\x80\x04"
HARM = "touch harm"
CODE = "open('harm', 'w').close()"


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


def named(module: str, name: str) -> bytes:
    return text(module) + text(name) + b"\x93"


def call(function: bytes, *arguments: bytes) -> bytes:
    return function + b"(" + b"".join(arguments) + b"tR"


SYSTEM = named("os", "system")
OS = call(named("builtins", "__import__"), text("os"))
HARMS = call(SYSTEM, text(HARM))
"""An expression that does harm and gives 0."""

INNER = HEAD + HARMS + b"."
IN_MEMORY = call(named("io", "BytesIO"), b"C" + bytes([len(INNER)]) + INNER)
RECONSTRUCT = named("numpy.core.multiarray", "_reconstruct")
NEW = call(RECONSTRUCT, named("numpy", "ndarray"), b"K\x00\x85", b"C\x01b")
KIND = call(named("numpy", "dtype"), text("f4"), b"\x89", b"\x88")


def array(shape: bytes = b"K\x02\x85", more: bytes = b"", state: bytes = b"N") -> bytes:
    """Two floats, with something else in their shape, or in the state of their type."""
    kind = KIND + b"(K\x03" + text("<") + state + b"NNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    return NEW + b"(K\x01" + shape + kind + b"\x89C\x08" + bytes(8) + more + b"tb"


class Harm:
    def __reduce__(self) -> Any:
        return os.system, (HARM,)


BODIES = {
    "a dotted name under numpy": call(named("numpy.testing._private.utils", "os.system"),
        text(HARM)),
    "names out of the memo": text("os") + b"\x94" + text("system") + b"\x94"
        + call(b"h\x00h\x01\x93", text(HARM)),
    "builtins.getattr": call(call(named("builtins", "getattr"), OS, text("system")), text(HARM)),
    "NEWOBJ": call(named("functools", "partial") + b"(" + SYSTEM + text(HARM) + b"t\x81"),
    "EXT1": call(named("copyreg", "add_extension"), text("os"), text("system"),
        b"K\x05") + b"0" + call(b"\x82\x05", text(HARM)),
    "BUILD of the attributes of a module": named("argparse", "ArgumentParser.exit") + b"0"
        + call(named("argparse", "Namespace")) + b"N}" + text("__setstate__") + SYSTEM
        + b"s\x86b" + text(HARM) + b"b",
    "eval": call(named("builtins", "eval"), text(CODE)),
    "a program of numpy's own": call(named("numpy.testing._private.utils", "runstring"),
        text(CODE), b"}"),
    "numpy.load": call(named("numpy", "load"), IN_MEMORY, b"N", b"\x88"),
    "a key of the dictionary": b"}" + HARMS + array() + b"s",
    "before an array": HARMS + b"0" + array(),
    "after an array": array() + HARMS + b"0",
    "in the shape": array(shape=HARMS + b"\x85"),
    "in the state of the array": array(more=HARMS),
    "in the state of the type": array(state=HARMS),
    "in the memo alone": HARMS + b"\x940" + array(),
    "a protocol in the middle": HARMS + b"0\x80\x02" + array(),
    "a persistent id made of it": HARMS + b"Q",
    "a name of many bytes": b"X\x02\x00\x00\x00os\x8d\x06" + bytes(7) + b"system\x93"
        + text(HARM) + b"\x85R",
    "encode of another code": call(named("_codecs", "encode"), HARMS, text("latin1")),
}  # fmt: skip
REAL = {
    "GLOBAL": b"\x80\x02cos\nsystem\n" + b"X\x0a\x00\x00\x00" + HARM.encode() + b"\x85R.",
    "protocol 0": f"cos\nsystem\n(S'{HARM}'\ntR.".encode(),
    "protocol 1": f"cposix\nsystem\n(U\x0a{HARM}tR.".encode(),
    "STACK_GLOBAL": INNER,
    "INST": f"\x80\x02(S'{HARM}'\nios\nsystem\n.".encode("latin1"),
    "OBJ": f"\x80\x02(cos\nsystem\nS'{HARM}'\no.".encode("latin1"),
    "an array of objects": pickle.dumps(np.array([Harm()], object), 4),
    "an array in a dictionary beside it": pickle.dumps({"a": np.zeros(2), "b": Harm()}, 4),
    "a table of pandas": pickle.dumps(pd.DataFrame({"a": [Harm()]}), 4),
    "before damage": HEAD + HARMS + b"\xff",
    "before an end that is not there": HEAD + HARMS,
    "in a frame": HEAD + b"\x95" + (len(INNER) - 2).to_bytes(8, "little") + INNER[2:],
    "in a frame of no bytes": HEAD + b"\x95" + bytes(8) + INNER[2:],
}
REAL |= {name: HEAD + body + b"." for name, body in BODIES.items()}
"""Each does harm if it is unpickled, whatever is left of it then."""

BOMBS = {
    "LONG4 of a negative size": HEAD + b"\x8b\xff\xff\xff\xff.",
    "LONG4 of the smallest size": HEAD + b"\x8b\x00\x00\x00\x80.",
    "a frame of 2^63": HEAD + b"\x95" + (2**63).to_bytes(8, "little") + b"N.",
    "LONG_BINGET of what is not there": HEAD + b"j\xff\xff\xff\xff.",
    "PUT of a number of many digits": b"\x80\x02Np" + b"9" * 5000 + b"\n.",
    "INT of many digits": b"\x80\x02I" + b"9" * 100_000 + b"\n.",
    "laughs": HEAD + b")\x94" + b"".join(b"h%ch%c\x86\x94" % (i, i) for i in range(60)) + b".",
    "a list that holds itself": HEAD + b"]\x94h\x00a.",
    "a dictionary that holds itself": HEAD + b"}\x94" + text("a") + b"h\x00s.",
    "DUP again and again": HEAD + text("a" * 100) + b"2" * 9000 + b".",
}
"""Each takes memory or time if its sizes are believed."""


@pytest.mark.parametrize("name", [*REAL, *BOMBS])
def test_nothing_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^oof.pkl: is not a pickled array of numbers: "):
        arrays_of((REAL | BOMBS)[name], "oof.pkl")
    assert not list(tmp_path.iterdir())


@pytest.mark.sweep
def test_the_attacks_are_real(tmp_path: Path) -> None:
    """A true unpickler does harm by each of them."""
    for number, data in enumerate(REAL.values()):
        (tmp_path / str(number)).write_bytes(data)
    code = """
import contextlib, os, pickle, sys
for number in range(int(sys.argv[1])):
    with contextlib.suppress(Exception), contextlib.redirect_stdout(sys.stderr):
        pickle.loads(open(str(number), "rb").read())
    print(int(os.path.exists("harm")))
    with contextlib.suppress(OSError):
        os.unlink("harm")
"""
    argv = [sys.executable, "-c", code, str(len(REAL))]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)
    harmless = [name for name, word in zip(REAL, done.stdout.split(), strict=True) if word != "1"]
    assert harmless == []


SOME = ["STACK_GLOBAL", "before an array", "an array of objects"]


@pytest.mark.parametrize("place", ["oof", swept("predictions")])
@pytest.mark.parametrize("name", daily(SOME, SOME[:1]))
def test_nothing_happens_in_the_folders_of_tools(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runs import autogluon, autosklearn

    monkeypatch.chdir(tmp_path)
    if place == "oof":
        run = autogluon(tmp_path / "run", {"A_BAG_L1": (REAL[name], ["S1F1", "S1F2"])})
    else:
        run = autosklearn(tmp_path / "run", np.arange(20) % 2, {"1_2_0.0": np.ones((20, 2)) / 2})
        next(run.rglob("predictions_*.npy")).write_bytes(REAL[name])
    (tmp_path / "y.csv").write_text("y\n" + "0\n1\n" * 10)
    fault("", run, labels="y.csv" if place == "oof" else None)
    assert not (tmp_path / "harm").exists()
