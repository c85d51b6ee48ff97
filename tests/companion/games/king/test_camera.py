"""Cards and chips on the King of Roulette mat, read in rendered pictures."""

import pytest
from king_table import KingTable, place

from companion.games.king.camera.interpreter import KingInterpreter
from companion.kernel.table import Table
from companion.objects.chips import CHIPS
from companion.plugins.perception import CardSettings
from companion.testing import INSTALLED, new_header
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.proposal import Proposal
from companion.tracking.chips import TrackedChip

pytestmark = pytest.mark.thorough

KINGS = (
    ("R12", place("rule/1", 0.26)), ("R13", place("rule/1", 0.74)), ("R25", place("rule/2")), ("G23", place("guess")),
)  # fmt: skip

BOX = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))


@pytest.fixture
def table() -> KingTable:
    return KingTable()


def lay_kings(table, cards=KINGS):
    for card, at in cards:
        table.lay(card, at)


def test_nothing_is_read_before_the_dealer_says_that_all_have_chosen(table):
    lay_kings(table)
    table.lay("B5", place("bet/5"))
    table.lay("C3-5", place("bet/1"))
    table.wait(3.0)
    assert table.bets == {"Bo": None, "Cy": None, "Dee": None}
    assert table.kinds() == ["open"]
    table.answer("leave")
    assert (table.kinds(), table.state.rule) == ([], None)
    table.lay("DK", place("bet/king"))
    table.wait(2.0)
    assert table.kinds() == ["open"]


def test_a_whole_round_of_cards_and_chips_is_read_and_revealed(table):
    for card, at in KINGS:
        table.lay(card, at, is_up=False)
    table.wait(2.0)
    assert table.kinds() == []
    table.things.clear()
    lay_kings(table)
    table.lay("B5", place("bet/5"), turn=-8)
    table.lay("C3-5", place("bet/2", 0.3, 0.85), turn=77)
    table.lay("D2", place("bet/2", 0.5, 0.3))
    table.wait(3.0)
    table.answer("read")
    table.wait(1.0)
    assert table.bets == {"Bo": 5, "Cy": 2, "Dee": 2}
    assert (table.state.rule.one, table.state.rule.two, table.state.guess) == ((2, 3), 5, "2-3")
    table.do(do="reveal")
    assert table.state.revealed.result["points"] == {"Ann": 3, "Bo": 2, "Cy": 1, "Dee": 1}
    assert table.state.revealed.result["rule"]["text"] == "Spaces 2 and 3 earn 1 point and space 5 earns 2 points."
    assert table.notes == []


def test_what_lies_there_from_the_last_round_is_not_read_again(table):
    lay_kings(table)
    for card, zone in (("B5", "bet/5"), ("C1", "bet/1"), ("DK", "bet/king")):
        table.lay(card, place(zone))
    table.wait(3.0)
    table.answer("read")
    table.do(do="reveal")
    table.wait(2.0)
    assert (table.state.king, table.kinds()) == ("Dee", [])
    table.take("B5", "C1")
    table.wait(3.0)
    table.lay("B5", place("bet/5"))
    table.wait(3.0)
    table.answer("read")
    assert table.bets == {"Ann": None, "Bo": 5, "Cy": None}


def test_a_choice_made_on_a_phone_stands(table):
    table.do(do="bet", player="Bo", space=6)
    table.lay("B5", place("bet/5"))
    table.wait(3.0)
    assert table.kinds() == []
    table.lay("C1", place("bet/1"))
    table.wait(3.0)
    table.answer("read")
    assert (table.bets["Bo"], table.bets["Cy"]) == (6, 1)


def test_a_choice_that_was_read_and_undone_is_left_to_the_dealer(table):
    table.lay("C1", place("bet/1"))
    table.wait(3.0)
    table.answer("read")
    table.do(do="undo")
    table.wait(1.0)
    assert table.bets["Cy"] is None
    table.take("C1")
    table.wait(3.0)
    table.lay("C4", place("bet/4"))
    table.wait(3.0)
    assert table.bets["Cy"] == 4


def test_no_note_names_a_card_and_no_picture_of_one_is_kept(table):
    """Other games record a second deck's card in the journal; here it may be a secret."""
    table.lay("B5", place("bet/5", 0.5, 0.3))
    table.lay("B5", place("bet/2", 0.5, 0.3))
    table.wait(4.0)
    assert table.kinds() == ["open"]
    assert table.notes == []
    seen = INSTALLED["king-of-roulette"].perception
    assert (seen.is_secret, seen.has_chips) == (True, True)


def card(track, id_, zone, status="ok"):
    astride = () if zone else ("a", "b")
    return LyingCard(track, id_, "K7QX", status, BOX, BOX, 1.0, 1.0, 1.0, 1.0, 5, zone=zone, astride=astride)


def chip(id_, zone, share=0.5):
    return TrackedChip(int(id_[1]), CHIPS[id_], place(zone, share), BOX, 1.0, 9.0, times=9)


@pytest.mark.parametrize(
    ("cards", "chips", "asked", "says"),
    [
        ([("C2", "bet/5")], [], "elsewhere", "Cy's card lies on another space than it says. Put it where it belongs."),
        ([("C2", None)], [], "between", "What Cy has laid lies between two spaces. Move it."),
        ([], [("C3-5", "bet/2", 1.05)], "between", "What Cy has laid lies between two spaces. Move it."),
        ([("C2", "bet/2"), ("C5", "bet/5")], [], "several", "Cy has laid more than one bet. Leave one."),
        ([("C2", "bet/2")], [("C3-25", "bet/4")], "several", "Cy has laid more than one bet. Leave one."),
        ([("F2", "bet/2")], [], "seat", "There is a bet of seat 6, where nobody sits. Take it away."),
        ([], [("C1-1", "bet/2")], "king", "Ann is the king and does not bet. Take the bet away."),
        ([("G89", "guess")], [], "guess", "Ann's guess is none here: one card, no more than all others."),
        ([("G01", "guess"), ("G23", "guess")], [], "guess", None),
        ([("R12", "rule/1"), ("R13", "rule/1"), ("R23", "rule/2")], [], "rule", None),
        ([("R12", "rule/1"), ("R13", "rule/1"), ("R14", "rule/1"), ("R25", "rule/2")], [], "rule", None),
        ([("R21", "rule/1")], [], "rule", None),
        ([(None, "bet/3")], [], "unread", None),
    ],
)
def test_where_it_is_unsure_it_asks_and_reads_nothing(cards, chips, asked, says):
    table = Table(new_header("king-of-roulette", tuple((name, 9) for name in ("Ann", "Bo", "Cy", "Dee")), {}))
    for name in ("Ann", "Bo", "Cy", "Dee"):
        table.do({"do": "vote", "player": name, "for": "Ann"})
    lying = tuple(card(n, id_, zone, "ok" if id_ else "tag") for n, (id_, zone) in enumerate(cards, start=1))
    tracked = TrackedTable(5.0, lying, chips=tuple(chip(*one) for one in chips), mat="king-of-roulette")
    eyes, now = KingInterpreter(CardSettings()), table.situation()
    (question,) = eyes.interpret(tracked, now, {}).questions
    eyes.answered(question, question.choices[0])
    found = eyes.interpret(tracked, now, {})
    assert (found.command, [one.id.partition(":")[0] for one in found.questions]) == (None, [asked])
    assert says in (None, found.questions[0].text)
    eyes.answered(found.questions[0], found.questions[0].choices[0])
    assert eyes.interpret(tracked, now, {}) == Proposal()


def test_two_tables_that_differ_only_in_what_lies_there_are_asked_and_told_the_same():
    """The cards differ, but not the king's zones; a chip or card may be on any space."""
    seen = []
    for cards, bets in (
        ("R12 R13 R25 G23", (("B5", "bet/5"), ("C1", "bet/1"), ("DK", "bet/king"))),
        ("R16 R14 R21 G01", (("B3", "bet/3"), ("CK", "bet/king"), ("D1", "bet/1"))),
    ):
        table = KingTable()
        lay_kings(table, tuple((card, at) for card, (_, at) in zip(cards.split(), KINGS, strict=True)))
        for card, zone in bets:
            table.lay(card, place(zone))
        table.wait(3.0)
        asked = table.questions
        table.answer("read")
        table.wait(1.0)
        report = {name: value for name, value in table.sight.report().items() if name in ("cards", "tokens", "mat")}
        seen.append((asked, table.questions, sorted(table.advised), table.notes, report))
    assert seen[0] == seen[1]
