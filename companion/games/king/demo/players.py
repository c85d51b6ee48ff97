"""Simulated players of King of Roulette: voting, rigging, guessing, betting and bonuses."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.king.printed.cards import GUESSES, PLAYERS
from companion.games.king.spaces import KING, RIGGED, SPACES, Rule, Space
from companion.games.king.state import State, ranges
from companion.games.king.words import FOLLOWS
from companion.kernel.commands import Record
from companion.plugins.demo import WhatIf
from companion.plugins.panel import Moment

NAMES: Final = ("Aubrey", "Benedict", "Celia", "Dorian", "Estelle", "Felix")
PURSE: Final = 6
_BUYS: Final = 0.15
_USES: Final = 0.4


@dataclass(frozen=True, slots=True)
class Laid:
    """A card laid by a player; ``where`` is its zone at the reveal."""

    card: str
    where: str


def has_phone(seat: int) -> bool:
    """Whether a simulated player uses a phone; the others use cards."""
    return seat % 2 == 0


# ---- choices


def vote(names: Sequence[str], player: str, rng: random.Random) -> Record:
    """Vote at random, weighted towards the first seats so that votes do not tie forever."""
    liked = [name for place, name in enumerate(names) for _ in range(len(names) - place)]
    return {"do": "vote", "player": player, "for": rng.choice((player, *liked))}


def bet(rng: random.Random) -> Space:
    """Choose a space, with extra weight on the king space."""
    return KING if rng.random() < 0.25 else rng.choice(SPACES)


def rule(rng: random.Random) -> tuple[int, int, int]:
    """Choose the two spaces for 1 point, and the one for 2."""
    a, b, c = rng.sample(RIGGED, 3)
    return min(a, b), max(a, b), c


def guess(state: State, rng: random.Random) -> str:
    """Guess one of the three lowest ranges."""
    return rng.choice(ranges(len(state.players))[:3])


# ---- phone commands


def phone_choices(moment: Moment, player: str, rng: random.Random) -> list[Record]:
    """Return a phone player's commands for a round, in order; the last of several bets counts.

    As on real phones, the number of commands does not reveal whether a bonus is used.
    """
    state: State = moment.state
    bought, covers = _bonus(moment, player, rng)
    if player == state.king:
        a, b, c = rule(rng)
        text = f"{rng.choice(Rule('', (a, b), c).sayings)}"  # every page has it in its own language
        rigged = {"do": "rule", "player": player, "text": text, "one": [a, b], "two": c}
        guessed = {"do": "guess", "player": player, "range": guess(state, rng), FOLLOWS: True}
        return [*bought, rigged, guessed, covers or guessed]
    bets: list[Record] = [{"do": "bet", "player": player, "space": bet(rng)} for _ in range(rng.choice((1, 1, 2)))]
    return [*bought, *bets, covers or {**bets[-1], FOLLOWS: True}]


def _bonus(moment: Moment, player: str, rng: random.Random) -> tuple[list[Record], Record | None]:
    """Return the purchase of a Double Bonus and its use, each at random."""
    what_if, bought = WhatIf(moment), list[Record]()
    buying, using = ({"do": "buy-bonus", "player": player}, {"do": "use-bonus", "player": player, FOLLOWS: True})
    if rng.random() < _BUYS and what_if.do(buying):
        bought = [buying]
    return bought, using if rng.random() < _USES and what_if.accepts(using) else None


# ---- cards


def card_choices(state: State, player: str, rng: random.Random) -> tuple[Laid, ...]:
    """Return the cards laid by a player without a phone."""
    if player != state.king:
        space = bet(rng)
        return (bet_card(state, player, space),)
    a, b, c = rule(rng)
    low = guess(state, rng).partition("-")[0]
    card = next(card for card, words in GUESSES.items() if words.partition("–")[0] == low)
    return Laid(f"R1{a}", "rule/1"), Laid(f"R1{b}", "rule/1"), Laid(f"R2{c}", "rule/2"), Laid(card, "guess")


def bet_card(state: State, player: str, space: Space) -> Laid:
    """Return a player's card for a space."""
    letter = PLAYERS[state.player(player).seat.number - 1]
    return Laid(f"{letter}{'K' if space == KING else space}", f"bet/{space}")
