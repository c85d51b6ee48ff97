"""A game's module may omit ``from __future__ import annotations``: its commands' field types are then types, not text.

This module is an example.
"""

from dataclasses import dataclass

import pytest

from companion.kernel.commands import Command, parse_command, verbs
from companion.kernel.errors import BadScript
from web_ui.game_pages import _fields


@dataclass(frozen=True, slots=True)
class Give(Command):
    """A player gives something to another player."""

    verb = "give"
    to: str
    coins: int
    why: str | None = None


def test_text_is_text():
    with pytest.raises(BadScript, match="'to' of 'give' is text, got 5"):
        parse_command({"do": "give", "to": 5, "coins": 3}, verbs(Give))


def test_a_player_is_found_however_the_name_is_written():
    assert parse_command({"do": "give", "to": " Rene\u0301", "coins": 3}, verbs(Give)) == Give("Ren\u00e9", 3)


def test_the_form_of_a_verb_has_fields_of_their_kinds():
    assert {field["name"]: field["kind"] for field in _fields(Give, set())} == {
        "to": "text",
        "coins": "number",
        "why": "text",
    }
