"""`Result`: an answer in a notebook, and the files that it can be saved to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bbccli.errors import UndefinedError
from bbccli.notes import Note, by_severity
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Document
from bbccli.platform.text import count

if TYPE_CHECKING:
    import pandas as pd

    from bbccli.reports.figures import Absent, Drawn


class Result(ABC):
    """An answer, with the document of the command.

    A notebook shows the head of its page; `print` shows it in a few lines.
    """

    kind: ClassVar[str]
    """The command."""

    if TYPE_CHECKING:  # an attribute or a property

        @property
        def record(self) -> Any:
            """The record of the document."""

    @property
    def document(self) -> Document[Any]:
        """The content of ``--format json``."""
        return Document.of(self.record)

    @property
    def notes(self) -> list[str]:
        """Notes on the input and the answer, the most important first."""
        return [note.text for note in self._notes()]

    @abstractmethod
    def sentence(self) -> str:
        """Return the answer in words."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the rows and columns of ``--format csv``."""

    def save(self, path: str | Path) -> None:
        """Write the result in the form of the file's suffix, such as r.json.

        Raises
        ------
        OptionError
            An unknown suffix, or a file that can't be written.
        """
        from bbccli.platform.atomic import write_whole
        from bbccli.reports import FORMS, form_of, forms_of

        form = form_of(str(path), forms_of(self.kind)) or "table"
        text = self._page() if form == "html" else FORMS[form].render([self.record], kind=self.kind)
        write_whole(text.encode(errors="backslashreplace"), str(path))

    def __repr__(self) -> str:
        from bbccli.documents.correct import doubts_of

        doubts = doubts_of(self.record)
        more = len(self._notes()) - len(doubts)
        lines = [*(f"DOUBT: {doubt.text}." for doubt in doubts), *self._lines()]
        return "\n".join([*lines, *([f"{count(more, 'note')} in .notes"] if more else [])])

    @abstractmethod
    def _repr_html_(self) -> str: ...

    @abstractmethod
    def _lines(self) -> Sequence[str]:
        """The answer in a few lines."""

    def _page(self) -> str:
        from bbccli.reports import FORMS

        return FORMS["html"].render([self.record], kind=self.kind)

    def _notes(self) -> list[Note]:
        from bbccli.documents.correct import notes_of

        return by_severity(notes_of(self.record))


@dataclass(frozen=True, repr=False)
class Figure:
    """A figure for a notebook: `drawn` has its Vega-Lite specification, sentence and table."""

    drawn: Drawn

    @classmethod
    def of(cls, drawn: Drawn | Absent) -> Figure:
        """Return a figure; an UndefinedError if it can't be drawn."""
        from bbccli.reports.figures import Absent

        if isinstance(drawn, Absent):
            problem = f"there is no figure {drawn.kind}: {drawn.reason}"
            raise UndefinedError(problem, hint="choose another kind")
        return cls(drawn)

    def save(self, path: str | Path) -> None:
        """Write the figure to a file: .svg, .png, .pdf, or .vl.json for any Vega editor.

        Raises
        ------
        OptionError
            Another suffix, a picture without bbccli[report], or a file that can't be written.
        """
        from bbccli.platform.atomic import write_whole
        from bbccli.reports.figures.rendering import exported, picture_form

        write_whole(exported(self.drawn, picture_form(str(path))), str(path))

    def __repr__(self) -> str:
        return f"{self.drawn.title}. {self.drawn.reading}"

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        from bbccli.reports.figures.rendering import can_render, exported

        shown = {
            "application/vnd.vegalite.v5+json": self.drawn.on_paper(),
            "text/plain": repr(self),
        }
        if can_render():  # for viewers without Vega-Lite
            shown["image/svg+xml"] = exported(self.drawn, "svg").decode()
        return shown
