"""Labels and probabilities of one export that speak for each other, or not."""

import pytest

from bbccli.errors import InputError
from bbccli.readers.pipeline import read_tables
from bbccli.readers.runs.tables import _check_labels as check

ROWS = (("a", 7, 2, 1), ("b", 1, 8, 1), ("c", 2, 3, 5), ("c", 1, 3, 6))
"""True class, and how probable each is in tenths."""


def export(tmp_path, predicted, truth=tuple(row[0] for row in ROWS)):
    lines = [
        ",".join(map(str, (true, said, *(part / 10 for part in row[1:]))))
        for true, said, row in zip(truth, predicted, ROWS, strict=True)
    ]
    place = tmp_path / "export.csv"
    place.write_text("\n".join(["obs,pred,a,b,c", *lines]) + "\n")
    (table,) = read_tables(place)
    return table


@pytest.mark.parametrize(("predicted", "agree"), [("abcc", None), ("bacc", 50), ("baca", 25)])
def test_labels_of_three_classes(tmp_path, predicted, agree):
    table = export(tmp_path, predicted)
    if agree is None:
        check(table, "pred", "obs")
        return
    with pytest.raises(InputError, match=f"contradict the probabilities: {agree}% agree"):
        check(table, "pred", "obs")


def test_a_class_without_a_column_is_not_looked_for(tmp_path):
    check(export(tmp_path, "abcc", truth="abcd"), "pred", "obs")
    with pytest.raises(InputError, match="25% agree"):
        check(export(tmp_path, "baca", truth=("a", "b", "c", "pred2")), "pred", "obs")
