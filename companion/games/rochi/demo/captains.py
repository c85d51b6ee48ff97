"""What two people do with cards after a command of Captain's Rochi: discard what is cleared, shuffle, draw."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from companion.games.rochi.demo.acts import go_home
from companion.games.rochi.demo.moves import seats_of
from companion.games.rochi.demo.sweep import take_suit
from companion.games.rochi.demo.table import DemoRochiTable


def tidy(table: DemoRochiTable, view: Mapping[str, Any], rng: random.Random) -> None:
    """Have the table's cards follow the view: cleared suits are discarded, the deck is shuffled, hands are filled."""
    seats = seats_of(view)
    mover = seats[view["turn"]] if view["turn"] else min(seats.values())
    for stack in view["stacks"]:
        rank = stack["suit"]
        counted = {*stack["cards"], *(card for cards in stack["shields"].values() for card in cards)}
        if any(card not in counted for card in cards_of(table, rank)):
            table.do(lambda stage, rank=rank: take_suit(stage, mover, rank))  # type: ignore[misc]
            table.do(lambda stage: go_home(stage.arms[mover]))
        if table.busy:  # the rest when these lie on the discard pile
            return
    if set(table.discards) - set(view["discards"]):
        table.shuffle(mover, rng.getrandbits(32), view["discards"])
    due = {seats[hand["player"]]: hand["cards"] for hand in view["hands"]}
    for seat, cards in due.items():
        if len(table.hand(seat)) < cards:
            table.deal_hands(mover, cards, (seat,))


def cards_of(table: DemoRochiTable, rank: int) -> list[str]:
    """Return the open cards of a suit, those before the players too."""
    places = (f"stack/{rank}", *(f"seat/{seat}" for seat in table.seats))
    return [card for place in places for card in table.cards_at(place) if card[0] == str(rank)]
