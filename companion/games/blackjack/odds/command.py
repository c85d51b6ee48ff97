"""`companion odds` for blackjack: a new round, or a hand in play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, cast

from companion.games.blackjack.odds.bets import HAND, INSURANCE, bets, of_choice
from companion.games.blackjack.odds.rule_set import RuleSet, Soft17, SplitAces, Surrender
from companion.games.standard_cards import is_card
from companion.kernel.errors import BadScript
from companion.kernel.messages import message
from companion.kernel.shared.banked import LIMITS, parse_limits
from companion.odds.asked import Asked, limit_options, parse_options, parse_seen
from companion.odds.bet_odds import AnyBet
from companion.odds.table import cells

if TYPE_CHECKING:
    import numpy as np

    from companion.games.blackjack.odds.live import LiveOdds

RULES: Final = ("decks", "soft17", "surrender", "split_aces")
PLAYS: Final = ("best", "basic")
OPTIONS: Final = (*RULES, "play", "hand", "dealer", *LIMITS)
_HINTS: Final = "hints"
MEANINGS: Final = {
    HAND: message("the best play beats the dealer"),
    INSURANCE: message("blackjack under an ace"),
    "stand": message("the dealer busts or has less"),
    "hit": message("the best play after it wins"),
    "double": message("the hand wins with one more card"),
    "split": message("one of the hands, any, wins"),
    "surrender": message("never: half the stake is lost"),
}


@dataclass(frozen=True, slots=True)
class BlackjackAsked:
    """Query about a new round; ``basic``: assume basic strategy."""

    rules: RuleSet
    basic: bool = False
    played = "rounds dealt"

    def odds(self) -> tuple[AnyBet, ...]:
        return bets(self.rules, basic=self.basic)

    def lines(self) -> Iterable[tuple[str, ...]]:
        meanings = MEANINGS | ({HAND: message("the basic strategy beats the dealer")} if self.basic else {})
        return ((*cells(bet, bet.on, meanings[bet.on])[:-1], three_decimals(bet.edge)) for bet in self.odds())

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        if self.basic:
            raise BadScript("Rounds are simulated with the best play. Leave --simulate or play=basic out.")
        from companion.games.blackjack.odds.simulation import count_wins

        return count_wins(self.rules, rounds, random, progress)


@dataclass(frozen=True, slots=True)
class HandAsked:
    """Query about a hand in play: one line per action."""

    live: LiveOdds
    played = "hands"

    def odds(self) -> Sequence[AnyBet]:
        return tuple(map(of_choice, self.live.choices))

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(bet, bet.on, MEANINGS[bet.on]) for bet in self.odds())

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        raise BadScript("A hand in play is not simulated. Leave --simulate out.")


def ask(seen: str, pairs: Iterable[str]) -> Asked:
    """Parse a `companion odds blackjack` query.

    In addition to the header's options: ``play=basic`` to assume basic strategy; or ``hand=TS,6D`` and ``dealer=9H``
    for a hand in play, with ``--seen`` for the other cards on the table.

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    given = parse_options("blackjack", pairs, (*OPTIONS, _HINTS), "decks=6")
    given.pop(_HINTS, None)  # visibility of the odds does not change them
    parse_limits(limit_options(given))  # limits do not change the odds, but their errors are reported
    rules = parse_rules(given)
    if "hand" in given and "dealer" in given:
        return HandAsked(_live(rules, parse_seen(given["hand"]), given["dealer"], parse_seen(seen)))
    if seen or "hand" in given or "dealer" in given:
        raise BadScript("Every round is dealt from a full shoe. Name a hand: --option hand=TS,6D --option dealer=9H.")
    play = given.get("play", PLAYS[0])
    if play not in PLAYS:
        raise BadScript(f"play is {play!r}. Use {' or '.join(PLAYS)}.")
    return BlackjackAsked(rules, play == "basic")


def three_decimals(edge: Fraction) -> str:
    """Return an edge in the format of published tables.

    >>> three_decimals(Fraction(249, 100_000))
    '0.249 %'
    """
    return f"{100 * float(edge):.3f} %"


def parse_rules(given: Mapping[str, str]) -> RuleSet:
    """Parse the rule set from options.

    Raises:
        BadScript: an invalid value.
    """
    usual = RuleSet()
    decks = given.get("decks", str(usual.decks))
    if not decks.isdecimal() or len(decks) > 2:
        raise BadScript(f"decks is {decks[:20]}. Use 1 to 8.")
    try:
        return RuleSet(
            int(decks),
            cast(Soft17, given.get("soft17", usual.soft17)),
            cast(Surrender, given.get("surrender", usual.surrender)),
            cast(SplitAces, given.get("split_aces", usual.split_aces)),
        )
    except ValueError as error:
        raise BadScript(str(error)) from error


def _live(rules: RuleSet, hand: Sequence[str], up: str, seen: Sequence[str]) -> LiveOdds:
    from companion.games.blackjack.odds.live import live_odds

    for card in (*hand, up, *seen):
        if not is_card(card):
            raise BadScript(f"There is no card {card!r}. Say one like AS or TD.")
    if len(hand) < 2:
        raise BadScript("A hand has two cards or more. Name them like --option hand=TS,6D.")
    allowed = {"stand", "hit"}
    if len(hand) == 2:
        allowed |= {"double"} | ({"surrender"} if rules.surrender != "none" else set())
        allowed |= {"split"} if hand[0][0] == hand[1][0] else set()
    try:
        return live_odds(rules, hand, up, seen, allowed=allowed)
    except ValueError as error:
        raise BadScript(f"{error}. Check hand, dealer and --seen.") from error
