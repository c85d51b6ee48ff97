"""All texts of Rochi and Captain's Rochi are completely translated."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.games.rochi.camera import decision, questions
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.demo.incidents import INCIDENTS
from companion.kernel.errors import BadScript, TableError
from companion.kernel.events import to_json
from companion.kernel.messages import Message
from companion.kernel.table import Header, Table
from companion.locale import Translator
from companion.objects.cards import LEADER_BUTTON
from companion.service.view_extensions import payments
from companion.testing import INSTALLED, moment_at, new_table
from companion.tracking.cards.pieces import PlayStatus

SAY = Translator(INSTALLED.packages)
NAMES = ("Aubrey", "Benedict", "Celia")
SCRIPTS = sorted(
    script for game in ("rochi", "captains") for script in Path("tests/playthroughs", game).resolve().glob("*.jsonl")
)
ENGLISH = re.compile(
    r"\b(and|the|is|are|it|its|his|of|to|for|has|have|with|from|but|pays?|plays?|deals?|wins?|cards?|turn|pots?|coins?"
    r"|hand|token|deck|fold|cannot|nobody|penalty|lies|Mages|Realm|World|Kin|Commons)\b"
)
OF_THE_TABLE = {"undo", "redo", "hold", "release", "buy-in", "cash-out", "recount"}
"""Verbs of all tables, whose texts are not Rochi's."""


def check(said: Iterable[str]) -> int:
    """Fail on a text that is not completely translated; return the number of texts."""
    every = {str(one): one for one in said if one}
    for one in every.values():
        assert isinstance(one, Message), f"no message: {one}"
        for language in ("de", "es"):
            told = SAY(one, language)
            assert told != one or not re.search("[a-z]{3}", one), f"English in {language}: {one}"
            assert not ENGLISH.search(told), f"half English in {language}: {told}"
    return len(every)


def tables(script: Path) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    """Yield a playthrough's table after each command, with its events; none for rejected commands."""
    lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
    table = Table(Header.parse(lines[0], INSTALLED))
    yield table, ()
    for record in lines[1:]:
        try:
            yield table, table.do(record)
        except BadScript:
            continue
        except TableError as error:
            if record["do"] not in OF_THE_TABLE:
                check([error.message])


def on_the_panel(table: Table) -> Iterator[str]:
    part, now = INSTALLED[table.header.game].panel, moment_at(table)
    assert part is not None
    yield from (duty.label for duty in part.buttons(now).values())
    menu = part.menu(now)
    if menu is not None:
        yield menu.title
        yield from (label for label, _ in menu.choices)
    yield from (label for label, record in part.rare(now) if record["do"] not in {"join", "leave", *OF_THE_TABLE})


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_playthrough_is_told_whole_in_every_language(script: Path):
    said: list[str] = []
    for table, happened in tables(script):
        view = table.view()
        said += [to_json(event).get("text", "") for event in happened]
        said += [
            view["prompt"],
            view["undo"],
            *(why for verb, why in view["reasons"].items() if verb not in OF_THE_TABLE),
        ]
        practice = INSTALLED[table.header.game].practice
        assert practice is not None
        said.append(practice(view))
        said += [
            one["why"] for one in payments(table.latest_transfers, (1, 5)) if one["why"] not in ("buy-in", "cash-out")
        ]
        said += on_the_panel(table)
    assert check(said) > 20


def test_glossary_and_incident_are_told_in_every_language():
    assert check(INCIDENTS.values()) > 10
    for game in ("rochi", "captains"):
        for term in INSTALLED[game].terms:
            for language in ("de", "es"):
                assert SAY(term.means, language) != term.means
                assert all(isinstance(word, Message) for word in (term.word, *term.also))


# ---- the camera's questions


def piece(card: str = "6D3", **facts: Any) -> Any:
    of = {"track": 1, "deck": "0a1b", "zone": "seat/2", "astride": ("stack/6", "pot/5"), "disputed": None}
    card_of = SimpleNamespace(**of | {name: value for name, value in facts.items() if name in of})
    rest = {"place": "stack/6", "play_status": PlayStatus.UNDONE} | {
        n: v for n, v in facts.items() if n not in of and n != "arm"
    }
    return SimpleNamespace(id=card, card=card_of, trace=SimpleNamespace(arm=facts.get("arm")), **rest)


def game() -> Game:
    table = new_table("rochi", [(name, 60) for name in NAMES])
    for card in ("6D1", "6D2", "6D3", "5D1", "7D1", "7D2"):
        table.do({"do": "seed", "card": card})
    return Game.of(table.situation())


def story(*acts: tuple[str, str | None]) -> Any:
    player = game().players[0]
    return SimpleNamespace(acts=[SimpleNamespace(verb=verb, player=player, card=card) for verb, card in acts], odd=9.0)


def no_seats() -> Any:
    return SimpleNamespace(
        actor=None, undoes={}, expected=(), suits={6: SimpleNamespace(owner=None)}, at_seat=lambda _: None
    )


ASKED: Mapping[str, Callable[[], Any]] = {
    "nothing": lambda: questions.about_nothing(piece(), game()),
    "nothing, nobody's turn": lambda: questions.about_nothing(piece(), no_seats()),
    "order": lambda: questions.about_order([piece()]),
    "astride": lambda: questions.about_astride(piece()),
    "wrong place": lambda: questions.about_wrong_place(piece(zone="deck"), game()),
    "beside": lambda: questions.about_wrong_place(piece(zone="elsewhere"), game()),
    "moved": lambda: questions.about_moved(piece(zone="discard")),
    "tag": lambda: questions.about_tag(piece()),
    "unknown": lambda: questions.about_unknown(piece(), game()),
    "unknown of no deck": lambda: questions.about_unknown(piece(deck=None), game()),
    "undone": lambda: questions.about_uncounted(piece(), game()),
    "found": lambda: questions.about_uncounted(piece(play_status=PlayStatus.FOUND), game()),
    "late": lambda: questions.about_late(piece()),
    "leftovers": lambda: questions.about_leftovers([piece()], game()),
    "seventh": lambda: questions.about_seventh(piece(), game()),
    "refused": lambda: questions.about_refused(piece(), game()),
    "vanished": lambda: questions.about_vanished([piece("7D2")], game()),
    "odd coin": lambda: questions.about_odd_coin(game(), (2, 7)),
    "next hand": lambda: questions.about_next_hand(game()),
    "fold": lambda: questions.about_fold(game()),
    "token": lambda: questions.about_token(6, 2, game(), []),
    "token at an empty seat": lambda: questions.about_token(6, 5, no_seats(), []),
    "lost token": lambda: questions.about_lost_token("T6"),
    "lost button": lambda: questions.about_lost_token(LEADER_BUTTON),
    "twin token": lambda: questions.about_twin_token("T6"),
    "twin button": lambda: questions.about_twin_token(LEADER_BUTTON),
    "leader": lambda: questions.about_leader(2, game()),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_question_is_asked_whole_in_every_language(asked: str):
    question = ASKED[asked]().question
    assert check([question.text, *(choice.label for choice in question.choices)]) >= 2


def test_why_it_is_asked_what_a_card_was_is_told_in_every_language():
    stories = [story(("play", "6D4")), story(("end", None), ("deal", "6D4")), story(("fold", None), ("play", "6D4"))]
    nowhere, arm = piece(zone="stack/6"), piece(zone="stack/6", arm=3)
    away = SimpleNamespace(tokens={6: SimpleNamespace(seat=3)})
    none = SimpleNamespace(tokens={})
    whys = {
        decision._why(head, stories, game(), seen)
        for head in (piece(), piece(zone="seat/6"), nowhere, arm)
        for seen in (away, none)
    }
    assert len(whys) == 5
    asked = [questions.about_way(nowhere, stories, why).question for why in whys]
    labels = [choice.label for choice in asked[0].choices]
    assert labels[1] == "Aubrey is done, Aubrey deals it"
    assert check([*(one.text for one in asked), *labels, decision._waiting(nowhere)]) == 10
