"""The budget of code lines is counted as it says, and what exceeds it is named."""

from collections import Counter

import budget


def test_what_counts():
    text = '"""Doc.\n\nMore."""\n\nimport os  # why\n\n\n'
    text += 'def f():\n    """Doc."""\n    # why\n    return """a\nb"""\n'
    assert budget.code_lines(text) == len(["import", "def", "return", "b"])


def test_rooms(tmp_path):
    (tmp_path / "room" / "inner").mkdir(parents=True)
    for name, text in {
        "a.py": "x = 1\n",
        "room/b.py": "y = 1\nz = 2\n",
        "room/inner/c.py": "1\n",
    }.items():
        (tmp_path / name).write_text(text)
    assert budget.counts(tmp_path) == {"at the root": 1, "room": 3}


def test_what_is_exceeded():
    page = "| other | 1 |\n\n## Budget\n\n| Room | Lines | Why |\n|---|---|---|\n"
    page += "| a | 1,000 | x |\n| b | 2 | y |\n\n## Next\n\n| c | 3 | z |\n"
    allowed = budget.budget(page)
    assert allowed == {"a": 1000, "b": 2}
    assert budget.exceeded(Counter(a=1000, b=2), allowed) == []
    said = budget.exceeded(Counter(a=1001, b=2, c=1), allowed)
    assert said == ["a: 1,001 code lines, 1,000 in the budget", "c: 1 code lines, 0 in the budget"]
    assert budget.exceeded(Counter(a=1), allowed) == ["b: 0 code lines, 2 in the budget"]


def test_every_room_has_one(monkeypatch):
    monkeypatch.setattr(budget, "code_lines", len)  # of any length
    page = budget.DESIGN.read_text(encoding="utf-8")
    assert set(budget.counts()) == set(budget.budget(page))
