"""Table fixtures for the tests of rules."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.kernel.table import Table
from companion.testing import new_header

MakeTable = Callable[..., Table]


@pytest.fixture
def roche() -> MakeTable:
    """Return a factory of Roche tables: ``roche(Ann=100, layout="grand")``."""

    def make(layout: str = "basic", deck: str = "full", options: dict[str, Any] | None = None, **coins: int) -> Table:
        players = tuple((coins or {"Ann": 100, "Bo": 100}).items())
        return Table(new_header("roche", players, {"layout": layout, "deck": deck, **(options or {})}))

    return make
