"""What was saved is read back; what was not is one clear error."""

import json

import pytest
from day import swept
from documents import gated, result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.documents.loading import read_documents
from bbccli.errors import InputError
from bbccli.reports import FORMS, Kind, forms_of

BOTH = [gated(0.25, found=result(level=0.3)), gated(0.5)]


@pytest.fixture
def save(tmp_path):
    def to(content):
        path = tmp_path / "saved"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return to


@pytest.mark.parametrize("form", ["json", swept("jsonl")])
@pytest.mark.parametrize("count", [1, swept(2)])
def test_what_was_saved_comes_back(save, form, count):
    assert read_documents(save(FORMS[form].render(BOTH[:count]))) == BOTH[:count]


def test_blank_lines_and_a_byte_order_mark_are_nothing(save):
    text = "\ufeff" + FORMS["jsonl"].render(BOTH).replace("\n", "\r\n\n")
    assert read_documents(save(text)) == BOTH


@pytest.mark.parametrize(
    "form", ["table", swept("markdown"), swept("github"), swept("junit"), swept("csv")]
)
def test_a_result_of_0_1_0_is_shown_as_it_would_be_today(save, form):
    found = result()
    new = ("weighted", "threshold", "risk_direction")
    read = {key: value for key, value in found["input"].items() if key not in new}
    old = {key: value for key, value in found.items() if key != "report"} | {"input": read}
    (back,) = read_documents(save(json.dumps(old)))
    assert FORMS[form](back) == FORMS[form](found)


def test_parts_keep_what_a_later_version_has_and_get_what_an_earlier_one_lacked(save):
    found = json.loads(json.dumps(result()))
    found["later"] = found["input"]["later"] = found["estimates"][1]["interval"]["later"] = [1]
    old = json.loads(json.dumps(found))
    assert old.pop("gate") is None
    assert old["input"].pop("weighted") is False
    assert old["estimates"][1].pop("experimental") is False
    assert read_documents(save(json.dumps(old))) == [found]


def changed(*keys, value):
    found = json.loads(json.dumps(result()))
    place = found
    for key in keys[:-1]:
        place = place[key]
    if value is KeyError:
        del place[keys[-1]]
    else:
        place[keys[-1]] = value
    return json.dumps(found)


BROKEN = {
    "empty": ("", "holds no result"),
    "blank": (" \n\n", "holds no result"),
    "no results": ("[]", "holds no result"),
    "text": ("hello", "line 1 is not JSON"),
    "cut short": (FORMS["json"](result())[:300], "line 1?[0-9] is not JSON"),
    "a line cut short": (FORMS["jsonl"].render(BOTH)[:-9], "line 2 is not JSON"),
    "a line of another kind": (FORMS["jsonl"](BOTH[0]) + "7\n", "line 2: the result is not"),
    "a number": ("7", "the result is not an object"),
    "other JSON": ('{"a": 1}', "not a result of bbc"),
    "another schema": (changed("schema", value="bbc/9"), "not a result of bbc"),
    "not UTF-8": (b'{"a": "\xff"}', "not text in UTF-8"),
    "NaN": (changed("estimates", 0, "value", value=float("nan")), "is not JSON"),
    "deep": ("[" * 100_000, "nested too deeply|not JSON"),
    "a key lacking": (changed("plan", "seed", value=KeyError), None),
    "no input": (changed("input", value=KeyError), "input is missing"),
    "no winner": (changed("estimates", 1, "winner", value=KeyError), r"estimates\[1\].winner is m"),
    "text for a number": (changed("estimates", 0, "value", value="0.9"), r'value is "0.9"'),
    "truth for a number": (changed("estimates", 0, "value", value=True), r"value is true"),
    "a number too large": (
        changed("estimates", 0, "value", value=0.5).replace("0.5", "1e999", 1),
        r"value is Infinity",
    ),
    "half a sample": (changed("input", "n_samples", value=1.5), r"n_samples is 1.5"),
    "no such direction": (
        changed("estimates", 0, "direction", value="up"),
        r'estimates\[0\].direction is "up"',
    ),
    "an object for a list": (changed("notes", value={}), "notes is not an array"),
    "no level": (changed("plan", "level", value=None), "plan.level is null"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_one_error(case, save):
    content, message = BROKEN[case]
    path = save(content)
    if message is None:
        assert read_documents(path)[0]["plan"]["seed"] == 0
        return
    with pytest.raises(InputError, match=message) as raised:
        read_documents(path)
    assert raised.value.problem.startswith(f"{path}: ")
    assert raised.value.hint
    assert "\n" not in raised.value.problem


def test_a_result_without_estimates_is_named_by_its_command(save):
    for command in ("compare", "drop", "inspect", "leaderboard", "plan"):
        with pytest.raises(InputError, match=f"a result of bbc {command}, not an estimate"):
            read_documents(save(changed("command", value=command)))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_documents(str(tmp_path / "none.json"))
    with pytest.raises(InputError, match="is a folder, not a file"):
        read_documents(str(tmp_path))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from([
    ("input", "classes"), ("input", "positive_class"), ("plan",), ("plan", "level"), ("gate",),
    ("estimates",), ("estimates", 1), ("estimates", 1, "interval"), ("estimates", 1, "selection"),
    ("estimates", 1, "interval", "level"), ("estimates", 1, "n_resamples"), ("notes",),
    ("estimates", 1, "metric"), ("estimates", 1, "method"), ("estimates", 1, "value"),
])  # fmt: skip


@pytest.mark.sweep
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(keys=KEYS, value=JSON)
def test_what_is_accepted_can_be_shown(save, keys, value):
    path = save(changed(*keys, value=value))
    try:
        (found,) = read_documents(path)
    except InputError:
        return
    for report in forms_of(Kind.CORRECT).values():
        report(found)


@settings(
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(content=st.binary(max_size=60) | st.text(max_size=60))
def test_any_bytes_are_results_or_one_error(save, content):
    try:
        content = content if isinstance(content, bytes) else content.encode()
    except UnicodeEncodeError:
        return
    with pytest.raises(InputError):
        read_documents(save(content))
