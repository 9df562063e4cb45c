"""Rows of a table that are sealed before a search, and opened with scores of its winner."""

from __future__ import annotations

from functools import partial

from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import Panel, Scope, option
from bbccli.platform.dataclass import dataclass

_vault = partial(option, panel=Panel.METHOD, scope=Scope.RUN)


@dataclass(frozen=True, kw_only=True)
class VaultOptions:
    """Scores of rows that the search never saw."""

    vault: str | None = _vault(
        None,
        "Predictions of the winner for the rows that bbc vault has sealed, in the folder of the "
        "vault or beside it: count the opening, then show what they score.",
        "FILE",
    )
    reach: float | None = _vault(
        None,
        'Vault: say only "not yet" unless the pessimistic bound of the first metric is as good '
        "as X.",
        "X",
        default="show the figure",
    )
    stricter: bool = _vault(
        False,
        "Vault: open it more often than planned; intervals of all openings become wider.",
        flags=("--stricter",),
    )

    def check_vault(self) -> None:
        """Refuse details of an opening without one."""
        if self.vault is None and (self.reach is not None or self.stricter):
            given = "stricter" if self.reach is None else "reach"
            raise OptionError(
                f"{parameter(given)} without {parameter('vault')} opens nothing",
                hint=f"{parameter('vault')} FILE, scores of the sealed rows",
            )
