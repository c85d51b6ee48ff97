"""The latest lines of the log, in memory, for a bug report."""

from __future__ import annotations

import logging
from collections import deque
from typing import Final

LINES: Final = 600


class LogTail(logging.Handler):
    """Keeps the latest lines; a handler like any other."""

    def __init__(self, lines: int = LINES) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._lines: deque[str] = deque(maxlen=lines)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        self._lines.append(self.format(record))

    @property
    def text(self) -> str:
        """All lines, the oldest first."""
        return "".join(f"{line}\n" for line in tuple(self._lines))
