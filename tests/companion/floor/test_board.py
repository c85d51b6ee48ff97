"""The pit's board: who needs somebody, and in which order."""

from dataclasses import replace
from typing import get_args

import pytest
from floor_pictures import PICTURE, picture

from companion.app.floor.snapshot_feed import said_of
from companion.floor.overview.board import NEEDS, Line, Need, Prices, urgency
from companion.floor.overview.search import MOST, Place, find
from companion.floor.overview.snapshots import LiveSnapshots
from companion.kernel.messages import Message, message, plural, slots_of
from companion.locale import Translator, catalogue


def line(name: str, **changed: object) -> Line:
    return Line(1, name, 1, 9, True, None, 0, 0, picture(**changed), None)


ASKED = "2026-05-01T20:15:00.000Z"


@pytest.mark.parametrize(
    ("shown", "needs"),
    [
        ({}, ()),
        ({"camera": "none"}, ()),
        ({"disputed": True, "hold": "two settlements differ"}, ("dispute",)),
        ({"hold": "by the dealer", "asked_since": ASKED}, ("hold", "question")),
        ({"camera": "lost", "panel": "trouble"}, ("camera", "panel")),
        ({"journal": "full", "disk": "full", "behind_s": 7}, ("journal", "disk", "slow")),
    ],
)
def test_what_a_table_shows_says_what_it_needs(shown: dict[str, object], needs: tuple[str, ...]):
    assert line("T", **shown).needs == needs


def test_every_need_has_its_place_and_words():
    """A table that refused its prices had neither: the board of all tables was gone, and all alarms with it."""
    refuses = replace(line("T", prices_refused="The bank is too small."), prices=Prices("roulette", 1, 2))
    assert refuses.needs == ("prices",)
    assert refuses.text("prices") == "New prices refused: The bank is too small."
    assert urgency(line("A")) > urgency(refuses) > urgency(line("A", disk="low"))
    assert refuses.to_json()["needs"][0]["kind"] == "prices"
    assert set(get_args(Need)) == set(NEEDS)


def test_tables_that_need_somebody_are_first_and_names_count_as_people_count():
    dispute, hold, asked = line("Z", disputed=True), line("Y", hold="x"), line("X", asked_since=ASKED)
    away = replace(line("W"), is_online=False, heard=ASKED)
    camera, well = line("V", camera="lost"), [line("Table 2"), line("Table 10")]
    shuffled = [well[1], camera, away, well[0], asked, hold, dispute]
    assert sorted(shuffled, key=urgency) == [dispute, hold, asked, away, camera, *well]


def test_a_table_that_never_began_is_not_offline():
    assert Line(1, "T", None, 0, False, None, None, 0, None, None).needs == ()


@pytest.mark.parametrize(
    "told",
    [
        {**PICTURE, "rounds": "3"},
        {**PICTURE, "players": [{"name": "A" * 100, "coins": 1, "staked": 0}]},
        {**PICTURE, "players": [{"name": "A", "coins": 1, "staked": 0}] * 101},
        {**PICTURE, "in_play": 10**18},
        {},
        [1],
        "x",
    ],
)
def test_what_is_no_picture_changes_nothing(told: object):
    live = LiveSnapshots()
    live.take(1, PICTURE)
    live.take(1, told)
    assert live.pictures() == {1: picture()}


@pytest.mark.parametrize(
    "said",
    [
        {"say": "{why.__class__.__mro__}", "with": {"why": "x"}},
        {"say": "nobody at this house says so", "with": {}},
        {"say": "the dealer asked for it", "with": {"why": "x"}},
        {"say": "The table is on hold: {why}. Release it first, or undo.", "with": {}},
    ],
)
def test_only_the_programs_own_sentences_are_said_in_other_languages(said: dict[str, object]):
    """What a table says is no format that a floor fills in."""
    live = LiveSnapshots()
    live.take(1, {**PICTURE, "hold": "somebody fell", "hold_said": said})
    held = live.pictures()[1].hold
    assert held == "somebody fell"
    assert not isinstance(held, Message)


WHY = "/t/companion.toml, line 5: table.min: the minimum 30 is above the maximum 20. Correct one."
SAID = {
    "say": "{file}, line {line}: {key}: {what}",
    "with": {
        "file": "/t/companion.toml",
        "line": 5,
        "key": "table.min",
        "what": {
            "say": "the minimum {minimum} is above the maximum {maximum}. Correct one.",
            "with": {"minimum": 30, "maximum": 20},
        },
    },
}


def test_why_prices_were_refused_is_said_with_the_sentence_in_it_in_other_languages():
    live = LiveSnapshots()
    live.take(1, {**PICTURE, "prices_refused": WHY, "prices_said": SAID})
    shown = live.pictures()[1]
    assert Translator([])(shown.prices_refused, "de") == (
        "/t/companion.toml, Zeile 5: table.min: Das Minimum 30 liegt über dem Maximum 20. Eines berichtigen."
    )
    assert (shown.prices_refused, "prices_said" in shown.model_dump()) == (WHY, False)


def test_why_prices_were_refused_may_be_a_sentence_of_a_games():
    package = "companion.games.roulette"
    theirs = catalogue("de", (package,)).forms.keys() - catalogue("de", ("companion",)).forms.keys()
    own = next(one for one in sorted(theirs) if not slots_of(one))
    told = {**PICTURE, "prices_refused": own, "prices_said": {"say": own, "with": {}}}
    for packages, kind in (((package,), Message), ((), str)):
        live = LiveSnapshots(lambda packages=packages: packages)
        live.take(1, told)
        assert type(live.pictures()[1].prices_refused) is kind


def test_a_hold_with_sentences_and_counts_in_it_is_said_in_other_languages():
    why = message("Undone: {what}", what=plural("{n} coin", "{n} coins", 3))
    live = LiveSnapshots()
    live.take(1, {**PICTURE, "hold": why, "hold_said": None, "hold_told": said_of(why)})
    shown = live.pictures()[1]
    assert (shown.hold, "hold_told" in shown.model_dump()) == ("Undone: 3 coins", False)
    assert Translator([])(shown.hold, "de") == "Zurückgenommen: 3 Münzen"


@pytest.mark.parametrize(
    "values", [{"n": "x"}, {"n": 3, "why": "x"}, {}, {"n": {"say": "the dealer asked for it", "with": {}}}]
)
def test_what_counts_something_comes_with_a_whole_number_and_nothing_else(values: dict[str, object]):
    live = LiveSnapshots()
    live.take(1, {**PICTURE, "hold": "somebody fell", "hold_told": {"say": "{n} coins", "with": values}})
    held = live.pictures()[1].hold
    assert (held, isinstance(held, Message)) == ("somebody fell", False)


def deep(n: int) -> dict[str, object]:
    told: dict[str, object] = {"say": "the dealer asked for it", "with": {}}
    for _ in range(n):
        told = {"say": "Undone: {what}", "with": {"what": told}}
    return told


@pytest.mark.parametrize(
    "said",
    [
        5,
        {"say": 5, "with": {}},
        {**SAID, "with": {**SAID["with"], "what": {"say": "{a.__class__}", "with": {"a": "x"}}}},
        {**SAID, "with": {**SAID["with"], "what": "x" * 2000}},
        {**SAID, "with": {**SAID["with"], "line": None}},
        deep(9),
        deep(5000),
    ],
)
def test_a_refusal_that_cannot_be_read_stays_in_the_tables_own_words_and_so_does_all_else(said: object):
    live = LiveSnapshots()
    live.take(1, {**PICTURE, "prices_refused": WHY, "prices_said": said})
    assert live.pictures()[1].prices_refused == WHY
    assert not isinstance(live.pictures()[1].prices_refused, Message)


def test_a_newer_picture_takes_the_place_of_the_one_before():
    live = LiveSnapshots()
    for rounds in (3, 4):
        live.take(7, {**PICTURE, "rounds": rounds})
    assert live.pictures()[7].rounds == 4


def test_a_search_puts_a_players_tables_and_purse_together():
    bo = [{"name": "BO", "coins": 3, "staked": 0}]
    lines = [line("T 1"), replace(line("T 2", players=bo), is_online=False), line("T 3", players=bo)]
    (ann,) = find("AN", lines, [(4, "Bo", 100)])
    assert (ann.player, ann.places, ann.purse, ann.coins) == ("Ann", [Place("T 1", 40, 5, True)], None, 45)
    (found,) = find("bo", lines, [(4, "Bo", 100)])
    assert found.places == [Place("T 2", 3, 0, False), Place("T 3", 3, 0, True)]
    assert (found.purse, found.in_purse, found.coins) == (4, 100, 106)


def test_a_search_takes_names_that_nobody_can_tell_apart_for_one_player():
    (one,) = find("bo", [line("T", players=[{"name": "Ann  Bo", "coins": 40, "staked": 5}])], [(7, "Ann Bo", 60)])
    assert one.coins == 105


def test_an_empty_search_finds_nobody_and_a_wide_one_not_more_than_fit():
    purses = [(number, f"Player {number}", 1) for number in range(300)]
    assert find("  ", [line("T")], purses) == []
    assert len(find("player", [], purses)) == MOST
