"""`check_game` finds what is wrong with a game: a toy game passes, and each way of breaking it is named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from coin_toss import COIN_TOSS, CoinToss, CoinTossed, Toss

from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import NotOffered
from companion.kernel.events import Decided
from companion.kernel.game import GameView
from companion.kernel.ledger import Transfer
from companion.plugins.plugin import GamePlugin
from companion.testing import check_game

SCRIPT: list[dict[str, Any]] = [
    {"game": "coin-toss", "players": [{"name": name, "coins": 50} for name in ("Ann", "Bo")], "options": {"pays": 2}},
    {"do": "bet", "player": "Ann", "on": "heads", "amount": 5},
    {"do": "bet", "player": "Bo", "on": "tails", "amount": 4},
    {"do": "bet", "player": "Bo", "on": "edge", "amount": 4},
    {"do": "take-back", "player": "Bo", "on": "tails"},
    {"do": "join", "player": "Cy", "coins": 10},
    {"do": "toss", "side": "heads"},
    {"do": "toss", "side": "rim"},
    {"do": "cash-out", "player": "Bo"},
    {"do": "leave", "player": "Bo"},
]  # fmt: skip


def test_a_toy_game_of_one_file_passes():
    check_game(COIN_TOSS, [SCRIPT])


def test_without_a_script_nothing_can_be_checked():
    with pytest.raises(AssertionError, match="there is no script to play"):
        check_game(COIN_TOSS, [])


def test_a_verb_that_no_script_uses_is_named():
    with pytest.raises(AssertionError, match="no script or random play ever does join, leave"):
        check_game(COIN_TOSS, [[record for record in SCRIPT if record.get("do") not in ("join", "leave")]])


class Generous(CoinToss):
    def apply(self, state, command, ledger):
        after, happened = super().apply(state, command, ledger)
        gift = Transfer(HOUSE, Account.player("Nobody"), 3, "a gift")
        return after, (*happened, gift) if isinstance(command, Toss) else happened


class Shy(CoinToss):
    def expected(self, state):
        return super().expected(state) - {"toss"}


class Forgetful(CoinToss):
    def apply(self, state, command, ledger):
        after, happened = super().apply(state, command, ledger)
        return (replace(after, pays=id(object()) % 97 + 1) if isinstance(command, Toss) else after), happened


class Careless(CoinToss):
    def start(self, seats, options):
        return super().start(seats, {key: value for key, value in options.items() if key == "pays"})


@dataclass(frozen=True, slots=True)
class Unweighed(CoinTossed):
    gains = Decided.gains


class Silent(CoinToss):
    def apply(self, state, command, ledger):
        after, happened = super().apply(state, command, ledger)
        told = [Unweighed(e.side, e.paid) if isinstance(e, CoinTossed) else e for e in happened]
        return after, tuple(told)


class Nameless(CoinToss):
    title = " "


class Greedy(CoinToss):
    def audit(self, before, command, happened, ledger):
        return ("the sums differ",)


class Grumbling(CoinToss):
    def reasons(self, state):
        return {"toss": "Not now."}


class Vague(CoinToss):
    def view(self, state):
        return {**super().view(state), "seats": {1, 2}}


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Shy, "it was accepted, though not expected"),
        (Careless, "takes an option that it does not have"),
        (Nameless, "has no title"),
        (Silent, "Unweighed does not say the gains"),
        (Greedy, "the sums differ"),
        (Grumbling, "a verb is expected, and there is a reason why not"),
    ],
)
def test_a_broken_game_is_found_out(broken: type[CoinToss], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_game(GamePlugin(rules=broken()), [SCRIPT])


class CoinView(GameView):
    spots: dict[str, str]


class Chatty(CoinToss):
    def view(self, state):
        return {"prompt": "Toss", "spots": {}, "weather": "fine"}


class Wordless(CoinToss):
    def view(self, state):
        return {"prompt": None, "spots": {}}


@pytest.mark.parametrize(
    ("broken", "words"), [(Chatty, "CoinView does not have all of weather"), (Wordless, "prompt\n.*valid string")]
)
def test_a_view_of_another_shape_than_its_plug_in_says_is_found_out(broken: type[CoinToss], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_game(GamePlugin(rules=broken(), view=CoinView), [SCRIPT])


def test_a_view_that_is_no_json_is_found_out():
    with pytest.raises(TypeError):
        check_game(GamePlugin(rules=Vague()), [SCRIPT])


def test_the_toy_refuses_what_a_coin_has_not():
    with pytest.raises(NotOffered, match="A coin shows heads or tails"):
        CoinToss().apply(CoinToss().start((), {}), Toss("rim"), None)  # type: ignore[arg-type]
