"""`.npz` and `.npy` files by hand: what they say of themselves is never believed."""

import io
import struct
import warnings
import zipfile

import numpy as np
import pytest
from day import swept

from bbccli.platform.arrays import DamagedError, array_of, arrays_in_npz, packed

VALUES = np.arange(4.0)


def header(shape="(4,)", descr="'<f8'", fortran="False"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


def member(text=None, data=VALUES.tobytes(), version=(1, 0)):
    """A `.npy` file whose header is any text."""
    text = (header() if text is None else text).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    width = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + width + text + data


def archive(*members, **how):
    sink = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(sink, "w", **how) as made:
        warnings.simplefilter("ignore")  # of two members of one name
        for name, content in members:
            made.writestr(name, content)
    return sink.getvalue()


def refused(content, function=arrays_in_npz):
    with pytest.raises(DamagedError) as error:
        function(content)
    assert str(error.value)


ONE = archive(("a.npy", member()))
LISTED, END = ONE.rfind(b"PK\x01\x02"), ONE.rfind(b"PK\x05\x06")
SIZE = len(member())


def changed(at, data, content=ONE):
    return content[:at] + data + content[at + len(data) :]


@pytest.mark.parametrize(
    ("text", "data", "expected"),
    [
        (header("(2, 2)", fortran="True"), VALUES.tobytes(), VALUES.reshape(2, 2).T),
        swept(header(descr="'>f8'"), VALUES.astype(">f8").tobytes(), VALUES),
        swept(header("(4L,)"), VALUES.tobytes(), VALUES),
        swept(header("()"), VALUES[1:2].tobytes(), np.array(1.0)),
        swept(header("(0, 3)"), b"", np.zeros((0, 3))),
        swept(header("(" + "1, " * 31 + "4)"), VALUES.tobytes(), VALUES.reshape([1] * 31 + [4])),
    ],
    ids=["fortran", "big-endian", "Python 2", "number", "empty", "32 axes"],
)
def test_forms_that_numpy_writes_are_read_as_numpy_reads_them(text, data, expected):
    found = arrays_in_npz(archive(("a.npy", member(text, data))))["a"]
    np.testing.assert_array_equal(found, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python 2; of ours none may come
        np.testing.assert_array_equal(found, np.load(io.BytesIO(member(text, data))))


SHAPES = (
    "(-4,)", "(-2, -2)", "(0, -1)", "(2**62,)", f"({2**62},)", f"({2**32}, {2**32})",
    f"({2**61}, 8, 4)", f"({2**63 - 1}, 0)", f"(0, {2**64 - 1})", "(4.0,)", "'4'",
    "[4]", "4", "(None,)", "((4,),)", "(1e3,)", "(" + "1, " * 70 + "4)", "(" + "9" * 5000 + ",)",
)  # fmt: skip


@pytest.mark.parametrize("data", [VALUES.tobytes(), b""], ids=["32 bytes", "none"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda text: text[:30])
def test_shapes_that_are_none_or_overflow(shape, data):
    refused(archive(("a.npy", member(header(shape), data))))


KINDS = (
    "'|O'", "'O8'", "'<M8[s]'", "'<m8'", "'|V8'", "'|S8'", "'<c16'", "'<U0'", "'|V0'",
    "'<U4294967296'", "'V99999999999'", "[('a', '<f8')]", "[('a', '|O')]", "('<f8', (4,))",
    "'f8,f8'", "{'names': ['a'], 'formats': ['O']}", "__import__('os')", "5", "None", "'x'",
)  # fmt: skip


@pytest.mark.parametrize("descr", KINDS)
def test_types_other_than_numbers_are_neither_read_nor_written(descr):
    content = member(header(descr=descr))
    refused(archive(("a.npy", content)))
    refused(content, array_of)
    with pytest.raises(ValueError, match="object"):
        packed({"a": np.array([None])})


PICKLE = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R."


@pytest.mark.parametrize(
    "content",
    [
        member(header("(1,)", "'|O'"), PICKLE),  # what numpy.load(allow_pickle=True) would run
        swept(PICKLE),
        swept(member(header(fortran="1"))),
        swept(member(header() + "x")),
        swept(member(header()[:-3] + ", 'more': 1}")),
        swept(member("(")),
        swept(member("(" * 4000)),
        member("{}"),
        swept(member("\udcff".encode("utf-8", "surrogatepass").decode("latin1"))),
        swept(member(version=(0, 0))),
        swept(member(version=(255, 255))),
        swept(member(" " * 20_000 + header(), version=(2, 0))),
        swept(b"\x93NUMPY\x01\x00\xff\xff"),
        swept(b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(40)),
        member()[:-1],
        swept(member() + b"x"),
        swept(b""),
    ],
    ids=lambda content: repr(content[:16] + content[60:75]),
)
def test_members_that_are_no_array(content):
    refused(content, array_of)
    refused(archive(("a.npy", content)))


def of_64_bits(size, packed_size, start):
    """The one member as zip64 lists it: sizes and place in 64 bits."""
    extra = struct.pack("<HHQQQ", 1, 24, size, packed_size, start)
    listed = bytearray(ONE[LISTED:END])
    listed[20:28], listed[42:46] = b"\xff" * 8, b"\xff" * 4
    listed[30:32] = struct.pack("<H", len(extra))
    content = ONE[:LISTED] + bytes(listed) + extra + ONE[END:]
    return changed(
        content.rfind(b"PK\x05\x06") + 12, struct.pack("<I", len(listed + extra)), content
    )


def test_zip64_is_read():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as made, made.open("a.npy", "w", force_zip64=True) as file:
        file.write(member())
    for content in (sink.getvalue(), of_64_bits(SIZE, SIZE, 0)):
        np.testing.assert_array_equal(arrays_in_npz(content)["a"], VALUES)


@pytest.mark.parametrize(
    "sizes",
    [
        (2**64 - 1, 2**64 - 1, 2**64 - 1),
        swept((2**63, 2**63, 0)),
        swept((SIZE, SIZE, 2**64 - 1)),  # -1 with a sign
        swept((2**64 - SIZE, SIZE, 0)),
        swept((SIZE - 1, SIZE, 0)),
        swept((0, SIZE, 0)),
    ],
)
def test_sizes_and_places_of_64_bits_that_there_are_not(sizes):
    refused(of_64_bits(*sizes))


@pytest.mark.parametrize("where", [2**63, 2**64 - 1])
def test_a_directory_of_64_bits_that_is_nowhere(where):
    last = struct.pack("<4sLQL", b"PK\x06\x07", 0, where, 1)
    refused(ONE[:END] + last + ONE[END:])
    whole = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, where, where)
    last = struct.pack("<4sLQL", b"PK\x06\x07", 0, END, 1)
    refused(ONE[:END] + whole + last + ONE[END:])


def overlapping(name):
    """Two members in the list, both of the same bytes."""
    listed = ONE[LISTED:END]
    both = listed + listed[:46] + name + listed[46 + len(name) :]
    end = changed(8, struct.pack("<HHI", 2, 2, len(both)), ONE[END:])
    return ONE[:LISTED] + both + end


BOMB = archive(
    ("a.npy", member(header("(100000,)"), bytes(800_000))), compression=zipfile.ZIP_DEFLATED
)


@pytest.mark.parametrize(
    "content",
    [
        changed(LISTED + 24, struct.pack("<I", 2**32 - 2)),
        swept(changed(LISTED + 24, struct.pack("<I", 0))),
        swept(changed(LISTED + 42, struct.pack("<I", 2**31))),
        swept(changed(LISTED + 16, bytes(4))),  # the checksum
        swept(changed(LISTED + 8, b"\x01\x00", changed(6, b"\x01\x00"))),  # encrypted
        swept(changed(LISTED + 10, b"\x08\x00")),
        swept(changed(LISTED + 10, b"\x63\x00")),
        changed(END + 16, struct.pack("<I", 2**32 - 2)),
        swept(overlapping(b"a")),
        swept(overlapping(b"b")),
        swept(archive(("a.npy", member()), ("a.npy", member(data=bytes(32))))),
        swept(archive(("a", member()), ("a.npy", member(data=bytes(32))))),
        swept(BOMB),
        swept(archive(("a.npy", member()), compression=zipfile.ZIP_DEFLATED)),
        archive(("a/", b"")),
        swept(ONE[:-1]),
        swept(ONE[: END + 3]),
        swept(b"PK\x05\x06"),
        swept(b""),
    ],
    ids=[
        "far size", "no size", "far place", "checksum", "encrypted", "method", "unknown method",
        "far directory", "overlapping", "overlapping by another name", "doubled", "doubled suffix",
        "bomb", "compressed", "folder", "cut", "cut end", "end alone", "empty",
    ],
)  # fmt: skip
def test_archives_that_lie(content):
    refused(content)
