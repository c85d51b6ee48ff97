"""Errors that a person at the table can correct.

A `TableError` has a stable `code` for scripts and pages, and a message for people: what was seen, with the card, seat
or amount, and what to do about it. A bug in our own code is not one of these: it fails loudly.
"""

import errno
from collections.abc import Mapping
from typing import Final, Self

from companion.kernel.messages import Message, Value, message


class CompanionError(Exception):
    """An error that a person can fix: bad usage, a broken file, a missing device. One line, says what to do."""

    @classmethod
    def saying(cls, key: str, /, **values: Value) -> Self:
        """Return the error with a `message`: the sentence in English, and a value for each of its slots.

        >>> CompanionError.saying("There is no card {card}.", card="9X").message
        'There is no card 9X.'
        """
        return cls(message(key, **values))

    @property
    def message(self) -> str:
        """What it says, as it was raised."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class CodedError(CompanionError):
    """An error with a ``code`` for scripts and pages, which never changes and is said where it is raised."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code

    @classmethod
    def coded(cls, code: str, key: str, /, **values: Value) -> Self:
        """Return the error with a code and a `message`, as `saying` does."""
        return cls(code, message(key, **values))


_REASONS: Final[Mapping[int, Message]] = {
    errno.ENOSPC: message("No space left on device"),
    errno.EDQUOT: message("Disk quota exceeded"),
    errno.EROFS: message("Read-only file system"),
    errno.EACCES: message("Permission denied"),
    errno.EPERM: message("Operation not permitted"),
    errno.EIO: message("Input/output error"),
    errno.ENODEV: message("No such device"),
    errno.ENXIO: message("No such device or address"),
    errno.ENOENT: message("No such file or directory"),
    errno.ENOTDIR: message("Not a directory"),
    errno.EISDIR: message("Is a directory"),
    errno.EFBIG: message("File too large"),
    errno.ETIMEDOUT: message("Connection timed out"),
    errno.ECONNREFUSED: message("Connection refused"),
    errno.ECONNRESET: message("Connection reset by peer"),
    errno.EHOSTUNREACH: message("No route to host"),
    errno.ENETUNREACH: message("Network is unreachable"),
    errno.EPIPE: message("Broken pipe"),
}
"""What the system says in English of a file, a disk or a network, to be said in any language."""


def os_reason(error: OSError) -> str:
    """Return why the system refuses something, without what it is about.

    >>> os_reason(OSError(28, "No space left on device", "/backups"))
    'No space left on device'
    >>> os_reason(OSError("a broken cable"))
    'a broken cable'
    """
    known = _REASONS.get(error.errno or 0)
    return known if known is not None and known == error.strerror else error.strerror or str(error)


class TableError(CompanionError):
    """A command that cannot be done now. The table is as it was before."""

    code = "refused"


class NotYourTurn(TableError):
    """Somebody else is to act."""

    code = "not-your-turn"


class WrongPhase(TableError):
    """The verb exists, but not at this moment of the game."""

    code = "wrong-phase"


class UnknownVerb(TableError):
    """The game has no such verb."""

    code = "unknown-verb"


class UnknownPlayer(TableError):
    """Nobody of that name sits at the table."""

    code = "unknown-player"


class UnknownCard(TableError):
    """The deck in play has no such card."""

    code = "unknown-card"


class CardSeen(TableError):
    """The card lies on the table already."""

    code = "card-seen"


class BadAmount(TableError):
    """Not a whole number of coins above zero, or not a permitted one."""

    code = "bad-amount"


class NotEnoughCoins(TableError):
    """The player has fewer coins than that."""

    code = "not-enough-coins"


class OverLimit(TableError):
    """More than the table's maximum, than the bank pays out, or than a player may bring in an evening."""

    code = "over-limit"


class NotOffered(TableError):
    """This table does not offer that bet or option."""

    code = "not-offered"


class NothingDone(TableError):
    """There is nothing to undo, redo or take back."""

    code = "nothing-done"


class Outdated(NothingDone):
    """The table is not as it was when this was proposed: something else counted in between."""


class DeckEmpty(TableError):
    """The deck has too few cards left for that."""

    code = "deck-empty"


class BadScript(TableError):
    """A line of a hand script, or a command, that cannot be understood."""

    code = "bad-script"


class BadName(TableError):
    """A name that a player cannot have."""

    code = "bad-name"


class NotSaved(TableError):
    """The journal could not be written, so the command was not played. The table is as it was."""

    code = "not-saved"


class JournalAmiss(TableError):
    """Something is wrong with the journal: nothing is played until a backup is restored or the loss accepted."""

    code = "journal-held"


class KeyReused(TableError):
    """An idempotency key was reused with another command."""

    code = "key-reused"


class NoAnswer(TableError):
    """The table did not answer in time, or is closing."""

    code = "no-answer"


class MayStillCount(NoAnswer):
    """The table was at it and did not answer in time: only asking again under the same key tells what became of it."""


class Internal(TableError):
    """An internal error: refused, logged with its traceback, and the table unchanged."""

    code = "internal"
