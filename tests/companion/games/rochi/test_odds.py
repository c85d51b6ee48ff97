"""The probability of each suit to be cut by the next card, verified by enumeration."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from evenings import random_records
from rochi_tables import captains, do, rochi

from companion.games.rochi.board import SUIT_OF as SUITS
from companion.games.rochi.board import Shield, Stack, fresh_stacks
from companion.games.rochi.captains.state import State as CaptainsState
from companion.games.rochi.odds.cuts import cut_chances
from companion.kernel.commands import parse_command
from companion.kernel.table import Table
from companion.testing import INSTALLED


def chances_of(table: Table) -> list[dict[str, object]]:
    return INSTALLED[table.game.name].odds.chances(table.position.state)


def unseen(table: Table) -> list[str]:
    """Return the cards that are not face up."""
    state = table.position.state
    is_two = isinstance(state, CaptainsState)
    board, away = (state.stacks, state.discards) if is_two else (state.hand.stacks, state.hand.gone)
    open_ = {card for stack in board for card in stack.open_cards} | set(away)
    return [card for card in SUITS[state.deck_kind if is_two else state.rules.deck] if card not in open_]


def cut_by(table: Table, card: str) -> int | None:
    """Return the suit that this card would cut if dealt now, according to the rules' code."""
    before = table.position
    command = parse_command({"do": "deal", "card": card}, table.verbs)
    state, happened = table.game.apply(before.state, command, before.ledger)
    names = {type(event).__name__ for event in happened}
    suit = SUITS["full"][card]
    board = (lambda s: s.stacks) if isinstance(state, CaptainsState) else (lambda s: s.hand.stacks)
    was_locked, is_locked = (
        next(stack.is_locked for stack in board(at) if stack.suit == suit) for at in (before.state, state)
    )
    is_decided = any(
        getattr(event, "suit", None) == suit for event in happened if type(event).__name__ == "HandDecided"
    )
    return suit if is_decided or "OddCoinOwed" in names or (is_locked and not was_locked) else None


@pytest.mark.parametrize("game", ["rochi", "captains"])
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_each_unseen_card_was_dealt_once_and_the_cuts_were_counted(game, seed):
    header, records = random_records(game, seed)
    table, compared, likely = Table(header), 0, 0
    for record in records:
        table.do(record)
        if "deal" not in table.expected():
            continue
        cards = unseen(table)
        cuts = Counter(cut_by(table, card) for card in cards)
        for chance in chances_of(table):
            assert Fraction(chance["probability"]) == Fraction(cuts[chance["suit"]], len(cards)), (record, chance)
            assert chance["float"] == pytest.approx(cuts[chance["suit"]] / len(cards))
            likely += chance["float"] > 0
        compared += 1
    assert compared > 10
    assert likely > 2


def test_what_is_in_hands_changes_nothing_for_who_sees_none_of_it():
    """All orders of six unseen cards: two are dealt into a hand, the third is the deck's next card."""
    board = list(fresh_stacks("full"))
    board[0] = Stack(2, ("2D1",), "Ann", False, (Shield("Bo", "2D2"),))
    left = ["2N1", "2N2", "7D1", "7D2", "7D3", "3D1"]
    everything = [card for card in SUITS["full"] if card not in left and card not in ("2D1", "2D2")]
    orders = list(permutations(left))
    cuts = sum(order[2][0] == "2" for order in orders)
    (mages, *_) = cut_chances(tuple(board), everything)
    assert mages.probability == Fraction(cuts, len(orders)) == Fraction(1, 3)


def test_a_suit_of_which_every_card_lies_open_cannot_cut():
    board = (Stack(2, ("2D1",), "Ann", False, (Shield("Bo", "2D2"), Shield("Bo", "2N1"), Shield("Ann", "2N2"))),)
    assert cut_chances(board)[0].probability == 0


def test_a_suit_that_nobody_owns_would_be_locked():
    chances = {chance["suit"]: chance for chance in chances_of(rochi(seeds="3D1 3D2"))}
    assert (chances[3]["probability"], chances[3]["locks"]) == ("1/12", True)
    owned = do(rochi(seeds="3D1 3D2"), "play 3D3")
    assert next(chance for chance in chances_of(owned) if chance["suit"] == 3)["locks"] is False


@pytest.mark.parametrize("table", [rochi(seeds=None), do(rochi(), "fold", "fold"), do(captains(), "stop")])
def test_there_are_none_while_no_card_can_be_dealt(table):
    assert chances_of(table) == []
