"""The rules of roulette, one by one; playthroughs and the referee test whole evenings."""

import json
from collections import Counter

import pytest

from companion.games.roulette.layout import EVEN_MONEY, layout
from companion.games.roulette.wheel import POCKETS, RIMS, color_of
from companion.kernel.errors import BadScript, TableError
from companion.kernel.script import replay
from companion.kernel.table import Table
from companion.testing import INSTALLED, new_header

WHEELS = ("european", "american")


def table(**options: object) -> Table:
    return Table(new_header("roulette", (("Ann", 1000), ("Bo", 1000)), options))


def bet(on: str, amount: int = 1, player: str = "Ann") -> dict[str, object]:
    return {"do": "bet", "player": player, "on": on, "amount": amount}


def spin(at: Table, pocket: str) -> None:
    at.do({"do": "no-more-bets"})
    at.do({"do": "spin", "pocket": pocket})


@pytest.mark.parametrize("wheel", WHEELS)
def test_every_pocket_against_every_bet(wheel: str) -> None:
    """For every bet, (payout multiple + 1) times the number of its pockets is 36."""
    for spot in layout(wheel).values():
        assert len(spot.pockets) * (spot.price.win + 1) == 36, spot.on
    at = table(wheel=wheel, zero_rule="none")
    for on, spot in layout(wheel).items():
        at.do(bet(on))
        for pocket in POCKETS[wheel]:
            spin(at, pocket)
            assert at.results[-1][1]["paid"][0]["won"] == (spot.price.win if pocket in spot.pockets else 0)
            at.do({"do": "undo"})
            at.do({"do": "undo"})
        at.do({"do": "take-back", "player": "Ann", "on": on})


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_rim_has_every_pocket_once_and_no_two_of_a_color_touch(wheel: str) -> None:
    rim = RIMS[wheel]
    assert sorted(rim) == sorted(POCKETS[wheel])
    assert all(color_of(one) != color_of(other) for one, other in zip(rim, (*rim[1:], rim[0]), strict=True))


def test_a_prisoner_binds_neither_minimum_nor_maximum() -> None:
    """A new bet on the same spot is a separate stake."""
    at = table(min=5, max=10)
    at.do(bet("red", 10))
    spin(at, "0")
    with pytest.raises(TableError, match="minimum is 5"):
        at.do(bet("red", 4))
    at.do(bet("red", 10))
    spin(at, "0")
    assert at.result()["state"]["imprisoned"] == [{"player": "Ann", "on": "red", "amount": 20}]


def test_a_prisoner_stays_at_the_table() -> None:
    at = table()
    at.do(bet("odd", 1000))
    spin(at, "0")
    with pytest.raises(TableError, match="bets on the table"):
        at.do({"do": "leave", "player": "Ann"})


def test_a_prisoner_shows_as_staked_and_costs_the_house_nothing_more() -> None:
    at = table()
    at.do(bet("odd", 40))
    spin(at, "0")
    view = at.view()
    assert (view["staked"], view["players"][0]["staked"]) == (40, 40)
    assert at.position.state.worst.coins == 0


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("zero_rule", ["en-prison", "surrender", "none"])
def test_each_wheel_takes_each_rule_for_zeros(wheel: str, zero_rule: str) -> None:
    at = table(wheel=wheel, zero_rule=zero_rule)
    for on in EVEN_MONEY:
        at.do(bet(on, 3))
    spin(at, POCKETS[wheel][-37])  # the last of the zeros
    back = {"en-prison": 0, "surrender": 12, "none": 0}[zero_rule]
    assert at.position.ledger.balance("Ann") == 1000 - 18 + back
    assert at.position.ledger.staked == (18 if zero_rule == "en-prison" else 0)


@pytest.mark.parametrize(
    "options",
    [
        {"wheel": "french"}, {"wheel": None}, {"wheel": ["european"]}, {"zero_rule": "la partage"},
        {"zero_rule": False}, {"min": 0}, {"max": "5"}, {"cap": 1.5}, {"min": 9, "max": 5}, {"rounds": 7},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_an_unknown_option_or_an_impossible_value_is_refused_on_line_1(options: dict[str, object]) -> None:
    header = {"game": "roulette", "players": [{"name": "Ann", "coins": 5}], "options": options}
    error = replay([json.dumps(header)], INSTALLED).result["error"]
    assert error is not None
    assert (error["line"], error["code"]) == (1, "bad-script")


@pytest.mark.parametrize(("players", "is_taken"), [(0, False), (1, True), (12, True), (13, False)])
def test_one_to_twelve_play(players: int, is_taken: bool) -> None:
    names = [{"name": f"P{n}", "coins": 5} for n in range(players)]
    error = replay([json.dumps({"game": "roulette", "players": names})], INSTALLED).result["error"]
    assert (error is None) == is_taken
    assert error is None or (error["line"], error["code"]) == (1, "bad-script")


def test_a_live_table_begins_empty_and_fills_up_to_twelve() -> None:
    at = Table(new_header("roulette"))
    for n in range(12):
        at.do({"do": "join", "player": f"P{n}", "coins": 5})
    with pytest.raises(TableError, match="All 12 seats are taken"):
        at.do({"do": "join", "player": "Late", "coins": 5})
    with pytest.raises(BadScript):
        table(no_such="option")


def test_results_and_state_are_in_seat_order_whoever_came_first() -> None:
    at = Table(new_header("roulette", (("Ann", 50), ("Bo", 50))))
    for player, on in (("Bo", "red"), ("Ann", "odd"), ("Bo", "dozen/1"), ("Ann", "low")):
        at.do(bet(on, 2, player))
    assert [one["player"] for one in at.result()["state"]["bets"]] == ["Ann", "Ann", "Bo", "Bo"]
    spin(at, "0")
    result = at.results[-1][1]
    assert [(one["player"], one["on"]) for one in result["imprisoned"]] == [
        ("Ann", "odd"),
        ("Ann", "low"),
        ("Bo", "red"),
    ]


def test_the_view_has_the_last_numbers_and_the_hot_ones() -> None:
    at = table()
    for pocket in ("5", "17", "5", "0", "17", "5"):
        spin(at, pocket)
    view = at.view()
    assert view["last"] == ["5", "17", "0", "5", "17", "5"]
    assert view["hot"] == [{"pocket": "5", "count": 3}, {"pocket": "17", "count": 2}]
    assert view["wheel_test"]["spins"] == 6
    for _ in range(30):
        spin(at, "9")
    assert len(at.view()["last"]) == 15


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_audit_finds_each_wrong_coin_and_each_wrong_prisoner(wheel: str) -> None:
    """The correct settlement passes; with one coin more or less, or another imprisoned bet, it does not."""
    rules = INSTALLED["roulette"].rules
    at = table(wheel=wheel, zero_rule="en-prison")
    for number, on in enumerate(layout(wheel)):
        at.do(bet(on, 1 + number % 3, ("Ann", "Bo")[number % 2]))
    at.do({"do": "no-more-bets"})
    for pocket in POCKETS[wheel]:
        before, ledger = at.position.state, at.position.ledger
        command = at.verbs["spin"](pocket)
        after, happened = rules.apply(before, command, ledger)
        assert rules.audit(before, command, happened, ledger) == ()
        assert rules.audit(before, command, happened[:-1], ledger) != ()
        if after.imprisoned:
            event = type(happened[0])(pocket, happened[0].paid, after.imprisoned[1:])
            assert rules.audit(before, command, (event, *happened[1:]), ledger) != ()


@pytest.mark.parametrize(("wheel", "splits", "corners"), [("european", 60, 22), ("american", 62, 22)])
def test_a_layout_has_each_spot_of_the_cloth_once(wheel: str, splits: int, corners: int) -> None:
    """Splits are pairs of neighbours, corners groups of four: counted on the grid with rows of three."""
    spots = layout(wheel)
    kinds = Counter(on.partition("/")[0] for on in spots)
    assert (kinds["split"], kinds["corner"]) == (splits, corners)
    place = {str(n): ((n - 1) // 3, (n - 1) % 3) for n in range(1, 37)}
    grid = {on: [place[p] for p in spot.pockets] for on, spot in spots.items() if spot.pockets <= place.keys()}
    for on, cells in grid.items():
        rows, columns = ({cell[at] for cell in cells} for at in (0, 1))
        height, width = (max(side) - min(side) + 1 for side in (rows, columns))
        if on.startswith("split/"):
            assert height * width == len(cells) == 2, on
        if on.startswith("corner/"):
            assert (height, width, len(cells)) == (2, 2, 4), on
    assert {on for on in spots if on.startswith("dozen/")} == {"dozen/1", "dozen/2", "dozen/3"}
    dozens = [sorted(map(int, spots[f"dozen/{number}"].pockets)) for number in (1, 2, 3)]
    assert dozens == [list(range(1, 13)), list(range(13, 25)), list(range(25, 37))]
