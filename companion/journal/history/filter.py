"""Filters for the list of hands: by game, session, player and outcome."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from companion.journal.history.index import Hand
from companion.kernel.errors import BadScript

RESULTS: Final = ("open", "decided", "nobody", "won", "lost")
"""Named results; a deciding suit or number is given as its digit. ``won`` and ``lost`` refer to the filter's player,
or to any player without one."""


@dataclass(frozen=True, slots=True)
class HandFilter:
    """Filter criteria; None matches anything.

    >>> HandFilter.checked((), player="Ann", result="won").result
    'won'
    """

    game: str | None = None
    session: int | None = None
    player: str | None = None
    result: str | None = None

    @classmethod
    def checked(
        cls,
        games: Collection[str],
        game: str | None = None,
        session: int | None = None,
        player: str | None = None,
        result: str | None = None,
    ) -> Self:
        """Return the filter.

        Args:
            games: the names of the installed games.

        Raises:
            BadScript: there is no such game or result.
        """
        if game is not None and game not in games:
            raise BadScript(f"There is no game {game[:40]!r} here. Choose one of {', '.join(games)}.")
        if result is not None and result not in RESULTS and not _is_suit(result):
            known = ", ".join(RESULTS)
            raise BadScript(f"A hand's result is one of {known}, or a suit or number such as 6, not {result[:40]!r}.")
        return cls(game, session, player, result)

    def takes(self, hand: Hand) -> bool:
        """Whether the filter matches this hand."""
        return (
            self.game in (None, hand.game)
            and self.session in (None, hand.session)
            and (self.player is None or self.player in hand.players)
            and (self.result is None or self._ended_so(hand))
        )

    def _ended_so(self, hand: Hand) -> bool:
        outcome = hand.outcome
        if outcome is None or self.result == "open":
            return outcome is None and self.result == "open"
        if self.result == "decided":
            return True
        if self.result == "nobody":
            return not outcome.won
        if self.result in ("won", "lost"):
            whose = outcome.won if self.result == "won" else outcome.lost
            return bool(whose) if self.player is None else self.player in whose
        return str(outcome.decided_by) == self.result


def _is_suit(text: str) -> bool:
    return len(text) == 1 and text in "1234567"


EVERY_HAND: Final = HandFilter()
