"""The half of a rig that every table has which is another process: what goes over HTTP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hardware.harness.http_table import HttpTable


class OverHttp(ABC):
    """View, journal, commands and pages of the table at `table`."""

    @property
    @abstractmethod
    def table(self) -> HttpTable:
        """The table under test."""

    def view(self) -> Mapping[str, Any]:
        """Return the dealer's view."""
        return self.table.view()

    def journal(self, after: int) -> Sequence[Mapping[str, Any]]:
        """Return the journal's entries behind this number."""
        return self.table.journal(after)

    def command(self, record: Mapping[str, Any]) -> str | None:
        """Play a command as the dealer; return the error's code if it was refused."""
        return self.table.command(record)

    def page(self, path: str) -> str:
        """Return a page as the dealer gets it."""
        return self.table.page(path)
