"""The populations: which tables, in which half, and what is drawn from them.

Half of them are for development. The others were chosen at the same time and were not looked at
before the default was decided; see docs/validation.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from bbccli.types import Task
from benchmarks.bank.tables import Rows, codes, r_table, rows_of, thinned


class Half(StrEnum):
    """The purpose of a population."""

    DEVELOPMENT = "development"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, slots=True)
class Population:
    """A table from which studies are drawn.

    Parameters
    ----------
    name, half, kind
        Names it in the store; what it is for; what it stands for, in a few words.
    task, metrics, load
        What is predicted, how it is judged, and where the rows come from.
    sizes
        Numbers N of samples of a study.
    repeats
        Repeats of the cross-validation.
    per_group
        Rows that are drawn of each group; 0 without groups.
    n_folds
        Folds of the cross-validation, where the rarest class has as many rows.
    """

    name: str
    half: Half
    kind: str
    task: Task
    metrics: tuple[str, ...]
    load: Callable[[], Rows]
    sizes: tuple[int, ...] = (40, 50, 200)
    repeats: int = 1
    per_group: int = 0
    n_folds: int = 5

    @property
    def more(self) -> tuple[str, ...]:
        """Metrics that the main methods alone are judged by."""
        return MORE[self.task]


def _cells() -> Rows:
    frame = r_table("modeldata", "cells")
    return rows_of(frame, codes(frame["class"] == "WS"), without=("class", "case"))


def _email() -> Rows:
    frame = r_table("openintro", "email")
    return rows_of(frame, frame["spam"], without=("spam", "time"))


def _default() -> Rows:
    frame = r_table("ISLR", "Default")
    return thinned(rows_of(frame, codes(frame["default"]), without=("default",)), 0.02)


def _biopsy() -> Rows:
    frame = r_table("MASS", "biopsy")
    return rows_of(frame, codes(frame["class"]), without=("class", "ID"))


def _pension() -> Rows:
    frame = r_table("wooldridge", "k401ksubs")
    return rows_of(frame, frame["e401k"], without=("e401k", "p401k", "nettfa", "incsq", "agesq"))


def _pitches() -> Rows:
    frame = r_table("Stat2Data", "Kershaw")
    chosen = frame[frame["PitchType"].isin(["CU", "FF", "SL"])]
    columns = ["StartSpeed", "HPos", "VPos", "BallCount", "StrikeCount", "Inning", "Outs", "Nasty"]
    return rows_of(chosen[columns], codes(chosen["PitchType"]))


def _houses() -> Rows:
    frame = r_table("modeldata", "ames")
    return rows_of(frame, frame["Sale_Price"] / 1000, without=("Sale_Price",))


def _wealth() -> Rows:
    frame = r_table("wooldridge", "k401ksubs")
    return rows_of(frame, frame["nettfa"], without=("nettfa", "incsq", "agesq"))


def _earnings() -> Rows:
    frame = r_table("AER", "PSID7682")
    high = frame["wage"] > frame["wage"].median()
    return rows_of(frame, high.astype(int), without=("wage", "id"), groups=frame["id"])


def _juice() -> Rows:
    frame = r_table("ISLR", "OJ")
    return rows_of(frame, codes(frame["Purchase"]), without=("Purchase",))


def _breast() -> Rows:
    frame = r_table("survival", "rotterdam")
    outside = ("pid", "rtime", "recur", "dtime", "death", "year")
    return rows_of(frame, frame["dtime"], without=outside, event=frame["death"] == 1)


def _vote() -> Rows:
    frame = r_table("stevedata", "TV16")
    return rows_of(frame, frame["votetrump"], without=("votetrump", "uid"))


def _alcohol() -> Rows:
    frame = r_table("wooldridge", "alcohol")
    return rows_of(frame, frame["abuse"], without=("abuse",))


def _lending() -> Rows:
    frame = r_table("modeldata", "lending_club")
    return thinned(rows_of(frame, codes(frame["Class"] == "bad"), without=("Class",)), 0.02)


def _rodents() -> Rows:
    frame = r_table("ratdat", "complete")
    chosen = frame[frame["genus"].isin(["Dipodomys", "Chaetodipus"])]
    chosen = chosen[chosen["hindfoot_length"].notna() & chosen["weight"].notna()]
    columns = ["hindfoot_length", "weight", "month", "year", "plot_id", "sex", "plot_type"]
    return rows_of(chosen[columns], codes(chosen["genus"]))


def _doctor() -> Rows:
    frame = r_table("AER", "DoctorVisits")
    seen = (frame["visits"] > 0).astype(int)
    return rows_of(frame, seen, without=("visits", "reduced"))


def _developers() -> Rows:
    frame = r_table("modeldata", "stackoverflow")
    return rows_of(frame, codes(frame["Country"]), without=("Country",))


def _deliveries() -> Rows:
    frame = r_table("modeldata", "deliveries")
    return rows_of(frame, frame["time_to_delivery"], without=("time_to_delivery",))


def _medical() -> Rows:
    frame = r_table("Ecdat", "MedExp")
    return rows_of(frame, frame["med"], without=("med",))


def _pupils() -> Rows:
    frame = r_table("mlmRev", "Hsb82")
    high = (frame["mAch"] > frame["mAch"].median()).astype(int)
    return rows_of(frame, high, without=("mAch", "school"), groups=frame["school"])


def _wages() -> Rows:
    frame = r_table("ISLR", "Wage")
    high = (frame["wage"] > np.median(frame["wage"])).astype(int)
    return rows_of(frame, high, without=("wage", "logwage"))


def _chains() -> Rows:
    frame = r_table("survival", "flchain")
    time = frame["futime"].where(frame["futime"] > 0)
    outside = ("futime", "death", "chapter")
    return rows_of(frame, time, without=outside, event=frame["death"] == 1)


def _migraine() -> Rows:
    frame = r_table("carData", "KosteckiDillon")
    headache = codes(frame["headache"])
    return rows_of(frame, headache, without=("headache", "id"), groups=frame["id"])


def _males() -> Rows:
    frame = r_table("plm", "Males")
    high = (frame["wage"] > frame["wage"].median()).astype(int)
    return rows_of(frame, high, without=("wage", "nr"), groups=frame["nr"])


def _jobless() -> Rows:
    frame = r_table("Ecdat", "UnempDur")
    outside = ("spell", "censor1", "censor2", "censor3", "censor4")
    return rows_of(frame, frame["spell"], without=outside, event=frame["censor4"] == 0)


def _released() -> Rows:
    frame = r_table("wooldridge", "recid")
    outside = ("durat", "ldurat", "cens")
    return rows_of(frame, frame["durat"], without=outside, event=frame["cens"] == 0)


CLASSES = ("accuracy", "auc", "log-loss")
RARE = ("auc", "log-loss")
SEVERAL = ("accuracy", "auc-ovr", "log-loss")
VALUES = ("mse", "mae", "capped mse")
TIMES = ("concordance",)

MORE = {
    Task.BINARY: ("average-precision", "balanced-accuracy", "brier", "f1", "mcc"),
    Task.MULTICLASS: ("balanced-accuracy", "f1-macro", "mcc"),
    Task.REGRESSION: ("capped mae", "medae", "r2", "rmse", "spearman"),
    Task.SURVIVAL: (),
}
"""Metrics that the main methods alone are judged by, on the main search."""

_D, _U = Half.DEVELOPMENT, Half.UNTOUCHED
_B, _M, _R, _S = Task.BINARY, Task.MULTICLASS, Task.REGRESSION, Task.SURVIVAL

POPULATIONS = (
    Population("cells", _D, "easy", _B, CLASSES, _cells),
    Population("vote", _U, "easy", _B, CLASSES, _vote),
    Population("pension", _D, "hard", _B, CLASSES, _pension),
    Population("doctor", _U, "hard", _B, CLASSES, _doctor),
    Population("biopsy", _D, "at the ceiling", _B, CLASSES, _biopsy, (40, 50, 150)),
    Population("rodents", _U, "at the ceiling", _B, CLASSES, _rodents, (40, 50, 150)),
    Population("email", _D, "10% positives", _B, RARE, _email, (40, 100, 250)),
    Population("alcohol", _U, "10% positives", _B, RARE, _alcohol, (40, 100, 250)),
    Population("default", _D, "2% positives", _B, RARE, _default, (250,)),
    Population("lending", _U, "2% positives", _B, RARE, _lending, (250,)),
    Population("pitches", _D, "several classes", _M, SEVERAL, _pitches, (40, 60, 200)),
    Population("developers", _U, "several classes", _M, SEVERAL, _developers, (40, 60, 200)),
    Population("houses", _D, "values", _R, VALUES, _houses),
    Population("deliveries", _U, "values", _R, VALUES, _deliveries),
    Population("wealth", _D, "values, heavy tails", _R, VALUES, _wealth),
    Population("medical", _U, "values, heavy tails", _R, VALUES, _medical),
    Population("earnings", _D, "groups", _B, CLASSES, _earnings, (40, 100, 250), per_group=5),
    Population("pupils", _U, "groups", _B, CLASSES, _pupils, (40, 100, 250), per_group=5),
    Population("juice", _D, "3 repeats", _B, CLASSES, _juice, (40, 50, 100), repeats=3),
    Population("wages", _U, "3 repeats", _B, CLASSES, _wages, (40, 50, 100), repeats=3),
    Population("breast", _D, "survival", _S, TIMES, _breast, (40, 100, 200)),
    Population("chains", _U, "survival", _S, TIMES, _chains, (40, 100, 200)),
    Population("migraine", _D, "groups", _B, CLASSES, _migraine, (40, 100, 250), per_group=5),
    Population("males", _U, "groups", _B, CLASSES, _males, (40, 100, 250), per_group=5),
    Population("jobless", _D, "survival", _S, TIMES, _jobless, (40, 100, 200)),
    Population("released", _U, "survival", _S, TIMES, _released, (40, 100, 200)),
)
"""In pairs: each kind once for development, once untouched."""


def _sizes(one: Population) -> tuple[int, ...]:
    """Sizes that have ten folds: not 40 rows of several classes, of rare ones or of groups."""
    few = one.task is _M or one.metrics == RARE or one.per_group
    return tuple(sorted({100, one.sizes[-1]} | (set() if few else {40})))


TEN_FOLDS = tuple(
    replace(one, name=f"{one.name}, 10 folds", sizes=_sizes(one), n_folds=10)
    for one in POPULATIONS
    if one.kind != "2% positives"
)
"""The same in 10 folds, where there are positives enough."""

BY_NAME = {one.name: one for one in (*POPULATIONS, *TEN_FOLDS)}
