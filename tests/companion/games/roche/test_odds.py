"""Exact odds of Roche: known facts, consistency, and rejected input."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.roche.odds.exact import deal_so_far, live_odds, players_edges, probabilities
from companion.games.roche.paytable import RocheDeck, bets, deck_ranks, load_paytable
from companion.games.roche_deck.design import FULL_DECK, RED_DECK
from companion.kernel.errors import CardSeen, UnknownCard, WrongPhase
from companion.objects.cards import cards_of_suit

DECKS: dict[RocheDeck, tuple[str, ...]] = {"full": FULL_DECK, "red": RED_DECK}


@st.composite
def open_deals(draw: st.DrawFn) -> tuple[RocheDeck, tuple[str, ...]]:
    """Draw a deck, and cards dealt from it in random order without a cut."""
    deck = draw(st.sampled_from(("full", "red")))
    order = list(DECKS[deck])
    random.Random(draw(st.integers(0, 2**32))).shuffle(order)
    length = 0
    while deal_so_far(deck, tuple(order[: length + 1])).cut is None:
        length += 1
    return deck, tuple(order[: draw(st.integers(0, length))])


@pytest.mark.parametrize("deck", ["full", "red"])
def test_some_suit_always_cuts(deck: RocheDeck) -> None:
    """The suits' probabilities to cut add up to exactly one."""
    chances = probabilities("basic", deck)
    assert sum(chances[f"cut/{rank}"] for rank in deck_ranks(deck)) == 1


def test_the_kin_bet_of_the_contract() -> None:
    """The 6 cuts in 10.09 % of all rounds; at 8:1 the house keeps 9.19 %."""
    bet = {odds.on: odds for odds in live_odds("basic", "full", (), load_paytable("full"))}["cut/6"]
    assert bet.as_json() == {
        "on": "cut/6",
        "probability": f"{bet.probability.numerator}/{bet.probability.denominator}",
        "float": pytest.approx(0.1009, abs=5e-5),
        "fair": f"{(1 / bet.probability - 1).numerator}/{(1 / bet.probability - 1).denominator}",
        "pays": "8:1",
        "edge": pytest.approx(0.0919, abs=5e-5),
    }


def test_edges_of_the_full_deck_are_those_of_the_ruling() -> None:
    """Cut, card, oscura and terminus 3.3 to 9.2 %, starlight 5.3 to 10.8 %, cavalry 6.1 %."""
    edges = {o.on: o.edge for o in live_odds("grand", "full", (), load_paytable("full"))}
    cut = [edges[f"cut/{rank}"] for rank in deck_ranks("full")]
    starlight = [edges[f"starlight/{rank}"] for rank in deck_ranks("full")]
    assert (round(float(min(cut)), 3), round(float(max(cut)), 3)) == (0.033, 0.092)
    assert (round(float(min(starlight)), 3), round(float(max(starlight)), 3)) == (0.053, 0.108)
    assert float(edges["cavalry"]) == pytest.approx(0.0615, abs=5e-5)
    for rank in deck_ranks("full"):
        for card in cards_of_suit(rank):
            same = {edges[f"{family}/{card}"] for family in ("card", "oscura", "terminus")}
            assert same == {edges[f"cut/{rank}"]}


@pytest.mark.parametrize("deck", ["full", "red"])
def test_the_house_has_an_edge_on_every_printed_price(deck: RocheDeck) -> None:
    assert players_edges(load_paytable(deck)) == ()


def test_a_price_too_good_is_found() -> None:
    """9:1 on the 6 is just above the fair price of 8.91:1; 8:1 is not. Only bets of the layout matter."""
    table = load_paytable("full").with_changes({"cut": {"6": "9:1"}, "cavalry": 310})
    assert [odds.on for odds in players_edges(table)] == ["cut/6", "cavalry"]
    assert [odds.on for odds in players_edges(table, "basic")] == ["cut/6"]


def test_printed_prices_of_the_full_deck_ruin_the_house_with_the_red_one() -> None:
    """At the rules' prices the red deck gives the players 32 to 49 % on every cut bet."""
    full = load_paytable("full").as_changes()["cut"]
    del full["2"]
    table = load_paytable("red").with_changes({"cut": full})
    losses = [float(-odds.edge) for odds in players_edges(table, "basic")]
    assert len(losses) == 5
    assert (round(min(losses), 3), round(max(losses), 3)) == (0.322, 0.485)


@pytest.mark.parametrize("deck", ["full", "red"])
@pytest.mark.parametrize("layout", ["basic", "grand"])
def test_every_bet_of_the_layout_is_listed_in_order(layout: str, deck: RocheDeck) -> None:
    seen = ("7D1", "7N2", "5D5")
    assert tuple(probabilities(layout, deck, seen)) == bets(layout, deck)  # type: ignore[arg-type]


@given(open_deals())
@settings(max_examples=25, deadline=None)
def test_the_next_card_changes_nothing_on_average(deal: tuple[RocheDeck, tuple[str, ...]]) -> None:
    """Each bet's probability is the mean of its probabilities after each possible next card.

    Together with the decided rounds (tested below against the rules) this determines the solution.
    """
    deck, seen = deal
    now = probabilities("grand", deck, seen)
    coming = [card for card in DECKS[deck] if card not in seen]
    later = [probabilities("grand", deck, (*seen, card)) for card in coming]
    for on, chance in now.items():
        assert sum((after[on] for after in later), Fraction(0)) / len(coming) == chance, on


@given(open_deals())
@settings(max_examples=50, deadline=None)
def test_bets_of_a_suit_hang_together(deal: tuple[RocheDeck, tuple[str, ...]]) -> None:
    deck, seen = deal
    chances = probabilities("grand", deck, seen)
    assert sum(chances[f"cut/{rank}"] for rank in deck_ranks(deck)) == 1
    for rank in deck_ranks(deck):
        cut = chances[f"cut/{rank}"]
        cards = cards_of_suit(rank)
        assert all(chances[f"card/{card}"] + chances[f"oscura/{card}"] == cut for card in cards)
        assert sum(chances[f"terminus/{card}"] for card in cards) == cut
        assert sum(chances[f"card/{card}"] for card in cards) == rank * cut


@given(st.sampled_from(("full", "red")), st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_a_finished_round_is_decided(winners, deck: RocheDeck, seed: int) -> None:  # type: ignore[no-untyped-def]
    """After the cut every bet has probability 0 or 1, as the rules say."""
    order = list(DECKS[deck])
    random.Random(seed).shuffle(order)
    length = 1
    while deal_so_far(deck, tuple(order[:length])).cut is None:
        length += 1
    chances = probabilities("grand", deck, tuple(order[:length]))
    assert set(chances.values()) == {0, 1}
    assert {on for on, chance in chances.items() if chance} == winners(deck, order)


@pytest.mark.parametrize("deck", ["full", "red"])
def test_cavalry_is_certain_once_every_suit_is_one_short(deck: RocheDeck) -> None:
    """Before and after the cutting card; lost if the cut comes a card too early."""
    short = tuple(card for rank in deck_ranks(deck) for card in cards_of_suit(rank)[: rank - 1])
    assert probabilities("grand", deck, short)["cavalry"] == 1
    assert probabilities("grand", deck, (*short, "7N1"))["cavalry"] == 1
    assert probabilities("grand", deck, (*short[:-1], "6N1"))["cavalry"] == 0


def test_starlight_is_dead_with_the_first_card_of_the_suit() -> None:
    chances = probabilities("grand", "full", ("6D3",))
    assert chances["starlight/6"] == 0
    assert chances["starlight/7"] > probabilities("grand", "full")["starlight/7"]


def test_impossible_bets_have_no_fair_price() -> None:
    odds = {o.on: o for o in live_odds("grand", "full", ("6D3",), load_paytable("full"))}
    dead = odds["night/6"].as_json()
    assert (dead["probability"], dead["float"], dead["fair"], dead["edge"]) == ("0/1", 0.0, None, 1.0)
    sure = {o.on: o for o in live_odds("basic", "full", ("2D1", "2N1"), load_paytable("full"))}["cut/2"]
    assert (sure.as_json()["probability"], sure.as_json()["fair"]) == ("1/1", "0/1")


@pytest.mark.parametrize(
    ("deck", "seen", "error", "message"),
    [
        (
            "full",
            ("8D1",),
            UnknownCard,
            "There is no Roche card '8D1'. Cards are named like 6D3: rank, Day or Night, number.",
        ),
        ("red", ("2D1",), UnknownCard, "2D1 is not in the red deck. Take it out, or choose the full deck."),
        (
            "full",
            ("6D3", "5N1", "6D3"),
            CardSeen,
            "6D3 is named twice. A deck has each card once: take one of the two out.",
        ),
        (
            "full",
            ("2D1", "2N2", "7D1"),
            WrongPhase,
            "7D1 comes after 2N2, which cut suit 2 and ended the round. Leave out the cards after the cut.",
        ),
    ],
)
def test_cards_that_cannot_have_been_dealt(
    deck: RocheDeck, seen: tuple[str, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        probabilities("basic", deck, seen)
    assert str(caught.value) == message


def test_a_table_of_the_wrong_deck_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="no price for cut/2"):
        live_odds("basic", "full", (), load_paytable("red"))
