"""Decks are stored and found again, and their keys stay private."""

import json
import stat

import pytest

from companion.objects.codes import CodeStatus, check_code
from companion.objects.decks import DeckError, DeckStore
from companion.testing import DECKS


@pytest.fixture
def store(tmp_path):
    return DeckStore(tmp_path, DECKS)


def test_a_deck_is_found_again_with_its_key(store):
    deck = store.new("red", "Friday", token=lambda n: b"x" * n)
    again = DeckStore(store.folder.parent, DECKS).get(deck.id)
    assert again == deck
    assert (again.kind, again.name, again.key) == ("red", "Friday", b"x" * 32)


def test_ids_are_four_characters_that_are_not_misread(store):
    ids = {store.new("roche").id for _ in range(40)}
    assert len(ids) == 40
    assert all(len(deck_id) == 4 and not set(deck_id) & set("0189BIO") for deck_id in ids)


def test_a_deck_without_a_name_is_called_by_its_id(store):
    deck = store.new("roche")
    assert deck.name == f"Deck {deck.id}"


def test_latest_is_the_deck_made_last(store, monkeypatch):
    times = iter(f"2026-01-0{day}T00:00:00.000+00:00" for day in (1, 2, 3))
    monkeypatch.setattr("companion.objects.decks._now", lambda: next(times))
    roche, standard, red = store.new("roche"), store.new("standard"), store.new("red")
    assert store.all() == (roche, standard, red)
    assert store.latest() == red
    assert store.latest("standard") == standard


def test_only_the_owner_may_read_a_deck(store):
    """Anyone with the key can print genuine cards."""
    deck = store.new("roche")
    assert stat.S_IMODE((store.folder / f"{deck.id}.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_data_directory_that_the_first_deck_makes_is_the_owners_alone(tmp_path):
    store = DeckStore(tmp_path / "data", DECKS)
    store.new("roche")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_each_deck_signs_with_its_own_key(store):
    a, b = store.new("roche"), store.new("roche")
    code = a.code("6D3")
    assert check_code(code, store.keys(), DECKS.tag_of) is CodeStatus.OK
    assert check_code(code, {a.id: b.key}, DECKS.tag_of) is CodeStatus.FORGED
    assert check_code(code, {b.id: b.key}, DECKS.tag_of) is CodeStatus.FOREIGN


def test_no_deck_yet_says_what_to_do(store):
    assert store.all() == ()
    with pytest.raises(DeckError) as caught:
        store.latest()
    assert str(caught.value) == "There is no deck yet. Make one with `companion deck new`."


@pytest.mark.parametrize("deck_id", ["ZZZZ", "../x", "", "a/b"])
def test_an_unknown_deck_names_the_known_ones(store, deck_id):
    known = store.new("roche")
    with pytest.raises(DeckError) as caught:
        store.get(deck_id)
    assert str(caught.value) == (
        f"There is no deck {deck_id!r} here (known: {known.id}). Make one with `companion deck new`."
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"id": "K7QX"}',
        json.dumps({"id": "K", "kind": "tarot", "key": "00", "name": "n", "created": ""}),
    ],
)
def test_a_damaged_deck_file_is_named(store, text):
    deck = store.new("roche")
    path = store.folder / f"{deck.id}.json"
    path.write_text(text)
    with pytest.raises(DeckError, match=r"The deck file .* cannot be used .*\. Restore it from a backup\.") as caught:
        store.get(deck.id)
    assert str(path) in str(caught.value)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "decks").write_text("in the way")
    with pytest.raises(DeckError, match=r"cannot be written"):
        DeckStore(tmp_path, DECKS).new("roche")


def test_a_folder_that_cannot_be_read_is_not_taken_for_no_decks(tmp_path):
    """Otherwise every card of this house would be reported as foreign."""
    (tmp_path / "decks").write_text("in the way")
    with pytest.raises(DeckError, match="cannot be read"):
        DeckStore(tmp_path, DECKS).keys()


def test_no_folder_is_no_decks(tmp_path):
    assert DeckStore(tmp_path / "not yet made", DECKS).all() == ()


@pytest.mark.parametrize("name", ["Red\ndeck", "Red\x1b[31m", "x" * 61])
def test_a_name_that_is_not_one_printable_line_is_refused(tmp_path, name):
    with pytest.raises(DeckError, match="one line of at most 60 printable letters"):
        DeckStore(tmp_path, DECKS).new("roche", name=name)
    assert DeckStore(tmp_path, DECKS).all() == ()


def test_two_decks_made_in_a_row_have_tags_of_their_own(store):
    """So that a card's deck is known even with its code covered; a third deck reuses the first tag set."""
    one, two, three = (store.new("standard") for _ in range(3))
    assert [store.get(deck.id).tag_set for deck in (one, two, three)] == [0, 1, 0]
    assert (one.tag("AS"), two.tag("AS"), three.tag("AS")) == (73, 125, 73)
    assert not {one.tag(card) for card in one.cards} & {two.tag(card) for card in two.cards}
    assert store.new("roche").tag_set == 0


def test_a_deck_that_was_made_before_there_were_two_sets_of_tags_keeps_its_own(store):
    deck = store.new("standard")
    path = store.folder / f"{deck.id}.json"
    record = json.loads(path.read_text())
    del record["tag_set"]
    path.write_text(json.dumps(record))
    assert store.get(deck.id) == deck
    path.write_text(json.dumps(record | {"tag_set": 7}))
    with pytest.raises(DeckError, match="unknown tag_set 7"):
        store.get(deck.id)
