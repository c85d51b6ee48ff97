"""Deck designs: the tags of printed decks never change, and two designs never claim the same piece or tag."""

import hashlib
import json
from dataclasses import replace

import pytest

from companion.objects.decks import Deck
from companion.objects.designs import Designs, UnknownKind
from companion.plugins.registry import installed_games
from companion.testing import DECKS

STANDARD = DECKS["standard"]


def digest(numbers: dict[str, int] | dict[int, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(numbers.items())).encode()).hexdigest()


NEWER_DECKS = 217
"""The first tag number unused by the first decks."""


def test_printed_decks_keep_their_tags_for_ever():
    """Recorded when the first decks were printed; changing these makes every printed deck unreadable."""
    tags = {piece: tag for piece, tag in DECKS.tag_of.items() if tag < NEWER_DECKS}
    pieces = {tag: piece for tag, piece in DECKS.piece_of_tag.items() if tag < NEWER_DECKS}
    assert digest(tags) == "d2d76528ae28f7e5ae5d182d39875ea8e43b83ca27c6b376e3adfdba35602158"
    assert digest(pieces) == "638bc4292482737a05c159be0cc21b7a54158738fec2d00725a5d94dac3ce765"


def test_the_kinds_are_the_contracts():
    assert [len(DECKS[kind].cards) for kind in ("roche", "red", "standard")] == [54, 50, 52]
    assert DECKS["red"].tokens == ("T3", "T4", "T5", "T6", "T7", "LDR")


@pytest.mark.parametrize("design", DECKS.values(), ids=list(DECKS))
def test_every_piece_has_a_tag_words_and_a_suit(design):
    assert all(set(tags) == {*design.all_cards, *design.tokens} for tags in design.tag_sets)
    assert len({design.words(card) for card in design.all_cards}) == len(design.all_cards)
    assert all(design.suit(card) for card in design.cards)


def test_a_part_of_a_deck_has_the_tags_of_the_whole():
    whole = DECKS["roche"].tag_of
    assert {piece: whole[piece] for piece in DECKS["red"].tag_of} == dict(DECKS["red"].tag_of)


@pytest.mark.parametrize(
    "taken",
    [
        replace(STANDARD, kind="other", tag_of={"AS": 300}, cards=("AS",), extras=(), more_tags=()),
        replace(STANDARD, kind="other", tag_of={"X1": 61}, cards=("X1",), extras=(), more_tags=()),
        replace(STANDARD, kind="other", tag_of={"X1": 113}, cards=("X1",), extras=(), more_tags=()),
        replace(STANDARD, kind="other", tag_of={"X1": 165}, cards=("X1",), extras=(), more_tags=()),
        replace(STANDARD, kind="other", tag_of={"X1": 181}, cards=("X1",), extras=(), more_tags=()),
        replace(STANDARD, tag_of={"X1": 300}, cards=("X1",), extras=(), more_tags=()),
    ],
    ids=["piece", "tag", "second tag", "mat's tag", "die's tag", "kind"],
)
def test_no_design_claims_what_is_taken(taken):
    with pytest.raises(ValueError, match="in common"):
        Designs([STANDARD, taken])


def test_an_unknown_kind_is_named():
    with pytest.raises(UnknownKind, match=rf"There is no kind of deck 'tarot'. Choose {', '.join(DECKS)}\."):
        DECKS.named("tarot")


def test_no_code_for_what_is_no_piece():
    with pytest.raises(ValueError, match="8D1"):
        Deck("K7QX", DECKS["roche"], "", b"secret", "").code("8D1")


# ---- kinds of decks that belong to no game


def bring(folder, name, source):
    """Install a package that provides a kind of deck."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[table_companion.decks]\n{name} = {name}:DECK\n")


COINS = """
from companion.objects.designs import DeckArt, DeckDesign
DECK = DeckDesign(kind="coins", title="Coins", cards=("HH", "TT"), tag_of={"HH": %d, "TT": 231}, suit=str,
                  art=lambda: DeckArt(print, print))
"""


def test_the_standard_deck_is_found_and_the_games_decks_come_first():
    assert list(DECKS)[-1] == "standard"
    assert len(DECKS) > 1


def test_any_package_may_bring_a_kind_of_deck(tmp_path, monkeypatch):
    bring(tmp_path, "coins_deck", COINS % 230)
    monkeypatch.syspath_prepend(str(tmp_path))
    games = installed_games()
    assert games.decks["coins"].cards == ("HH", "TT")
    assert set(DECKS) <= set(games.decks)


@pytest.mark.parametrize(
    ("name", "source", "problem"),
    [
        ("taken_tag", COINS % 61, "in common"),
        ("no_design", "DECK = 52", "is no DeckDesign but a int"),
        ("broken", "import no_such_module", "no_such_module"),
    ],
)
def test_a_kind_of_deck_that_cannot_be_used_is_left_out_and_listed(tmp_path, monkeypatch, name, source, problem):
    bring(tmp_path, name, source)
    monkeypatch.syspath_prepend(str(tmp_path))
    games = installed_games()
    assert list(games.decks) == list(DECKS)
    assert [problem in str(found.problem) for found in games.sources if found.package == name] == [True]
