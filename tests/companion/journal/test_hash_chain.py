"""Entries and their hash chain: each fault is named with its entry and the difference."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from companion.journal.hash_chain import (
    Break,
    Entry,
    HashChain,
    Head,
    entry_hash,
    events_of,
    genesis,
    iso,
    parsed,
    sentences,
)

FIRST = genesis("j")


def entry(seq: int, prev: str, **more: object) -> Entry:
    """Return an entry with a valid hash."""
    fields = {"at": "noon", "session": 1, "kind": "command", "source": "dealer", "key": None, "record": "{}",
              "events": "[]", **more}  # fmt: skip
    return Entry(seq, **fields, prev=prev, hash=entry_hash(prev, seq, **fields))  # type: ignore[arg-type]


def test_each_journal_has_a_first_hash_of_its_own() -> None:
    assert genesis("j") != genesis("k")
    assert len(genesis("j")) == 64


def test_a_sound_chain_is_followed_to_its_head() -> None:
    chain = HashChain(FIRST)
    assert chain.head == Head(0, FIRST)
    one = entry(1, FIRST)
    two = entry(2, one.hash, key="k")
    assert [chain.check(one), chain.check(two)] == [None, None]
    assert chain.head == Head(2, two.hash)


@pytest.mark.parametrize(
    ("broken", "seq", "what"),
    [
        (entry(3, FIRST), 3, "entry 2 is missing before it"),
        (entry(1, FIRST), 1, "entry 2 is missing before it"),
        (entry(2, "ab" * 32), 2, "it does not follow entry 1: it names abababababab… as the hash before it, which is "),
        (entry(2, "ff" * 32), 2, "it does not follow entry 1: it names ffffffffffff… as the hash before it, which is "),
        (entry(2, ""), 2, "it does not follow entry 1: it names '' as the hash before it, which is "),
    ],
)
def test_a_link_that_does_not_fit_is_named(broken: Entry, seq: int, what: str) -> None:
    chain = HashChain(FIRST)
    one = entry(1, FIRST)
    assert chain.check(one) is None
    found = chain.check(broken)
    assert found is not None
    assert found.seq == seq
    assert found.what == (what if "missing" in what else f"{what}{one.hash[:12]}…")
    assert str(found) == f"entry {seq}: {found.what}"
    assert chain.head == Head(1, one.hash)  # it has not moved on


@pytest.mark.parametrize("field", ["at", "session", "kind", "source", "key", "record", "events"])
def test_every_field_is_under_the_hash(field: str) -> None:
    one = entry(1, FIRST)
    altered = one._replace(**{field: 2 if field == "session" else "notice"})
    found = HashChain(FIRST).check(altered)
    real = entry_hash(*[altered[8], *altered[:8]])
    assert found == Break(1, f"its contents were altered: they hash to {real[:12]}…, written is {one.hash[:12]}…")


@pytest.mark.parametrize("text", ['{"do": "redo"}', " 5 ", '{"a": 1} ', "[]"])
def test_a_text_is_parsed_as_json_is(text: str) -> None:
    assert parsed(text) == json.loads(text)


@pytest.mark.parametrize("text", ["", "{} {}", "{", "x"])
def test_what_is_no_json_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parsed(text)


def test_an_entry_as_pages_see_it() -> None:
    event = {"event": "BoughtIn", "text": {"say": "{who} buys in", "with": {"who": "Ann"}}}
    one = entry(1, FIRST, record='{"do":"buy-in"}', events=json.dumps([event, {"event": "Transfer"}]), source="web")
    told = one.to_json()
    assert (told["seq"], told["at"], told["session"], told["source"]) == (1, "noon", 1, "web")
    assert (told["kind"], told["do"], told["record"]) == ("command", "buy-in", {"do": "buy-in"})
    assert told["events"] == events_of(one)
    assert [str(said) for said in sentences(told)] == ["Ann buys in"]


def test_a_private_notice_is_the_dealers_alone() -> None:
    private = entry(1, FIRST, kind="notice", record='{"text": "Somebody guessed", "private": true}')
    assert private.to_json()["record"]["text"] == "Somebody guessed"
    assert private.to_json("room")["record"] == {"private": True}
    assert private.to_json("room")["do"] == "notice"
    assert sentences(private.to_json("dealer")) == ["Somebody guessed"]
    assert sentences(private.to_json("seat/1")) == []
    public = entry(1, FIRST, kind="notice", record='{"text": "Open", "private": false}')
    assert public.to_json("room")["record"]["text"] == "Open"
    start = entry(1, FIRST, kind="start", record='{"private": true, "do": "x"}')
    assert (start.to_json("room")["do"], start.to_json("room")["record"]) == ("start", {"private": True, "do": "x"})


def test_a_time_is_written_in_utc_to_the_millisecond() -> None:
    at = datetime(2026, 5, 1, 22, 15, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert iso(at) == "2026-05-01T20:15:00.999Z"
    assert iso(datetime(2026, 5, 1, tzinfo=UTC)) == "2026-05-01T00:00:00.000Z"
