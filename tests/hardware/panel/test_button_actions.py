"""Actions of all buttons in random games: offered actions are accepted, and none is missing."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from scripts import GAMES, actions_of, menu_of, rare_menu, script, seen

from companion.kernel.errors import TableError
from companion.kernel.table import Header, Table
from companion.plugins.panel import Do, Menu, Moment
from companion.service.committing.jobs import MISDEAL
from companion.testing import INSTALLED, new_header
from hardware.panel.button_actions import Cursor

TAPPED = frozenset({"bet", "take-back", "take", "side-bet", "seed", "play", "deal", "buy-in", "cash-out", "recount"})
TAPPED |= {"hit", "double", "split", "reveal", "dealer-hit", "board", "table", "show"}
"""Bets, coins and cards, which come from pages and the camera."""


def tables(game: str, seed: int, length: int) -> Iterator[Table]:
    header, records = script(game, seed, length)
    table = Table(Header.parse(header, INSTALLED))
    yield table
    for record in records:
        table.do(record)
        yield table


def menus(view: Moment) -> Iterator[Menu]:
    rare = rare_menu(view)
    if rare is not None:
        yield rare
    asked = menu_of(view)
    if asked is not None:
        yield asked


def offered(view: Moment) -> Iterator[Mapping[str, Any]]:
    """Yield every command that the panel currently offers."""
    for action in actions_of(view).values():
        if isinstance(action.act, Do):
            yield action.act.record
    if view.hold is None:
        for menu in menus(view):
            yield from (act.record for _, act in menu.choices if isinstance(act, Do))


def is_accepted(table: Table, record: Mapping[str, Any]) -> bool:
    mark = table.mark()
    try:
        if record["do"] == MISDEAL:
            return table.misdeal_length() > 0
        table.do(dict(record))
    except TableError:
        return False
    table.back_to(mark)
    return True


@pytest.mark.parametrize("game", GAMES)
def test_what_is_offered_is_accepted(game: str) -> None:
    """A lamp is lit or a choice shown only if the table would accept it."""
    for seed in range(2):
        for table in tables(game, seed, 70):
            view = seen(table)
            for record in offered(view):
                assert is_accepted(table, record), (game, seed, view.phase, record)


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_missing(game: str) -> None:
    """Every legal verb except for bets and cards is on a button or in a menu."""
    for seed in range(2):
        for table in tables(game, seed, 70):
            view = seen(table)
            can = set(view.expected) - TAPPED - excused(view)
            assert can <= {record["do"] for record in offered(view)} | {"redo"}, (game, seed, view.phase)


def excused(view: Moment) -> set[str]:
    """Return the verbs currently left to pages, each with a reason."""
    found: set[str] = set()
    game = view.rules.name
    if any(view.rules.view(view.state).get("done", {}).values()):
        found |= {"stop", "drop", "last-hand"}  # at the start of a turn
    else:
        found.add("end")  # FOLD does the same
    if view.phase in ("dealing", "chain", "spin", "banker", "player", "wash", "playing", "reveal", "dealer"):
        found |= {"join", "leave"}  # only between rounds
    if game == "holdem":
        found.add("all-in")  # the largest size of a bet or raise
    if game == "roulette" and len(view.players) == 12:
        found.add("join")  # all seats are taken
    if game == "rochi":
        found |= {"join", "return"}  # where the fee cannot be paid
    elif not any(view.accepts({"do": "leave", "player": player.name}) for player in view.players):
        found.add("leave")  # players cash out, and stakes are decided, first
    if menu_of(view) is None:
        found.add("stake")  # which the shooter cannot pay
    if game == "captains" and any(player.coins < len(view.state.pots) for player in view.players):
        found.add("new-game")
    return found


def test_while_the_table_is_held_only_hold_and_undo_count() -> None:
    for table in tables("rochi", 1, 30):
        table.do({"do": "hold"})
        assert set(actions_of(seen(table))) == {"hold", "undo"}
        table.do({"do": "undo"})


def test_the_end_of_a_turn_names_its_player() -> None:
    """So the table refuses it when the turn has changed meanwhile: it never hits the one who follows."""
    named = 0
    for game in ("rochi", "captains"):
        for table in tables(game, 2, 60):
            view = seen(table)
            for action in actions_of(view).values():
                if isinstance(action.act, Do) and action.act.record["do"] in ("end", "fold", "pass"):
                    assert action.act.record["player"] == view.turn
                    named += 1
    assert named > 20


def test_a_card_that_waits_is_counted_before_the_turn_ends() -> None:
    """While a card lies there undecided NEXT ends the turn, even if nothing counts yet; FOLD does nothing."""
    table = Table(new_header("captains", (("Ann", 50), ("Bo", 50))))
    for card in ("6D1", "6N1", "5D1", "7D1", "7D2", "2D1", "3D1", "4N1"):
        table.do({"do": "seed", "card": card})
    calm = actions_of(seen(table))
    waiting = actions_of(seen(table, sight={"waits_for": "Kin day 3: played or dealt?"}))
    assert calm["fold"].label == "pass"
    assert "fold" not in waiting
    assert waiting["next"].label == "end the turn"
    assert waiting["next"].act.card_is == "play"  # a first turn may not deal


def test_a_lamp_stays_dark_where_the_rules_would_refuse() -> None:
    """So many cards have to be left that a suit can be cut: FOLD burns until then, and no further."""
    table = Table(new_header("roche", (("Ann", 50),)))
    assert actions_of(seen(table))["fold"].label == "burn a card"
    table.do({"do": "no-more-bets"})
    while "fold" in (found := actions_of(seen(table))):
        act = found["fold"].act
        assert isinstance(act, Do)
        table.do(act.record)
    assert not is_accepted(table, {"do": "burn", "count": 1})


def test_who_has_the_die_is_not_shown_out_before_the_game_is_thrown_to_its_end() -> None:
    table = Table(new_header("rugen-street", (("Ann", 0), ("Bo", 0))))
    table.do({"do": "throw", "face": "1d"})
    menu = rare_menu(seen(table))
    assert menu is not None
    labels = [label for label, _ in menu.choices]
    assert "Bo leaves" in labels
    assert "Ann leaves" not in labels


def test_a_fee_goes_into_the_pot_that_is_chosen() -> None:
    """Joining costs the newcomer a share of the pots, rounded up (ruling 10): one choice for each pot."""
    table = Table(new_header("rochi", (("Ann", 100), ("Bo", 100), ("Cy", 100), ("Di", 100))))
    for record in ("seed 6D1", "seed 6N1", "seed 5D1", "seed 5N1", "play 6D2", "end", "play 5D2", "end", "deal 5N2",
                   "end", "deal 5D3"):  # fmt: skip
        verb, _, card = record.partition(" ")
        table.do({"do": verb, "card": card} if card else {"do": verb})
    menu = rare_menu(seen(table))
    assert menu is not None
    assert [label for label, _ in menu.choices][:6] == [
        f"Guest 1 joins, 1 into {suit}" for suit in ("Mages", "Realm", "World", "Valor", "Kin", "Commons")
    ]


def test_a_menu_begins_with_nothing_shown_so_that_deal_cannot_do_something_unseen() -> None:
    for table in tables("rochi", 3, 60):
        view = seen(table)
        menu = rare_menu(view)
        if menu is not None and view.hold is None:
            opened = actions_of(view, Cursor(opened=menu.key))
            assert "deal" not in opened
            assert opened["next"].label == "back"


def shown_then(table: Table, *records: dict[str, Any]) -> tuple[Menu, Menu, bool]:
    """Turn the menu to a choice and do something; return the menus before and after, and whether DEAL takes one."""
    before = menu_of(seen(table))
    assert before is not None
    cursor = Cursor().turned(before)
    assert actions_of(seen(table), cursor)["deal"].act == before.choices[0][1]
    for record in records:
        table.do(record)
    after = menu_of(seen(table))
    assert after is not None
    deal = actions_of(seen(table), cursor).get("deal")
    return before, after, deal is not None and isinstance(deal.act, Do)


def test_what_was_turned_to_is_not_shown_of_a_menu_after_an_undo_and_another_command() -> None:
    """As many commands count; the raise that was shown is another amount by now."""
    table = Table(new_header("holdem", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))))
    for record in ({"do": "post"}, *({"do": "hole", "player": name} for name in ("Ann", "Bo", "Cy")), {"do": "call"}):
        table.do(record)
    before, after, takes = shown_then(table, {"do": "undo"}, {"do": "raise", "to": 200})
    assert before.choices[0] != after.choices[0]
    assert not takes


def test_no_other_player_s_insurance_is_shown_after_an_undo_and_another_command() -> None:
    table = Table(new_header("blackjack", (("Ann", 1000), ("Bo", 1000)), {"decks": 2}))
    for player in ("Ann", "Bo"):
        table.do({"do": "bet", "player": player, "amount": 100})
    for to, card in (("Ann", "8S"), ("Bo", "9S"), ("dealer", "AS"), ("Ann", "8D"), ("Bo", "9D")):
        table.do({"do": "deal", "to": to, "card": card})
    for record in ({"do": "hole"}, {"do": "buy-in", "player": "Bo", "coins": 5}):
        table.do(record)
    _, after, takes = shown_then(table, {"do": "undo"}, {"do": "insure", "player": "Ann"})
    assert [label for label, _ in after.choices] == ["insure Bo"]
    assert not takes


def test_no_other_bank_is_shown_after_an_undo_and_another_command() -> None:
    table = Table(new_header("chinchirorin", (("Ann", 100), ("Bo", 100)), {"banker": 1}))
    table.do({"do": "buy-in", "player": "Ann", "coins": 5})
    before, after, takes = shown_then(table, {"do": "undo"}, {"do": "buy-in", "player": "Ann", "coins": 500})
    assert before.choices[0] != after.choices[0]
    assert not takes
