"""Workers that are this process, and files for them."""

import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bbccli.batch.parts import pack, run_packed
from bbccli.platform import resources

FEW = ("--n-resamples", "150")


class Here:
    """Workers that are this process, and get nothing but what can be sent."""

    n_cores = 2
    limits = resources.Resources(1, 2**24)

    def __init__(self):
        self.calls, self.sent = 0, {}

    def map(self, function, items):
        limits = replace(self.limits, engine=resources.current().engine)
        for item in items:
            shared = {}
            call = function, item, limits
            packed = pack(call, lambda one, to=shared: to.setdefault(id(one), one))
            assert len(packed) < 2**20  # nothing large is sent with every task
            self.sent |= shared
            self.calls += 1
            with resources.use_workers(None):
                found = pickle.loads(pickle.dumps(run_packed(packed, shared)))
            if isinstance(found, Exception):
                raise found
            yield found


def file_of(path, truth, columns, *, row_group_size=None, **roles):
    table = {"truth": truth, **roles, **{f"c{i:02}": one for i, one in enumerate(columns)}}
    pq.write_table(
        pa.table({name: pa.array(values) for name, values in table.items()}), path, row_group_size
    )


def chances(n=300, n_columns=13, seed=0, kind=np.float32):
    """A truth, folds, and probabilities that tie here and there; the best are in two parts."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    skill = rng.uniform(0.5, 1.5, n_columns)
    skill[2] = 1.7
    logits = rng.normal(size=(n_columns, n)) + skill[:, None] * (truth - 0.5)
    found = (1 / (1 + np.exp(-logits))).astype(kind)
    found[3] = np.round(found[3], 1)
    found[7] = found[2]
    return truth, rng.integers(0, 5, n), found


def same(run, *argv):
    """Run without workers and with them: what is printed is the same; return it."""
    options = ("--format", "json", "--quiet", *argv)
    alone, apart = run("correct", *options), run("correct", *options, "--runner", "dask")
    assert apart == alone
    return alone
