"""`check_game` finds what is wrong with a game: a toy game passes, and each way of breaking it is named."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from coin_toss import COIN_TOSS, SIDES, CoinToss, CoinTossed, State, Toss

from companion.kernel.accounts import HOUSE, Account
from companion.kernel.errors import NotOffered
from companion.kernel.events import Decided
from companion.kernel.game import GameView
from companion.kernel.ledger import Transfer
from companion.kernel.price import Price
from companion.kernel.shared import banked
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import WebPart
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


# ---- a house


@dataclass(frozen=True, slots=True)
class Rules:
    limits: banked.Limits = banked.Limits()  # noqa: RUF009 (a frozen value)


@dataclass(frozen=True, slots=True)
class BankedState(State):
    """The toy's state as one against a house; what is wrong with it, subclasses say."""

    rules: Rules = Rules()

    @property
    def offers(self) -> tuple[banked.Offer, ...]:
        return tuple(banked.Offer(side, side, Price(self.pays)) for side in ("heads", "tails"))

    @property
    def worst(self) -> banked.Worst | None:
        if not self.stakes:
            return None
        cost = {side: sum(s.amount * (self.pays if s.on == side else -1) for s in self.stakes) for side in SIDES}
        side = max(SIDES, key=lambda one: cost[one])
        return banked.Worst(cost[side], {}, None, ({"do": "toss", "side": side},))


class BankedToss(CoinToss):
    def start(self, seats, options):
        before = super().start(seats, options)
        return BankedState(before.seats, before.pays)


@dataclass(frozen=True, slots=True)
class Hopeful(BankedState):
    @property
    def worst(self):
        right = BankedState.worst.fget(self)
        return right and replace(right, coins=right.coins - 1)


class HopefulToss(CoinToss):
    def start(self, seats, options):
        before = super().start(seats, options)
        return Hopeful(before.seats, before.pays)


def test_a_game_against_a_house_passes_and_its_worst_case_is_played():
    check_game(GamePlugin(rules=BankedToss(), house=BankedState), [SCRIPT])


def test_a_house_that_the_plugin_does_not_name_is_named():
    with pytest.raises(AssertionError, match="coin-toss is played against a house: say house=BankedState in its plug"):
        check_game(GamePlugin(rules=BankedToss()), [SCRIPT])


def test_a_worst_case_that_costs_more_than_it_says_is_found():
    with pytest.raises(AssertionError, match="costs the house 10, its worst case says 9"):
        check_game(GamePlugin(rules=HopefulToss(), house=Hopeful), [SCRIPT])


def test_why_a_verb_is_never_done_is_said():
    script = [record for record in SCRIPT if record.get("do") != "cash-out"]
    with pytest.raises(AssertionError, match=r"ever does leave\. leave is refused: .*Cash out first, then leave\."):
        check_game(COIN_TOSS, [script])


def test_a_spot_without_its_text_and_a_page_without_its_script_are_named():
    words = WebPart(package="companion.games.rugen", family="toss", spot=lambda on, t: t(f"side_{on}"))
    game = GamePlugin(rules=BankedToss(), house=BankedState, web=words)
    with pytest.raises(AssertionError, match=r"locale/en\.json has no text side_heads for heads"):
        check_game(game, [SCRIPT])
    pages = WebPart(package="companion.games.rugen", family="toss", pages=("table",), styles=("toss.css",))
    with pytest.raises(AssertionError, match=r"companion\.games\.rugen has no web/toss\.css, which"):
        check_game(replace(game, web=pages), [SCRIPT])
