"""Errors that a person at the table can correct.

A `TableError` has a stable `code` for scripts and pages, and a message for people: what was seen, with the card, seat
or amount, and what to do about it. Bugs in our own code are not `TableError`s: they fail loudly.
"""

import errno
from collections.abc import Mapping
from typing import Final, Self

from companion.kernel.messages import Message, Value, message


class CompanionError(Exception):
    """An error that a person can fix: bad usage, a broken file, a missing device. One line that says what to do."""

    @classmethod
    def saying(cls, key: str, /, **values: Value) -> Self:
        """Return the error with a `message`: the sentence in English, and a value for each of its slots.

        >>> CompanionError.saying("There is no card {card}.", card="9X").message
        'There is no card 9X.'
        """
        return cls(message(key, **values))

    @property
    def message(self) -> str:
        """The message, still translatable if it was raised with a `Message`."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class CodedError(CompanionError):
    """An error with a stable ``code`` for scripts and pages, which is given where it is raised."""

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
"""The operating system's common error texts, translatable."""


def os_reason(error: OSError) -> str:
    """Return the operating system's reason, translatable where known, without the file name.

    >>> os_reason(OSError(28, "No space left on device", "/backups"))
    'No space left on device'
    >>> os_reason(OSError("a broken cable"))
    'a broken cable'
    """
    known = _REASONS.get(error.errno or 0)
    return known if known is not None and known == error.strerror else error.strerror or str(error)


class TableError(CompanionError):
    """A refused command. The table is unchanged."""

    code = "refused"


class NotYourTurn(TableError):
    """It is another player's turn."""

    code = "not-your-turn"


class WrongPhase(TableError):
    """The verb exists but is not available at this point of the game."""

    code = "wrong-phase"


class UnknownVerb(TableError):
    """The game has no such verb."""

    code = "unknown-verb"


class UnknownPlayer(TableError):
    """No player of that name is at the table."""

    code = "unknown-player"


class UnknownCard(TableError):
    """The deck in play has no such card."""

    code = "unknown-card"


class CardSeen(TableError):
    """The card is already on the table."""

    code = "card-seen"


class BadAmount(TableError):
    """Not a whole number of coins above zero, or not a permitted amount."""

    code = "bad-amount"


class NotEnoughCoins(TableError):
    """The player does not have that many coins."""

    code = "not-enough-coins"


class OverLimit(TableError):
    """Above a maximum: of the table, of the bank's payout, or of what a player may bring in an evening."""

    code = "over-limit"


class NotOffered(TableError):
    """This table does not offer that bet or option."""

    code = "not-offered"


class NothingDone(TableError):
    """There is nothing to undo, redo or take back."""

    code = "nothing-done"


class Outdated(NothingDone):
    """The table changed after the command was proposed: another command took effect in between."""


class DeckEmpty(TableError):
    """The deck has too few cards left."""

    code = "deck-empty"


class BadScript(TableError):
    """A malformed command or line of a hand script."""

    code = "bad-script"


class BadName(TableError):
    """An invalid or taken player name."""

    code = "bad-name"


class NotSaved(TableError):
    """The journal could not be written, so the command was not applied. The table is unchanged."""

    code = "not-saved"


class JournalDamaged(TableError):
    """The journal is damaged: play stops until a backup is restored or the loss accepted."""

    code = "journal-held"


class KeyReused(TableError):
    """An idempotency key was reused with another command."""

    code = "key-reused"


class NoAnswer(TableError):
    """The table did not answer in time, or is closing."""

    code = "no-answer"


class MayStillCount(NoAnswer):
    """Timed out while the table was applying the command. Retry with the same idempotency key to learn the outcome."""


class Internal(TableError):
    """An internal error, logged with its traceback. The table is unchanged."""

    code = "internal"
