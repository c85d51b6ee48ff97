"""All texts of Roche and its camera are completely translated into German and Spanish."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.games.roche.audit import differences
from companion.games.roche.camera import questions as asks
from companion.games.roche.camera.pieces import Game, Piece
from companion.games.roche.camera.questions import Ask
from companion.games.roche.demo.agent import INCIDENTS
from companion.games.roche.paytable import bets, load_paytable
from companion.games.roche.practice import TERMS, practice
from companion.games.roche.rules import Roche
from companion.games.roche.words import spot_words
from companion.games.roche_deck.design import DECKS
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.events import to_json
from companion.kernel.messages import Message
from companion.kernel.table import Header, Table
from companion.locale import Translator
from companion.objects.cards import RANKS
from companion.testing import INSTALLED, new_header
from companion.tracking.cards.observations import Arriving, LyingCard
from companion.tracking.cards.pieces import PlayStatus
from companion.tracking.cards.words import reading_words

LANGUAGES = ("de", "es")
SAY = Translator(INSTALLED.packages)
SCRIPTS = sorted((Path(__file__).parents[3] / "playthroughs" / "roche").glob("*.jsonl"))
ENGLISH = re.compile(
    r"(?<![\w/])(the|and|or|is|were|card|cards|of|to|it|deal|dealt|deck|first|by|cut|day|night|this|lies|came|bets?|round"
    r"|forged|foreign|Kin|Mages|Commons|coins)(?![\w/])"
)
HERE = LyingCard(1, "6D3", "K7QX", "ok", ((0, 0), (9, 0), (9, 9), (0, 9)), None, 0.0, 0.0, 0.0, 0.0, 3)
CARD = Piece(HERE)
OTHER = Piece(replace(HERE, track=2, id="2N1"))
GAME = Game("dealing", 1, ("6D3",), "red", None, "6D3")


def stranger(status: str, card: str | None, deck: str | None = None) -> Piece:
    return Piece(replace(HERE, id=card, deck=deck, status=status))


def deal(piece: Piece) -> Record:
    return {"do": "deal", "card": piece.id}


def asked() -> Iterator[Ask]:
    """Yield all questions of the camera at a Roche table."""
    full, no_undo = replace(GAME, deck="full"), replace(GAME, undo_deal=None)
    yield asks.about_early(CARD, GAME)
    for play_status in (PlayStatus.EARLY, PlayStatus.LATE, PlayStatus.UNDONE, PlayStatus.FOUND):
        yield asks.about_uncounted(Piece(HERE, play_status=play_status), deal)
    for pieces in ([CARD], [CARD, OTHER], [CARD, OTHER, CARD]):
        yield asks.about_leftovers(pieces, GAME)
        yield asks.about_vanished(pieces, GAME)
        yield asks.about_vanished(pieces, no_undo)
    yield asks.about_late(CARD)
    yield asks.about_tag(CARD, deal)
    yield asks.about_arriving(Arriving(1, None, "unreadable", 0.0, 0.0, 0.0, 0))
    yield asks.about_arriving(Arriving(1, "6D3", "tag", 0.0, 0.0, 0.0, 0))
    yield asks.about_order([CARD, OTHER], deal)
    yield asks.about_twin(CARD)
    for other in ("2N1", "forged", "foreign", "B4ZZ"):
        yield asks.about_conflict(Piece(replace(HERE, disputed=other)))
    for status in ("forged", "foreign", "unreadable"):
        for card, deck in (("6D3", "B4ZZ"), ("6D3", None), (None, None)):
            yield asks.about_stranger(stranger(status, card, deck))
    yield asks.about_back(stranger("unreadable", None))
    yield asks.about_hidden_back(stranger("unreadable", None), GAME)
    yield asks.about_hidden_back(stranger("unreadable", None), no_undo)
    yield asks.about_turned(stranger("unreadable", None), CARD)
    yield asks.about_buried(CARD, OTHER, GAME)
    yield asks.about_buried(CARD, OTHER, no_undo)
    yield asks.about_wrong_deck(CARD, "B4ZZ", deal)
    yield asks.about_unknown(CARD, GAME)
    yield asks.about_unknown(CARD, full)


def recorded() -> Iterator[str]:
    """Yield all texts of the recorded scripts, including refusals."""
    for script in SCRIPTS:
        lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
        table = Table(Header.parse(lines[0], INSTALLED))
        for record in lines[1:]:
            try:
                yield from (found["text"] for event in table.do(record) if "text" in (found := to_json(event)))
            except TableError as error:
                yield error.args[0]
            view = table.view()
            yield view["prompt"]
            rules, state = table.game, table.position.state
            yield from rules.reasons(state).values()
            yield practice({"phase": state.phase.value})
            if record["do"] in rules.verbs:
                yield rules.describe(record)


def refused() -> Iterator[str]:
    """Yield refusals that do not occur in the scripts."""
    for before, record in (
        ((), {"do": "bet", "player": "Ann", "on": "nothing", "amount": 1}),
        ((), {"do": "burn", "count": 0}),
        ((), {"do": "burn", "count": 50}),
        ((), {"do": "deal", "card": "6D3"}),
        (("no-more-bets",), {"do": "deal", "card": "9X9"}),
        (("no-more-bets",), {"do": "take-back", "player": "Ann", "on": "cut/6"}),
        (("no-more-bets",), {"do": "new-round"}),
    ):
        table = Table(new_header("roche", [("Ann", 100)]))
        for verb in before:
            table.do({"do": verb})
        with pytest.raises(TableError) as error:
            table.do(record)
        yield error.value.args[0]


def words() -> Iterator[str]:
    """Yield names of spots and commands, the glossary, demo texts, and audit messages."""
    yield from (spot_words(on) for on in bets("grand", "full"))
    yield from (Roche().describe({"do": "burn", "count": count}) for count in (1, 2))
    yield from (text for term in TERMS for text in (term.word, term.means))
    yield from INCIDENTS.values()
    yield from (reading_words(read) for read in ("6D3", "forged", "foreign"))
    yield from (design.title for design in DECKS)
    yield from differences(RANKS, load_paytable("full"), ("2D1", "2D2"), [("Ann", "cut/2", 1)], ())


def questions() -> Iterator[str]:
    for ask in asked():
        yield ask.question.text
        yield from (choice.label for choice in ask.question.choices)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("texts", [recorded, refused, words, questions])
def test_nothing_of_what_is_said_stays_english(texts, language: str) -> None:
    said = dict.fromkeys(texts())
    assert len(said) > 5
    assert [text for text in said if type(text) is not Message] == []
    told = {text: SAY(text, language) for text in said}
    names = {"Oscura", "Terminus"}
    assert [text for text in told if told[text] == text and text not in names] == []
    assert [text for text in told.values() if ENGLISH.search(text)] == []


def test_cards_keep_their_number_and_sentences_their_grammar() -> None:
    one, two = asks.about_vanished([CARD], GAME), asks.about_vanished([CARD, OTHER], GAME)
    assert SAY(one.question.text, "de") == (
        "Sippe Tag 3 wurde gegeben und vom Tisch genommen. Zurücklegen, oder das Geben zurücknehmen."
    )
    assert SAY(two.question.text, "de") == (
        "Sippe Tag 3 und Magier Nacht 1 wurden gegeben und vom Tisch genommen. "
        "Zurücklegen, oder das Geben zurücknehmen."
    )
