"""`bbc vault`: keep rows back from a search."""

from __future__ import annotations

import shlex
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet, output_option
from bbccli.platform.arguments import Option, Panel, Scope

Table = Annotated[
    str,
    Option(
        "The samples or items, one per row, before anything has seen them: .csv, .tsv, .jsonl or "
        ".parquet.",
        "FILE",
        positional=True,
    ),
]


def _column(text: str) -> Option:
    return Option(text, "COL", panel=Panel.COLUMNS, scope=Scope.RUN)


@command(reads=True)
def vault(
    table: Table,
    output: Annotated[
        str | None,
        output_option("Folder to write.", "DIR", default="FILE with -vault"),
    ] = None,
    share: Annotated[
        float,
        Option(
            "Share of the rows to seal: at least 50 rows, at most half of all.",
            "P",
            scope=Scope.COMMAND,
        ),
    ] = 0.2,
    planned: Annotated[
        int, Option("How often the vault will be opened.", "N", scope=Scope.COMMAND)
    ] = 1,
    row_id: Annotated[str | None, _column("Key of the row.")] = None,
    truth: Annotated[
        str | None, _column("True label or value: each has the same share in both parts.")
    ] = None,
    group: Annotated[
        str | None, _column("Group of the row, such as a patient: sealed as a whole.")
    ] = None,
    seed: Annotated[int, Option("Seed; same seed, same rows.", "N", scope=Scope.COMMAND)] = 0,
    quiet: Quiet = False,
) -> None:
    """Keep rows back from a search, and count each look.

    After the search, predict the sealed rows with the winner: bbc correct PREDICTIONS
    --vault SCORES counts the opening, and shows the figure on them.

    Examples:
      bbc vault items.csv --share 0.2
      bbc correct predictions.csv --vault items-vault/scores.csv
    """
    from bbccli.cli import say
    from bbccli.platform.text import count, visible
    from bbccli.use_cases.vault.sealing import seal

    columns = {"row_id": row_id, "truth": truth, "group": group}
    made = seal(table, output, share=share, planned=planned, seed=seed, **columns)
    if quiet:
        return
    for path, n, what in (
        (made.search, made.n_search, "for the search, which must see no others"),
        (made.sealed, made.n_sealed, f"sealed, {count(planned, 'opening')} planned"),
    ):
        say(f"wrote {visible(str(path))}: {n} rows {what}")
    evenly = f"evenly by {made.truth}" if made.truth else "at random (--truth shares them evenly)"
    whole = (
        f"whole groups of {made.group}" if made.group else "no groups (--group keeps them whole)"
    )
    say(f"rows were drawn {visible(evenly)}, {visible(whole)}")
    name, how = made.likely
    if name:
        say(
            visible(
                f"{name!r} has {how}: if these belong together, remove {made.folder} and seal "
                f"again with --group {shlex.quote(name)}"
            )
        )
