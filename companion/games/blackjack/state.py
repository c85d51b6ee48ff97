"""State of a blackjack table: rules, boxes, and the dealer's cards."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Literal, cast

from companion.games.blackjack.commands import DEALER
from companion.games.blackjack.events import RoundDecided
from companion.games.blackjack.hands import Box, Hand
from companion.games.blackjack.risk import worst_case
from companion.kernel.errors import BadName, BadScript
from companion.kernel.game import Options, Seat
from companion.kernel.messages import message
from companion.kernel.price import Price
from companion.kernel.shared import banked as house
from companion.kernel.shared.options import check_names, choice, switch, whole_number
from companion.kernel.values import quick

TITLE: Final = "Blackjack"
MIN_PLAYERS: Final = 1
MAX_PLAYERS: Final = 7
MAX_DECKS: Final = 8
MAX_HANDS: Final = 4
"""Maximum hands per player: up to three splits."""
USUAL_LIMITS: Final[Mapping[str, int]] = {"min": 50, "max": 500}
USUAL_DECKS: Final = 2
ON: Final = "hand"
"""Bet name of the main bet."""
OFFERS: Final = (house.Offer(ON, message("a hand"), Price(3, 2)),)

Soft17 = Literal["stand", "hit"]
SurrenderRule = Literal["late", "early", "none"]
SplitAces = Literal["play-on", "one-card"]
SOFT17: Final[tuple[Soft17, ...]] = ("stand", "hit")
SURRENDER: Final[tuple[SurrenderRule, ...]] = ("late", "early", "none")
SPLIT_ACES: Final[tuple[SplitAces, ...]] = ("play-on", "one-card")


class Phase(Enum):
    """Phase of a round."""

    BETTING = "betting"
    "Bets may be placed and taken back."
    DEALING = "dealing"
    "Initial deal: two cards per bet and two for the dealer, one of them face down."
    PLAYING = "playing"
    "Players act, hand by hand."
    REVEAL = "reveal"
    "Waiting for the hole card to be turned."
    DEALER = "dealer"
    "The dealer draws."


@quick
class Rules:
    """The table's rules."""

    decks: int = USUAL_DECKS
    soft17: Soft17 = "stand"
    surrender: SurrenderRule = "late"
    split_aces: SplitAces = "play-on"
    hints: bool = True
    "Whether players may see odds and hints for their hands."
    limits: house.Limits = house.Limits()


Place = tuple[int, int]
"""(Box index, hand index), both from 0."""


@quick
class State:
    """A blackjack table. ``boxes`` are in seat order."""

    rules: Rules
    seats: tuple[Seat, ...]
    phase: Phase = Phase.BETTING
    boxes: tuple[Box, ...] = ()
    dealer: tuple[str, ...] = ()
    "The dealer's known cards."
    has_hole: bool = False
    "Whether the hole card was dealt."
    seen: tuple[str, ...] = ()
    "All cards seen in this round."
    at: Place | None = None
    "The hand to act."
    is_fresh: bool = True
    "Whether no player has acted in this round yet."
    decided: RoundDecided | None = None
    "The last decided round."

    @property
    def stakes(self) -> house.Stakes:
        """All unsettled stakes."""
        hands = [house.Stake(box.player, ON, sum(hand.stake for hand in box.hands)) for box in self.boxes]
        insured = [house.Stake(box.player, "insurance", box.insured) for box in self.boxes]
        return tuple(stake for stake in (*hands, *insured) if stake.amount)

    @property
    def offers(self) -> tuple[house.Offer, ...]:
        """The bets on offer."""
        return OFFERS

    @property
    def worst(self) -> house.Worst | None:
        """Worst-case cost of this round to the house with current stakes; None without any."""
        return worst_case(self)

    @property
    def turn(self) -> str | None:
        """The player to act."""
        return self.boxes[self.at[0]].player if self.at is not None else None

    @property
    def hand(self) -> Hand | None:
        """The hand to act."""
        return self.boxes[self.at[0]].hands[self.at[1]] if self.at is not None else None

    def box_of(self, player: str) -> Box | None:
        """Return a player's box; None without a bet."""
        for box in self.boxes:
            if box.player == player:
                return box
        return None


def may_insure(state: State) -> list[str]:
    """Return the players who may take insurance now."""
    is_time = state.phase in (Phase.PLAYING, Phase.REVEAL) and state.is_fresh and state.dealer[0][0] == "A"
    return [box.player for box in state.boxes if is_time and not box.insured and box.hands[0].amount > 1]


def choices(state: State) -> tuple[str, ...]:
    """Return the choices of the player to act, regardless of their coins."""
    hand, box = state.hand, state.box_of(state.turn or "")
    if hand is None or box is None or hand.is_waiting:
        return ()
    if len(hand.cards) > 2:
        return ("hit", "stand")
    is_pair = hand.cards[0][0] == hand.cards[1][0] and len(box.hands) < MAX_HANDS
    gives_up = not hand.is_split and state.rules.surrender != "none"
    return ("hit", "stand", "double", *(("split",) if is_pair else ()), *(("surrender",) if gives_up else ()))


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the state before the first bet.

    Raises:
        BadScript: too many players, or an invalid option.
        BadName: a player is called "dealer".
    """
    if len(seats) > MAX_PLAYERS:
        raise BadScript.saying(
            "Blackjack is for at most {most} players, not {count}. Leave some out.", most=MAX_PLAYERS, count=len(seats)
        )
    for seat in seats:
        check_name(seat.player)
    return State(parse_rules(options), tuple(seats))


def check_name(player: str) -> None:
    """Check a player's name: "dealer" is reserved for `deal`.

    Raises:
        BadName: the reserved name.
    """
    if player == DEALER:
        raise BadName.saying('Nobody at a blackjack table can be called "dealer". Choose another name.')


def parse_rules(options: Options) -> Rules:
    """Parse the rules from header or configuration options.

    Raises:
        BadScript: an unknown option or value; the message names it.
    """
    check_names(TITLE, options, ("decks", "soft17", "surrender", "split_aces", "hints", *house.LIMITS))
    return Rules(
        _decks(options),
        cast(Soft17, choice(options, "soft17", SOFT17)),
        cast(SurrenderRule, choice(options, "surrender", SURRENDER)),
        cast(SplitAces, choice(options, "split_aces", SPLIT_ACES)),
        switch(options, "hints", default=True),
        house.parse_limits({**USUAL_LIMITS, **options}),
    )


def _decks(options: Options) -> int:
    decks = whole_number({"decks": USUAL_DECKS, **options}, "decks", message("decks"))
    if decks is None or decks > MAX_DECKS:
        raise BadScript(f"Option 'decks' is a whole number from 1 to {MAX_DECKS}, got {options['decks']!r}.")
    return decks
