"""The odds of Rugen: known facts, and values in the middle of a chain."""

from fractions import Fraction

import pytest

from companion.games.rugen.odds.bets import WaysOdds, capital_odds, house_odds, meaning, street_odds
from companion.games.rugen.odds.chain import break_chances, chain_so_far
from companion.games.rugen.prices import HIGH, LOW, SPOTS
from companion.kernel.errors import UnknownCard, WrongPhase

BREAKS = {1: "0.398592", 2: "0.251824", 3: "0.191376", 4: "0.158208"}


def by_spot(odds: tuple[WaysOdds, ...]) -> dict[str, WaysOdds]:
    return {bet.on: bet for bet in odds}


def test_the_four_numbers_break_first_with_these_chances() -> None:
    chances = break_chances(chain_so_far(()))
    assert chances == {number: Fraction(text) for number, text in BREAKS.items()}
    assert sum(chances.values()) == 1


def test_the_layouts_bets_are_listed_number_by_number() -> None:
    odds = house_odds("all", "day")
    assert [bet.on for bet in odds] == list(SPOTS)
    assert list(SPOTS[:6]) == ["center/1", "day/1", "night/1", "chain/1", "chain-day/1", "chain-night/1"]
    assert len(SPOTS) == 24


@pytest.mark.parametrize("on", [spot for spot in SPOTS if not spot.startswith("chain")])
def test_every_one_roll_bet_leaves_the_house_5_percent(on: str) -> None:
    assert by_spot(house_odds("all", "day"))[on].edge == Fraction(1, 20)


def test_a_center_bet_is_fair_if_both_halves_pay_the_day_value() -> None:
    """As the rules say; and day and night bets would be fair with all payouts increased by 1."""
    odds = by_spot(house_odds("all", "day"))
    for number in (1, 2, 3, 4):
        assert odds[f"center/{number}"].fair == Fraction(10 - number, number)
        assert odds[f"day/{number}"].fair == Fraction(20 - number, number)


def test_the_edges_of_chain_day_and_night_under_both_readings() -> None:
    halves = [f"chain-{half}/{number}" for half in ("day", "night") for number in (1, 2, 3, 4)]
    own, every = by_spot(house_odds("own", "day")), by_spot(house_odds("all", "day"))
    assert all(Fraction(10, 100) < own[on].edge < Fraction(21, 100) for on in halves)
    assert all(Fraction(61, 100) < every[on].edge < Fraction(71, 100) for on in halves)
    assert [round(float(own[f"chain-day/{n}"].edge), 4) for n in (1, 2, 3, 4)] == [0.2028, 0.1816, 0.1388, 0.1002]
    assert [round(float(every[f"chain-day/{n}"].edge), 4) for n in (1, 2, 3, 4)] == [0.6495, 0.7027, 0.6807, 0.6127]


def test_only_chain_day_and_night_depend_on_the_reading() -> None:
    own, every = by_spot(house_odds("own", "day", ("3d",))), by_spot(house_odds("all", "day", ("3d",)))
    assert {on for on in SPOTS if own[on] != every[on]} == {
        f"chain-{half}/{number}" for half in ("day", "night") for number in (1, 2, 3, 4)
    } - {"chain-night/3"}


def test_the_better_half_changes_no_edge() -> None:
    """A creative house could reverse these numbers with no change to the house odds."""
    day, night = by_spot(house_odds("all", "day")), by_spot(house_odds("all", "night"))
    assert {on: bet.edge for on, bet in day.items()} == {on: bet.edge for on, bet in night.items()}
    assert night["center/3"].as_json()["pays"] == [{"when": "day", "pays": "6:3"}, {"when": "night", "pays": "7:3"}]


def test_pays_is_a_list_where_the_winning_prices_differ() -> None:
    odds = by_spot(house_odds("all", "day"))
    assert odds["center/3"].as_json()["pays"] == [{"when": "day", "pays": "7:3"}, {"when": "night", "pays": "6:3"}]
    assert odds["chain/4"].as_json()["pays"] == [{"when": "day", "pays": "5:1"}, {"when": "night", "pays": "4:1"}]
    assert odds["chain/1"].as_json()["pays"] == "1:1"
    assert odds["day/3"].as_json()["pays"] == "16:3"
    assert odds["chain-night/4"].as_json()["pays"] == "90:1"


def test_a_bet_as_json() -> None:
    assert by_spot(house_odds("all", "day"))["chain/1"].as_json() == {
        "on": "chain/1", "probability": "6228/15625", "float": 0.398592, "fair": "9397/6228", "pays": "1:1",
        "edge": 0.202816,
    }  # fmt: skip


class TestInTheMiddleOfAChain:
    def test_before_the_last_throw_the_faces_decide(self) -> None:
        """After 2 3 3 4 4 4 every throw breaks: a number N has N of the ten chances."""
        seen = ("2d", "3n", "3n", "4d", "4d", "4d")
        chances = break_chances(chain_so_far(seen))
        assert chances == {number: Fraction(number, 10) for number in (1, 2, 3, 4)}

    def test_a_throw_of_the_other_half_makes_it_impossible(self) -> None:
        every, own = by_spot(house_odds("all", "day", ("2n",))), by_spot(house_odds("own", "day", ("2n",)))
        assert every["chain-day/3"].as_json()["probability"] == "0/1"
        assert (every["chain-day/3"].fair, every["chain-day/3"].edge) == (None, 1)
        assert own["chain-day/2"].probability == 0
        assert own["chain-day/3"].probability > 0

    def test_one_roll_bets_do_not_depend_on_the_chain(self) -> None:
        start, later = by_spot(house_odds("all", "day")), by_spot(house_odds("all", "day", ("4d", "3n", "4d")))
        assert all(later[on] == bet for on, bet in start.items() if not on.startswith("chain"))

    @pytest.mark.parametrize("reading", ["all", "own"])
    def test_a_broken_chain_decides_the_chain_bets(self, reading: str) -> None:
        odds = by_spot(house_odds(reading, "day", ("3d", "2n", "2n")))  # type: ignore[arg-type]
        won = {on for on, bet in odds.items() if bet.probability == 1}
        assert won == ({"chain/2", "chain-night/2"} if reading == "own" else {"chain/2"})
        assert odds["chain/2"].edge == -2
        assert odds["chain/3"].probability == 0
        assert odds["center/2"].probability == Fraction(1, 5)

    def test_the_order_of_the_throws_does_not_matter(self) -> None:
        assert house_odds("all", "day", ("3d", "4d")) == house_odds("all", "day", ("4d", "3d"))

    def test_a_face_that_the_die_does_not_have(self) -> None:
        with pytest.raises(UnknownCard, match="no face '5d'"):
            chain_so_far(("3d", "5d"))

    def test_throws_after_the_break_are_refused(self) -> None:
        with pytest.raises(WrongPhase, match="4d comes after 1n, which broke the chain with its 1s"):
            chain_so_far(("1n", "4d"))


class TestStreet:
    def test_all_numbers_have_a_very_close_value_with_3_the_worst_and_4_the_best(self) -> None:
        edges = {int(bet.on[-1]): bet.edge for bet in street_odds()}
        assert max(edges, key=lambda number: edges[number]) == 3
        assert min(edges, key=lambda number: edges[number]) == 4
        assert all(abs(edge) < Fraction(6, 100) for edge in edges.values())

    def test_what_one_number_gains_the_others_lose(self) -> None:
        units = {1: 8, 2: 5, 3: 4, 4: 3}
        assert sum(bet.edge * units[int(bet.on[-1])] for bet in street_odds()) == 0

    def test_a_number_that_nobody_took_is_ignored_and_cannot_win(self) -> None:
        odds = by_spot(street_odds((1, 3)))
        assert odds["take/1"].probability == 1 - Fraction(3, 4) ** 3
        assert odds["take/3"].probability == Fraction(3, 4) ** 3
        assert odds["take/2"].as_json()["fair"] is None
        assert odds["take/2"].probability == odds["take/4"].probability == 0

    def test_its_throws_do_not_break_the_chain(self) -> None:
        assert street_odds((1, 3), ("2d", "2n", "4d", "3d")) == street_odds((1, 3), ("3n",))

    def test_two_takers_pay_each_other(self) -> None:
        odds = by_spot(street_odds((1, 3)))
        assert (odds["take/1"].pays, odds["take/3"].pays) == ("4:8", "8:4")

    def test_alone_a_number_wins_nothing_for_sure(self) -> None:
        odds = by_spot(street_odds((3,)))["take/3"].as_json()
        assert (odds["probability"], odds["fair"], odds["pays"], odds["edge"]) == ("1/1", "0/1", "0:4", 0.0)


class TestCapital:
    def test_all_four_numbers_count_whoever_holds_them(self) -> None:
        for taken in ((), (1,), (2, 4), (1, 2, 3, 4)):
            odds = capital_odds(LOW, taken)
            assert [bet.probability for bet in odds] == [Fraction(text) for text in BREAKS.values()]

    def test_a_player_alone_pays_a_dear_price(self) -> None:
        assert [bet.pays for bet in capital_odds(LOW)] == ["9:8", "12:5", "13:4", "14:3"]
        assert all(Fraction(10, 100) < bet.edge < Fraction(19, 100) for bet in capital_odds(LOW))

    def test_the_high_schedule_narrows_the_gap(self) -> None:
        assert [bet.pays for bet in capital_odds(HIGH)] == ["105:80", "135:50", "145:40", "155:30"]
        for low, high in zip(capital_odds(LOW), capital_odds(HIGH), strict=True):
            assert 0 < high.edge < low.edge

    def test_friends_are_better_than_the_house(self) -> None:
        assert by_spot(capital_odds(LOW, (1, 3)))["take/3"].pays == "14:4"
        assert by_spot(capital_odds(LOW, (1, 2, 3, 4)))["take/3"].edge == by_spot(street_odds())["take/3"].edge


def test_every_bet_has_a_meaning() -> None:
    assert len({meaning(on, reading) for on in SPOTS for reading in ("all", "own")}) == 24 + 8
