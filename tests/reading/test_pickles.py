"""Arrays are read out of pickles that nobody unpickles; all else is refused, and nothing runs."""

import base64
import json
import os
import pickle
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from day import swept

from bbccli.errors import InputError
from bbccli.tools.pickles import MOST_OPCODES, arrays_of, entries_by_key, series_of

ROOT = Path(__file__).parents[2]
FROZEN = json.loads((ROOT / "tests" / "data" / "pickles.json").read_text())
PROTOCOLS = (2, 3, 4, 5)
CODES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")

ARRAYS = {code: np.arange(5).astype(code) for code in CODES}
ARRAYS |= {f"big-endian {code}": np.arange(5).astype(f">{code}") for code in ("f4", "f8", "i8")}
ARRAYS |= {
    "truth values": np.array([True, False, True]),
    "gaps": np.array([np.nan, np.inf, -0.0], np.float32),
    "table": np.arange(12.0).reshape(4, 3),
    "table by column": np.asfortranarray(np.arange(12.0).reshape(4, 3)),
    "big-endian by column": np.asfortranarray(np.arange(12, dtype=">f4").reshape(4, 3)),
    "turned": np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
    "turned wholly": np.arange(24, dtype="f4").reshape(2, 3, 4).transpose(2, 0, 1),
    "strided": np.arange(12.0)[::3],
    "backwards": np.arange(12, dtype="f4")[::-1],
    "column of a table": np.arange(12.0).reshape(4, 3)[:, 1],
    "empty": np.zeros(0, "f4"),
    "empty table": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0), "u1"),
    "one number": np.array(0.5),
    "one sample": np.ones((1, 1), "f4"),
    "300 samples": np.arange(300.0),
    "70,000 samples": np.arange(70_000, dtype="f4"),
}
UNTOUCHABLE = np.arange(3.0)
UNTOUCHABLE.flags.writeable = False
ARRAYS["read-only"] = UNTOUCHABLE

HEAD = b"\x80\x04"
ARGUMENTS = b"\x8c\x15numpy.core.multiarray\x8c\x0c_reconstruct\x93\x8c\x05numpy\x8c\x07ndarray\x93"
NEW_ARRAY = ARGUMENTS + b"K\x00\x85C\x01b\x87R"
FLOATS = b"\x8c\x05numpy\x8c\x05dtype\x93\x8c\x02f4\x89\x88\x87R"
FLOATS += b"(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"


def array_bytes(shape: bytes = b"K\x02\x85", raw: bytes = bytes(8), kind: bytes = FLOATS) -> bytes:
    """A pickle of two floats written by hand, or with another part."""
    state = b"(K\x01" + shape + kind + b"\x89C" + bytes([len(raw)]) + raw + b"t"
    return HEAD + NEW_ARRAY + state + b"b."


def assert_same(found: Any, expected: np.ndarray) -> None:
    """Same values, shape and kind; in the processor's byte order, and not to be changed."""
    assert found.dtype == expected.dtype.newbyteorder("=")
    assert found.dtype.isnative
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
    assert not found.flags.writeable
    assert found.flags.aligned


def refused(data: bytes, words: str = "") -> None:
    with pytest.raises(InputError, match=r"^oof.pkl: is not a pickled array of numbers: ") as error:
        arrays_of(data, "oof.pkl")
    assert words in error.value.problem
    assert error.value.hint.endswith("export the predictions as Parquet or CSV")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back(name: str, protocol: int) -> None:
    """The pickler in Python writes other opcodes than the one in C: of the memo, and of frames."""
    for dumps in (pickle.dumps, pickle._dumps):
        assert_same(arrays_of(dumps(ARRAYS[name], protocol), "a.npy"), ARRAYS[name])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_arrays_by_name_come_back(protocol: int) -> None:
    twice = np.arange(3.0)
    content = {**ARRAYS, "the same": twice, "again": twice}
    found = arrays_of(pickle.dumps(content, protocol), "oof.pkl")
    assert list(found) == list(content)
    for name, array in content.items():
        assert_same(found[name], array)
    assert arrays_of(pickle.dumps({}, protocol), "oof.pkl") == {}


def contents() -> dict[str, Any]:
    """What was frozen."""
    repeats = np.array([0, 1, 2, 2, 1, 1], np.uint8)
    three = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    return {
        "oof of two classes": {
            "_oof_pred_proba": np.arange(6, dtype=np.float32) / 8,
            "_oof_pred_model_repeats": repeats,
        },
        "oof of three classes": {
            "_oof_pred_proba": three,
            "_oof_pred_model_repeats": np.ones(4, np.uint8),
        },
        "predictions": np.arange(8, dtype=np.float32).reshape(4, 2) / 8,
        "big-endian": np.arange(3, dtype=">f8"),
        "strided": np.arange(12, dtype=np.float16)[::3],
        "axes": np.arange(12, dtype=np.int32).reshape(2, 3, 2).transpose(1, 0, 2),
        "truth values": np.array([True, False, True]),
        "empty": np.zeros((0, 2), np.float32),
        "one number": np.array(0.5),
    }


@pytest.mark.parametrize("version", ["1.26.0", "2.4.6"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", contents())
def test_what_numpy_1_and_2_wrote(name: str, protocol: int, version: str) -> None:
    data = base64.b64decode(FROZEN[version][name][str(protocol)])
    module = b"numpy.core." if version < "2" else b"numpy._core."
    assert module in data
    found, expected = arrays_of(data, "a"), contents()[name]
    if not isinstance(expected, dict):
        found, expected = {"": found}, {"": expected}
    assert list(found) == list(expected)
    for key, array in expected.items():
        assert_same(found[key], array)


class Calls:
    """Pickles as a call of a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def named(module: str, name: str, arguments: bytes = b")") -> bytes:
    """A call of any function, whether it exists or not."""
    parts = b"".join(b"\x8c" + bytes([len(one)]) + one.encode() for one in (module, name))
    return HEAD + parts + b"\x93" + arguments + b"R."


OTHERS = [
    (Calls(np.zeros, 3), "zeros, which no array needs"),
    (Calls(np.ndarray, (3,)), "holds something else"),
    (Calls(np.dtype, "O"), ""),
    (np.random.default_rng(0), "names numpy.random._pickle."),
    (np.array([None, 1]), "holds objects, texts or records"),
    (np.array(["a", "b"]), "holds objects, texts or records"),
    (np.array([1j]), "holds objects, texts or records"),
    (np.zeros(2, [("a", "f4")]), "holds objects, texts or records"),
    (np.ma.array([1.0]), "which no array needs"),
    (np.float64(1.0), "which no array needs"),
    (np.dtype("f4"), "holds something else"),
    ({"a": 1}, "more than arrays by name"),
    ({1: np.zeros(2)}, "more than arrays by name"),
    ({"a": {"b": np.zeros(2)}}, "more than arrays by name"),
    ([np.zeros(2)], "holds something else"),
    ((np.zeros(2),), "holds something else"),
    ("text", "holds something else"),
    (None, "holds something else"),
    (Path("x"), "which no array needs"),
    (2**100, "more than 8 bytes"),
    (2**5000, "writes no array"),
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("content", "words"), OTHERS)
def test_anything_else_is_refused(content: Any, words: str, protocol: int) -> None:
    """What does harm: `test_pickle_bypasses.py`."""
    refused(pickle.dumps(content, protocol), words)


NAMES = """
numpy __builtins__; numpy.__builtins__ eval; numpy load; numpy ndarray.tofile; numpy fromfile;
numpy.f2py.crackfortran getlincoef; numpy.f2py.capi_maps load_f2cmap_file;
numpy.f2py.diagnose run_command; numpy.core.multiarray scalar;
numpy.core.multiarray _reconstruct.__globals__; numpy._core.numeric os;
numpy.core multiarray._reconstruct; numpy.testing._private.utils runstring; numpy.lib.npyio load;
builtins eval; builtins getattr; builtins bytes; __builtin__ eval; __builtin__ bytearray;
_codecs lookup; _codecs encode.__self__; codecs encode; os system; posix system; NUMPY DTYPE;
shutil os.system; operator attrgetter; operator methodcaller; functools partial; functools reduce;
importlib import_module; timeit timeit; cProfile run; pickle loads;
copyreg _reconstructor; copyreg __newobj__; argparse Namespace; builtins exec;
\x1b[31m dtype
"""


@pytest.mark.parametrize("pair", [tuple(pair.split()) for pair in NAMES.split(";")])
def test_only_names_of_arrays_are_known(pair: tuple[str, str]) -> None:
    refused(named(*pair), ", which no array needs")
    refused(b"\x80\x02c" + "\n".join(pair).encode() + b"\n)R.", ", which no array needs")


def test_names_are_shown_only_if_plain() -> None:
    refused(named("", ""), ", which no array needs")
    refused(named("numpy\n", "dtype"), ", which no array needs")
    refused(named("os", "system"), "it names os.system,")
    refused(named("\x1b[31m", "x"), "it names something,")
    refused(named("a" * 200, "x"), "it names something,")
    refused(b"\x80\x02c" + b"a" * 500 + b"\nb\n.", "it names something,")
    refused(named("pandas", "read_pickle"), "holds something else")  # a text that is never called


@pytest.mark.parametrize(
    "arguments",
    [
        b"\x8c\x01a\x8c\x05rot13\x86",
        swept(b"\x8c\x01a\x85"),
        swept(b"C\x01a\x8c\x06latin1\x86"),
        swept(b"\x8c\x02\xc4\x80\x8c\x06latin1\x86"),
        swept(b"N"),
    ],
)
def test_encode_is_only_that_of_protocol_2(arguments: bytes) -> None:
    refused(named("_codecs", "encode", arguments), "holds something else")


@pytest.mark.parametrize(
    "opcode", sorted(set(range(256)) - set(b"\x8a\x8c\x8d\x8e\x93\x94\x95\x96.(}"))
)
def test_no_opcode_alone_breaks_it(opcode: int) -> None:
    for tail in (b"", b".", bytes(9), b"\xff" * 9, b"\n\n."):
        refused(HEAD + bytes([opcode]) + tail)
        refused(HEAD + b"NN" + bytes([opcode]) + tail)


SHAPES = [
    array_bytes(b"K\x03\x85"),
    array_bytes(b"K\x01K\x01\x86"),
    array_bytes(b"J\xfe\xff\xff\xff\x85"),
    array_bytes(b"J\xff\xff\xff\xffJ\xfe\xff\xff\xff\x86"),
    array_bytes(b"\x88K\x02\x86"),
    array_bytes(b"K\x02"),
    array_bytes(b"\x8c\x01a\x85"),
    array_bytes(b"\x8a\x08" + b"\xff" * 7 + b"\x7f\x85"),
    array_bytes(b"(" + b"K\x01" * 33 + b"K\x02t"),
    array_bytes(b"K\x00\x8a\x08" + b"\xff" * 7 + b"\x7f\x86", b""),
    array_bytes(b"K\x00" + (b"\x8a\x05" + bytes(4) + b"\x10") * 2 + b"\x87", b""),
    array_bytes(b"K\x00\x8a\x05" + bytes(4) + b"\x10\x8a\x03\x00\x00\x10\x87", b""),
    array_bytes(raw=bytes(7)),
    array_bytes(raw=bytes(9)),
]
KINDS = [
    FLOATS.replace(b"\x01<", b"\x01|"),
    FLOATS.replace(b"\x01<", b"\x00"),
    FLOATS.replace(b"<N", b"<)"),
    FLOATS.replace(b"K\x00t", b"K\x3ft"),
    FLOATS.replace(b"f4", b"O8"),
    FLOATS.replace(b"\x02f4", b"\x03f16"),
    FLOATS.replace(b"f4", b"b1"),
    FLOATS[: FLOATS.index(b"R(") + 1],  # never given its byte order
    FLOATS + FLOATS[FLOATS.index(b"(K") :].replace(b"<", b">"),  # given it twice
    FLOATS.replace(b"\x89\x88\x87", b"\x89\x89\x87"),
    b"N",
]
BUILDS = [
    HEAD + b"}" + b"}b.",  # the attributes of a dictionary
    HEAD + b"\x8c\x05numpy\x8c\x07ndarray\x93}b.",  # of a class
    HEAD + NEW_ARRAY + b"}b.",
    HEAD + NEW_ARRAY + b"N}\x86b.",  # attributes in slots
    HEAD + NEW_ARRAY + b"C\x64" + bytes(100) + b"b.",
    HEAD + NEW_ARRAY + b".",  # never filled
    HEAD + b"}\x8c\x01a" + NEW_ARRAY + b"s.",
    array_bytes()[:-1] + array_bytes()[len(HEAD + NEW_ARRAY) :],  # filled twice
    HEAD + b"N}b.",
    HEAD + b"b.",
]


RECONSTRUCT, NDARRAY = ARGUMENTS[: ARGUMENTS.index(b"\x93") + 1], ARGUMENTS[-17:]
MADE, STATE = b"K\x00\x85C\x01b\x87R", array_bytes()[len(HEAD + NEW_ARRAY) :]
LATIN = b"\x8c\x07_codecs\x8c\x06encode\x93\x8c\x08" + bytes(8) + b"\x8c\x06latin1\x86R"
MADE_OTHERWISE = [
    HEAD + ARGUMENTS + b")b" + MADE + STATE,  # a state of a class
    HEAD + RECONSTRUCT + b")R" + NDARRAY + MADE + STATE,  # a call of what a call makes
    HEAD + RECONSTRUCT + b"](" + NDARRAY + MADE[:-2] + b"eR" + STATE,  # lists for tuples
    HEAD + NEW_ARRAY + b"]" + STATE[:-3] + b"eb.",
    array_bytes(kind=FLOATS.replace(b"(K", b"](K")[:-2] + b"eb"),
    HEAD + NEW_ARRAY + STATE[:-13] + LATIN + b")btb.",  # a state of bytes
]


def test_bytes_of_protocol_2() -> None:
    assert_same(arrays_of(HEAD + NEW_ARRAY + STATE[:-13] + LATIN + b"tb.", "a"), np.zeros(2, "f4"))


MISFITS = [*SHAPES, *(array_bytes(kind=kind) for kind in KINDS), *BUILDS, *MADE_OTHERWISE]


@pytest.mark.parametrize("data", MISFITS)
def test_shapes_types_and_states_that_do_not_fit(data: bytes) -> None:
    refused(data)


def test_truth_values_are_0_or_1() -> None:
    assert_same(arrays_of(array_bytes(), "a"), np.zeros(2, "f4"))
    kind = FLOATS.replace(b"f4", b"b1").replace(b"\x01<", b"\x01|")
    assert_same(arrays_of(array_bytes(raw=b"\x00\x01", kind=kind), "a"), np.array([False, True]))
    refused(array_bytes(raw=b"\x00\x02", kind=kind), "neither true nor false")


@pytest.mark.parametrize(
    "arguments",
    [
        b"(C\x08" + bytes(8) + FLOATS + b"K\x02\x85\x8c\x01At",
        swept(b"(C\x08" + bytes(8) + FLOATS + b"K\x02K\x01\x86\x8c\x01KK\x00K\x00\x86t"),
        swept(b"(C\x08" + bytes(8) + FLOATS + b"K\x02K\x01\x86\x8c\x01KK\x00\x85t"),
        swept(b"(C\x08" + bytes(8) + FLOATS + b"K\x02K\x01\x86\x8c\x01KC\x02\x00\x01t"),
        swept(b"(C\x08" + bytes(8) + FLOATS + b"K\x02K\x01\x86\x8c\x01CK\x00K\x01\x86t"),
        swept(b"(\x8c\x08" + bytes(8) + FLOATS + b"K\x02\x85\x8c\x01Ct"),
        swept(b"(C\x08" + bytes(8) + FLOATS + b"K\x02\x85t"),
        b"(C\x08" + bytes(8) + FLOATS + b"K\x02\x85\x8c\x01CNNNt",
        swept(b"N"),
    ],
)
def test_calls_of_protocol_5_that_are_no_array(arguments: bytes) -> None:
    refused(named("numpy.core.numeric", "_frombuffer", arguments))
    good = b"(C\x08" + bytes(8) + FLOATS + b"K\x02K\x01\x86\x8c\x01KK\x01K\x00\x86t"
    found = arrays_of(named("numpy.core.numeric", "_frombuffer", good), "a")
    assert_same(found, np.zeros((1, 2), "f4"))


def test_small_files_never_fill_the_memory() -> None:
    """Tuples of tuples, texts and bytes used again and again, marks in marks, a memo far out."""
    refused(HEAD + b")" + b"\x85" * 5000 + b".", "holds something else")
    refused(HEAD + b")\x94" + b"(h\x00h\x00t\x94h\x01h\x01\x86" * 100, "ends too early")
    refused(HEAD + b"(" * 5000, "nested too deeply")
    refused(HEAD + b"N" * (MOST_OPCODES + 1) + b".", "more than 1,000,000 opcodes")
    refused(HEAD + b"(" + b"N" * 5000 + b"t.", "holds something else")
    refused(HEAD + b"Nr\xff\xff\xff\xff.", "remembers too much")
    encode = b"\x8c\x07_codecs\x8c\x06encode\x93\x94X" + struct.pack("<I", 100_000) + b"a" * 100_000
    again = b"\x94\x8c\x06latin1\x94" + b"h\x00h\x01h\x02\x86R" * 1000
    refused(HEAD + encode + again + b".", "again and again")
    raw = b"B" + struct.pack("<I", 100_000) + bytes(100_000) + b"\x94"
    shape = b"\x8a\x02" + struct.pack("<h", 25_000) + b"\x85"
    one = NEW_ARRAY + b"(K\x01" + shape + FLOATS + b"\x89h\x00tb"
    refused(HEAD + raw + one * 50 + b".", "again and again")


def test_sizes_that_the_file_does_not_have() -> None:
    for code, width in ((b"X", 4), (b"B", 4), (b"\x8d", 8), (b"\x8e", 8), (b"\x96", 8)):
        for size in (1, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1):
            if size < 256**width:
                refused(HEAD + code + size.to_bytes(width, "little"), "ends too early")
    refused(HEAD + b"\x8b\x00\x00\x00\x7f" + bytes(100) + b".", "opcode 0x8b at byte 2")
    refused(HEAD + b"\x8a\xff" + b"\x7f" * 255 + b".", "more than 8 bytes")


def test_frames() -> None:
    body = array_bytes()[2:]
    framed = HEAD + b"\x95" + len(body).to_bytes(8, "little") + body
    assert_same(arrays_of(framed, "a"), np.zeros(2, "f4"))
    refused(HEAD + b"\x95" + (len(body) + 1).to_bytes(8, "little") + body, "ends too early")
    refused(HEAD + b"\x95" + (2**64 - 1).to_bytes(8, "little") + body, "ends too early")
    refused(HEAD + b"\x95" + (5).to_bytes(8, "little") + body, "crosses the end of its frame")
    twice = HEAD + b"\x95" + (len(body) + 9).to_bytes(8, "little") + framed[2:]
    refused(twice, "begins another in it")


@pytest.mark.sweep
@pytest.mark.parametrize("version", FROZEN)
def test_a_pickle_that_is_cut_anywhere_is_refused(version: str) -> None:
    for texts in FROZEN[version].values():
        for data in map(base64.b64decode, texts.values()):
            for end in range(len(data)):
                refused(data[:end])
            refused(data + b"N")
            refused(data + data)


def test_other_files_are_refused() -> None:
    for data in (b"", b"\x80", b"\x80\x04", b"\x93NUMPY\x01\x00", b"truth,a\n0,1\n"):
        refused(data)
    refused(HEAD + b"N0" + array_bytes()[2:])  # POP
    refused(array_bytes().replace(NEW_ARRAY, NEW_ARRAY[:-1] + b"\x81"))  # NEWOBJ
    for protocol in (0, 1):
        refused(pickle.dumps(np.zeros(2), protocol), "start as a pickle of protocol 2 to 5")
    for version in (b"\x00", b"\x01", b"\x06", b"\xff"):
        refused(b"\x80" + version + array_bytes()[2:], "start as a pickle of protocol 2 to 5")


def fuzz(cases: int, seed: int) -> dict[str, Any]:
    """Read mutated pickles in another process, where Python tells what it does."""
    command = [sys.executable, "-m", "tests.fuzz.pickles", f"--cases={cases}", f"--seed={seed}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.sweep
@pytest.mark.parametrize("n_cases", [1000, swept(4000)])
def test_mutated_pickles_are_read_or_refused(n_cases: int) -> None:
    found = fuzz(n_cases, seed=7)
    assert found["read"] + found["refused"] == n_cases
    assert found["read"] > n_cases // 40


@pytest.mark.slow
def test_a_million_mutated_pickles() -> None:
    found = fuzz(1_000_000, seed=int(time.time()))
    assert found["read"] + found["refused"] == 1_000_000


# a Series of pandas, beside whose numbers nothing is made

SERIES = ROOT / "tests" / "data" / "tools" / "autogluon"
INDEXES = {
    "numbers": [5, 3, 1],
    "texts": list("abc"),
    "dates": pd.date_range("2026-01-01", periods=3),
    "pairs": pd.MultiIndex.from_product([[1], [1, 2, 3]]),
    "categories": pd.CategoricalIndex(list("aba")),
    "rows": None,
}


@pytest.mark.parametrize("protocol", [4, swept(5)])
@pytest.mark.parametrize("kind", INDEXES)
def test_series(kind: str, protocol: int) -> None:
    index = INDEXES[kind]
    for values in (np.array([0.5, 1, 2]), np.array([0, 1, 1], np.uint8)):
        data = pickle.dumps(pd.Series(values, index=index, name="y"), protocol)
        rows, found = series_of(data, "a")
        assert_same(found, values)
        expected = {"numbers": [5, 3, 1], "rows": [0, 1, 2]}.get(kind)
        assert (None if rows is None else rows.tolist()) == expected


def test_series_of_pandas_2_with_dates() -> None:
    for name, n_rows in (("holdout_dates", 12), ("holdout", 12)):
        data = (SERIES / name / "utils" / "data" / "y_val.pkl").read_bytes()
        rows, found = series_of(data, "a")
        assert (found.dtype, len(found), set(found)) == (np.uint8, n_rows, {0, 1})
        assert (rows is None) == (name == "holdout_dates")


def series_refused(data: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=f"is not a pickled Series of numbers: .*{problem}"):
        series_of(data, "a")


def test_what_is_no_series_is_refused(tmp_path: Path) -> None:
    class Foreign:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "made"),)

    plain = pd.Series([1.0, 2.0])
    for wrong in (plain.to_frame(), pd.Index([1, 2]), np.zeros(2), pd.Series(["a", "b"]), [1], {}):
        series_refused(pickle.dumps(wrong, 4), "")
    plain.attrs = {"a": Foreign()}
    series_refused(pickle.dumps(plain, 4), "it names .*mkdir, which no array needs")
    assert not (tmp_path / "made").exists()


def test_small_files_of_series_take_no_time() -> None:
    """Tuples of tuples, and names, keys and orders that would never end to hash or to show."""
    deep = HEAD + b")\x94" + b"".join(b"(h%ch%ct\x94" % (k, k) for k in range(60))
    for end in (
        b"h<h<\x93",
        b"\x8c\x05numpyh<\x93",
        b"}h<Ns",
        b"h<h<\x81",
        b"\x8c\x06pandas\x8c\x01a\x93h<R}b",
        b"\x8c\x05numpy\x8c\x05dtype\x93h<R",
        FLOATS[:-1].replace(b"\x01<", b"\x01<0h<") + b"b",
    ):
        series_refused(deep + end + b".", "")


def test_damaged_series_are_refused_or_read() -> None:
    data = (SERIES / "holdout" / "utils" / "data" / "y_val.pkl").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(3000):
        wrong = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            wrong[place] = rng.integers(256)
        try:
            rows, values = series_of(bytes(wrong), "a")
        except InputError:
            continue
        assert values.ndim == 1
        assert rows is None or rows.shape == values.shape
    for size in range(len(data)):
        series_refused(data[:size], "")


class Trainer:
    """As that of AutoGluon: what failed, among objects of any class."""

    def __init__(self) -> None:
        self.name, self.why, error = "knn", "exc_type", "ValueError"
        self.models = {"svm": {"path": "svm", "exc_type": "none: not the first key"}}
        self.failed = {
            self.name: {"exc_type": error, "exc_str": "knn", "info": {"exc_type": 1, "b": 2}},
            "über 1": {self.why: "TimeLimit", "info": [object(), np.ones(2)]},
            "svm": {"exc_type": error},
        }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_texts_in_dictionaries_are_found_whatever_stands_around_them(protocol: int) -> None:
    data = pickle.dumps(Trainer(), protocol)
    expected = {"knn": "ValueError", "über 1": "TimeLimit"}
    assert entries_by_key(data, "exc_type") == expected
    assert entries_by_key(data, "exc_str") == {}
    for cut in range(len(data)):
        found = entries_by_key(data[:cut], "exc_type")
        assert found.items() <= expected.items()
    assert entries_by_key(b"cbuiltins\nexec\n.", "exc_type") == {}
    assert entries_by_key(b"", "exc_type") == {}
