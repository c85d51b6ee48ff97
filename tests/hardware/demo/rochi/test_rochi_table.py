"""Physics of the Rochi demo table: hands, cards, tokens and coins."""

import numpy as np
import pytest

from companion.games.roche_deck.design import FULL_DECK
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.demo.moves import Deal, Fold, MoveToken, Pay, Payment, Play, ThrowIn
from companion.games.rochi.demo.table import Laid
from hardware.demo.felt_table import DemoError

pytestmark = pytest.mark.slow  # renders complete hands

SEATS = (1, 2, 3, 4)


def everything(felt):
    """Return all 54 cards, wherever they are."""
    hands = [card for seat in felt.seats for card in felt.hand(seat)]
    lying = [thing.card.id for thing in felt.lying if thing.card.face_up and thing.card.id in FULL_DECK]
    return sorted([*hands, *lying, *felt.discards, *felt.next_cards(60)])


def test_a_shuffled_deck_is_dealt_and_nothing_is_lost(felt):
    felt.shuffle(1, seed=5)
    felt.deal_hands(1, 5, SEATS)
    felt.run()
    assert [len(felt.hand(seat)) for seat in SEATS] == [5, 5, 5, 5]
    assert felt.deck_left == 34
    assert everything(felt) == sorted(FULL_DECK)


def test_a_play_moves_card_token_and_coins(felt):
    felt.restore(Laid(hands={2: 5}, coins={"seat/2": 20}))
    card = felt.hand(2)[1]
    suit = card[0]
    felt.move(Play(2, card, f"stack/{suit}", f"T{suit}", CENTRE, "seat/2", Payment("seat/2", f"pot/{suit}", 3)))
    felt.run()
    assert felt.cards_at(f"stack/{suit}") == (card,)
    assert felt.token_at(f"T{suit}") == "seat/2"
    assert (felt.coins["seat/2"], felt.coins[f"pot/{suit}"]) == (17, 3)
    assert len(felt.hand(2)) == 4
    assert everything(felt) == sorted(FULL_DECK)


def test_the_next_card_of_a_locked_suit_goes_below_its_token(felt):
    """The token ends up on the last card, visible to a camera."""
    felt.restore(Laid(stacks={2: ["2D1", "2D2"]}, tokens={"T2": "stack/2"}))
    felt.move(Deal(1, "2N1"))
    felt.run()
    order = [thing.card.id for thing in felt.lying if thing.where == "stack/2"]
    assert order == ["2D1", "2D2", "2N1", "T2"]


def test_a_fold_puts_everything_back(felt):
    felt.restore(Laid(shields={3: ["6D1", "5D1"]}, tokens={"T6": "seat/3"}, hands={3: 4}))
    held = felt.hand(3)
    felt.move(Fold(3, ("T6",)))
    felt.run()
    assert felt.token_at("T6") == CENTRE
    assert set(felt.discards) == {*held, "6D1", "5D1"}
    assert felt.hand(3) == ()
    assert felt.cards_at("seat/3") == ()


def test_who_throws_a_hand_in_keeps_shields_and_tokens(felt):
    felt.restore(Laid(shields={1: ["6D1"]}, tokens={"T6": "seat/1"}, hands={1: 7}))
    felt.move(ThrowIn(1))
    felt.run()
    assert (felt.token_at("T6"), felt.cards_at("seat/1"), len(felt.discards)) == ("seat/1", ("6D1",), 7)


def test_gathering_clears_the_table_and_the_deck_is_whole_again(felt):
    stacks = {rank: [f"{rank}D{n}" for n in range(1, rank + 1)] for rank in (2, 4, 6)}
    felt.restore(Laid(stacks=stacks, shields={4: ["7D1"]}, tokens={"T7": "seat/4"}, hands={1: 2, 2: 3}))
    felt.tokens_home(1)
    felt.gather(1)
    felt.run()
    assert not [thing for thing in felt.lying if thing.card.id in FULL_DECK]
    assert felt.token_at("T7") == CENTRE
    felt.shuffle(1)
    felt.run()
    assert sorted(felt.next_cards(60)) == sorted(FULL_DECK)
    assert felt.discards == ()


def test_gathering_leaves_the_bare_mat(felt):
    """No pixel of a card, chip or shadow remains, up to sensor noise."""
    before = felt.run()
    felt.restore(Laid(stacks={6: ["6D1", "6D2"]}, hands={1: 5, 3: 5}, coins={"seat/1": 30, "pot/6": 7}, deck=0))
    felt.run()
    felt.gather(2)
    felt.shuffle(2)
    felt.set_coins({"seat/1": 0, "pot/6": 0})
    felt.run()
    felt.restore(Laid(tokens={}, deck=0))
    felt.do(lambda stage: clear(stage))
    after = felt.run()
    changed = np.abs(after.astype(int) - before)[115:]  # below the pots: the positions of tokens vary a little
    assert changed.max() <= 24


def clear(stage):
    stage.discarded = []
    stage.show_discards()
    yield


def test_coins_move_a_handful_at_a_time_and_none_is_lost(felt):
    felt.restore(Laid(coins={"seat/1": 100, "seat/4": 5}))
    felt.move(Pay(1, Payment("seat/1", "seat/4", 37)))
    felt.run()
    assert (felt.coins["seat/1"], felt.coins["seat/4"]) == (63, 42)


@pytest.mark.parametrize("seat", [1, 2, 3, 4])
def test_hands_come_from_their_own_side(felt, seat):
    """While a token is moved only that seat's arm is visible, and none afterwards."""
    felt.restore(Laid())
    felt.move(MoveToken(seat, "T4", f"seat/{seat}"))
    felt.run(until_idle=False, seconds=0.3)
    in_sight = [at for at, arm in felt._stage.arms.items() if arm.pose() is not None]
    assert in_sight == [seat]
    felt.run()
    assert all(arm.pose() is None for arm in felt._stage.arms.values())


def test_the_same_seed_gives_the_same_pictures(felt, new_felt):
    twin = new_felt()
    twin.sit(SEATS)
    for table in (felt, twin):
        table.shuffle(1, seed=9)
        table.deal_hands(1, 2, SEATS)
    for i in range(1, 40):
        assert np.array_equal(felt.picture(i / 8), twin.picture(i / 8))


def test_people_come_and_go(felt):
    felt.sit((1, 5, 6))
    assert felt.seats == (1, 5, 6)
    with pytest.raises(DemoError, match="no seat 7"):
        felt.sit((7,))
