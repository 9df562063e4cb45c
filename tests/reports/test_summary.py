"""The table over experiments: what is counted, and what is not."""

from documents import result

from bbccli.reports import Style
from bbccli.reports.summary import Summary


def rendered(*documents):
    summary = Summary()
    for _ in summary.watch([{"document": found} for found in documents]):
        pass
    return summary, summary.render(Style(width=120))


def test_only_what_corrects_has_an_optimism():
    """The naive figure has none: rows of 0 would say that nothing was too good."""
    summary, text = rendered(result(names=("cvt", "naive", "bbc-f")), result(names=("cvt", "tt")))
    assert set(summary.optimism) == {("accuracy", "bbc-f"), ("accuracy", "tt")}
    assert "accuracy, cvt" not in text
    assert "accuracy, naive" not in text


def test_a_row_has_the_quartiles_of_its_method():
    found = result()
    naive, bbc_f = found["estimates"]
    optimisms = (0.1, 0.2, 0.3, 0.4, 0.5)
    documents = [found | {"estimates": [naive, bbc_f | {"optimism": o}]} for o in optimisms]
    _, text = rendered(*documents)
    (row,) = [line.split() for line in text.splitlines() if line.startswith("accuracy, bbc-f")]
    assert row[2:] == ["5", "0.100", "0.200", "0.300", "0.400", "0.500"]


def test_small_figures_are_legible():
    found = result()
    naive, bbc_f = found["estimates"]
    _, text = rendered(found | {"estimates": [naive, bbc_f | {"optimism": 3.04e-5}]})
    assert "0.0000304" in text
    assert "0.000 " not in text


def test_an_undefined_optimism_is_not_counted():
    found = result()
    naive, bbc_f = found["estimates"]
    summary, _ = rendered(found | {"estimates": [naive, bbc_f | {"optimism": None}]})
    assert not summary.optimism


def test_winners_are_those_of_the_first_estimate():
    found = result()
    first, second = found["estimates"]
    summary, _ = rendered(found | {"estimates": [first | {"winner": "x"}, second]}, found)
    assert summary.winners == {"x": 1, "a": 1}
