"""In every game the pay sheet's steps, applied in order, lead from the balances before to those after."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from evenings import GAMES as RANDOM_GAMES
from evenings import random_records
from hypothesis import given
from hypothesis import strategies as st

from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.errors import TableError
from companion.kernel.events import Decided
from companion.kernel.ledger import Transfer
from companion.kernel.table import Header, Table
from companion.service.paying.due import Due, due_at
from companion.service.paying.sheet import PayStepJson, StepKind, pay_sheet
from companion.service.paying.ticks import Ticks
from companion.testing import INSTALLED, new_header

TESTS = Path(__file__).parents[3]
CHIPS = (1, 5, 10)
SCRIPTS = sorted(path for folder in ("playthroughs", "golden/scripts") for path in (TESTS / folder).glob("*/*.jsonl"))
ANN, BO, CY, DI = map(Account.player, ("Ann", "Bo", "Cy", "Di"))


def shown(moved: Iterable[Transfer], bets: Any = (), chips: tuple[int, ...] = CHIPS) -> list[PayStepJson]:
    return [step.to_json(chips, 1, lambda account: account.label) for step in pay_sheet(moved, bets).steps]


def applied(steps: Iterable[PayStepJson], before: Counter[str]) -> Counter[str]:
    """Return the balances by account after a person has carried out the steps of a page."""
    after = before.copy()
    for step in steps:
        for part in step["parts"]:
            after[part["at"]] -= part["coins"]
        after[step["to"]] += step["coins"]
    return after


def check_sums(step: PayStepJson) -> None:
    assert step["coins"] == sum(part["coins"] for part in step["parts"]) > 0
    assert step["own"] == sum(part["coins"] for part in step["parts"] if part["is_own"])
    worth = {name: sum(pile["value"] * pile["count"] for pile in step[name]) for name in ("chips", "own_chips")}
    assert worth == {"chips": step["coins"] - step["own"], "own_chips": step["own"]}


def check_table(table: Table, due: Due) -> None:
    """Check the sheet of the latest command against the ledgers before and after it."""
    _, played = next(table.played())
    steps = due.to_json(CHIPS, is_on=False)["steps"]
    assert len({step["key"] for step in steps}) == len(steps)
    for step in steps:
        check_sums(step)
    assert coins_of(played.after.ledger) == cleaned(applied(steps, coins_of(played.before.ledger)))
    house = due.sheet.house
    changed = owned_by_house(played.after.ledger) - owned_by_house(played.before.ledger)
    assert changed == (house or 0)
    kinds = [StepKind(step["kind"]) for step in steps]
    kept = kinds.count(StepKind.KEEP)
    assert kinds[len(kinds) - kept :] == [StepKind.KEEP] * kept, "what stays comes last"
    first_paid = kinds.index(StepKind.PAY) if StepKind.PAY in kinds else len(kinds)
    assert StepKind.TAKE not in kinds[first_paid:], "what is taken comes first"
    paid = [step["coins"] - step["own"] for step in steps if step["kind"] == StepKind.PAY]
    if StepKind.HAND not in kinds:
        assert paid == sorted(paid, reverse=True), "whoever gets most comes first"


def coins_of(ledger: Any) -> Counter[str]:
    return Counter({account.label: coins for account, coins in ledger.accounts.items() if coins})


def cleaned(coins: Counter[str]) -> Counter[str]:
    return Counter({label: n for label, n in coins.items() if n})


def owned_by_house(ledger: Any) -> int:
    return sum(coins for account, coins in ledger.accounts.items() if account.owner == HOUSE)


def played(path: Path) -> Iterator[Table]:
    """Yield a script's table after each accepted command."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    table = Table(Header.parse({name: value for name, value in lines[0].items() if name != "shown"}, INSTALLED))
    for line in lines[1:]:
        record = {name: value for name, value in line.items() if name not in ("as", "expect")}
        if "do" not in record:
            continue
        with suppress(TableError):
            table.do(record)
            yield table


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_steps_lead_to_the_coins_after_in_every_recorded_script(path: Path) -> None:
    for table in played(path):
        step = table.latest_step
        if step is None:
            continue
        due = due_at(table, Ticks())
        moves = [event for event in step.happened if isinstance(event, Transfer)]
        is_decided = any(isinstance(event, Decided) for event in step.happened)
        if moves and is_decided and step.after.hold is None:
            assert due is not None
            assert not due.is_past
        if due is not None and due.id.startswith(f"{len(table.records) - 1}-"):
            check_table(table, due)


@pytest.mark.parametrize("game", sorted({path.parent.name for path in SCRIPTS}))
def test_every_game_has_scripts_with_something_to_pay(game: str) -> None:
    """Otherwise the test above would prove nothing for that game."""
    sheets = [
        due
        for path in SCRIPTS
        if path.parent.name == game
        for table in played(path)
        if (due := due_at(table, Ticks())) is not None
    ]
    assert len({due.id for due in sheets}) >= 3
    assert game in {plugin.name for plugin in INSTALLED.values()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", RANDOM_GAMES)
def test_the_steps_lead_to_the_coins_after_on_random_evenings(game: str, seed: int) -> None:
    header, records = random_records(game, 4200 + seed)
    table, sheets = Table(header), 0
    for record in records:
        table.do(record)
        due = due_at(table, Ticks())
        if due is not None and due.id.startswith(f"{len(table.records) - 1}-"):
            check_table(table, due)
            sheets += 1
    assert sheets


NAMES = ("Ann", "Bo", "Cy", "pot/6", "A/B")
ACCOUNTS = st.one_of(
    st.sampled_from(NAMES).map(Account.player),
    st.tuples(st.sampled_from((*NAMES, None)), st.sampled_from(("red", "cut/6", "hand"))).map(
        lambda both: Account.stake(*both)
    ),
    st.sampled_from((Account.pot(6), Account.pot("side-1"), HOUSE, CAGE)),
)
TRANSFERS = st.lists(
    st.tuples(ACCOUNTS, ACCOUNTS, st.integers(1, 10**6)).filter(lambda one: one[0] != one[1]), min_size=1, max_size=30
).map(lambda moves: [Transfer(payer, payee, coins, "why") for payer, payee, coins in moves])


@given(TRANSFERS, st.sampled_from(((1,), (1, 5, 10), (1, 5, 25, 100, 500))))
def test_any_transfers_are_on_the_sheet_once(moved: list[Transfer], chips: tuple[int, ...]) -> None:
    steps = shown(moved, chips=chips)
    expected: Counter[str] = Counter()
    for move in moved:
        expected[move.payer.label] -= move.coins
        expected[move.payee.label] += move.coins
    assert cleaned(applied(steps, Counter())) == cleaned(expected)
    assert len({step["key"] for step in steps}) == len(steps)
    for step in steps:
        check_sums(step)


@given(TRANSFERS, st.randoms(use_true_random=False))
def test_the_digest_tells_sheets_apart(moved: list[Transfer], luck: random.Random) -> None:
    sheet, other = pay_sheet(moved), list(moved)
    at = luck.randrange(len(other))
    was = other[at]
    other[at] = Transfer(was.payer, was.payee, was.coins + 1, was.why)
    assert pay_sheet(moved).digest == sheet.digest != pay_sheet(other).digest


# ---- what the dealer reads


def stake(player: Account, on: str) -> Account:
    return Account.stake(player.name, on)


def test_a_win_is_paid_with_the_stake_that_stays() -> None:
    """Four at 10:1: 44 coins are moved, forty in four tens from the house, and the stake of four."""
    moved = [
        Transfer(stake(ANN, "cut/6"), ANN, 4, "stake returned"),
        Transfer(HOUSE, ANN, 40, "won"),
        Transfer(stake(BO, "cut/3"), HOUSE, 25, "lost"),
        Transfer(stake(ANN, "cut/2"), HOUSE, 9, "lost"),
    ]
    take, pay = shown(moved)
    assert (take["kind"], take["to"], take["coins"]) == ("take", "house", 34)
    assert [(part["player"], part["on"], part["coins"]) for part in take["parts"]] == [
        ("Bo", "cut/3", 25),
        ("Ann", "cut/2", 9),
    ]
    assert (pay["kind"], pay["to"], pay["coins"], pay["own"]) == ("pay", "Ann", 44, 4)
    assert (pay["chips"], pay["own_chips"]) == ([{"value": 10, "count": 4}], [{"value": 1, "count": 4}])
    assert [step["says"] for step in (take, pay)] == [
        "Take 34 from 2 spots",
        "Pay Ann 44: 40 and the stake of 4, which stays or goes back",
    ]
    assert pay_sheet(moved).house == -6


def test_winners_come_first_and_whoever_gets_nothing_but_the_stake_comes_last() -> None:
    moved = [
        Transfer(stake(CY, "red"), CY, 50, "push"),
        Transfer(HOUSE, ANN, 3, "won"),
        Transfer(stake(ANN, "red"), ANN, 3, "back"),
        Transfer(HOUSE, BO, 30, "won"),
        Transfer(stake(BO, "17"), BO, 1, "back"),
    ]
    assert [(step["kind"], step["to"], step["coins"], step["own"]) for step in shown(moved)] == [
        ("pay", "Bo", 31, 1),
        ("pay", "Ann", 6, 3),
        ("keep", "Cy", 50, 50),
    ]
    assert not shown(moved)[2]["can_tick"], "there is nothing to do"


def test_each_payer_of_a_penalty_has_a_line_of_their_own() -> None:
    moved = [*(Transfer(who, ANN, 6, "penalty") for who in (BO, CY, DI)), Transfer(Account.pot(6), ANN, 7, "pot")]
    assert [(step["key"], step["coins"], step["says"]) for step in shown(moved)] == [
        ("pay >Ann", 7, "Pay Ann 7"),
        ("hand Bo>Ann", 6, "Bo pays Ann 6"),
        ("hand Cy>Ann", 6, "Cy pays Ann 6"),
        ("hand Di>Ann", 6, "Di pays Ann 6"),
    ]
    assert pay_sheet(moved).house is None


def test_a_player_who_pays_another_is_not_said_to_pay_the_stake_that_comes_back() -> None:
    """The payer's steps add up to their own coins; the payee's stake comes back in a separate step."""
    moved = [
        *(Transfer(stake(who, "bet"), who, coins, "bet returned") for who, coins in ((ANN, 100), (CY, 40), (DI, 30))),
        *(Transfer(BO, who, 58, "storm") for who in (ANN, CY, DI)),
    ]
    assert [(step["key"], step["coins"], step["own"], step["can_tick"]) for step in shown(moved)] == [
        ("hand Bo>Ann", 58, 0, True),
        ("hand Bo>Cy", 58, 0, True),
        ("hand Bo>Di", 58, 0, True),
        ("keep >Ann", 100, 100, False),
        ("keep >Cy", 40, 40, False),
        ("keep >Di", 30, 30, False),
    ]
    assert [shown(moved)[place]["says"] for place in (0, 3)] == [
        "Bo pays Ann 58",
        "Ann: the stake of 100 stays or goes back",
    ]


def test_stakes_go_into_the_pots_before_the_pots_are_paid() -> None:
    main, side = Account.pot("main"), Account.pot("side-1")
    moved = [
        Transfer(ANN, stake(ANN, "bet"), 10, "stake"),
        *(Transfer(stake(who, "bet"), main, 20, "into the pot") for who in (ANN, BO, CY)),
        *(Transfer(stake(who, "bet"), side, 15, "into the pot") for who in (BO, CY)),
        Transfer(main, ANN, 60, "pot"),
        *(Transfer(side, who, 15, "pot") for who in (BO, CY)),
    ]
    assert [(step["kind"], step["to"], step["coins"]) for step in shown(moved)] == [
        ("stake", "stake/Ann/bet", 10),
        ("take", "pot/main", 60),
        ("take", "pot/side-1", 30),
        ("pay", "Ann", 60),
        ("pay", "Bo", 15),
        ("pay", "Cy", 15),
    ]


def test_hands_that_lie_in_one_stake_are_named_by_their_bets() -> None:
    """A split: the first hand loses, the second pushes. The bets name both, as their sums match."""
    bets = [
        {"player": "Ann", "on": "hand/1", "amount": 10, "won": 0, "returned": 0},
        {"player": "Ann", "on": "hand/2", "amount": 10, "won": 0, "returned": 10},
    ]
    lost, back = Transfer(stake(ANN, "hand"), HOUSE, 10, "lost"), Transfer(stake(ANN, "hand"), ANN, 10, "back")
    take, keep = shown([lost, back], bets)
    assert (take["parts"][0]["on"], keep["parts"][0]["on"]) == ("hand/1", "hand/2")
    bets[0]["amount"] = 30  # twenty of it were taken before: then nobody can say which coins these are
    take, _ = shown([lost, back], bets)
    assert (take["parts"][0]["on"], take["parts"][0]["at"]) == ("hand", "stake/Ann/hand")


def test_a_lost_hand_is_named_beside_a_bet_with_a_stake_of_its_own() -> None:
    """A split hand that loses together with the insurance: whoever takes the stakes reads which hand it is."""
    hand, insurance = stake(ANN, "hand"), stake(ANN, "insurance")
    bets = [
        {"player": "Ann", "on": "hand/1", "amount": 200, "returned": 200, "won": 200},
        {"player": "Ann", "on": "hand/2", "amount": 100, "returned": 0, "won": 0},
        {"player": "Ann", "on": "insurance", "amount": 50, "returned": 0, "won": 0},
    ]
    moved = [
        Transfer(hand, ANN, 200, "stake returned"),
        Transfer(hand, HOUSE, 100, "lost"),
        Transfer(insurance, HOUSE, 50, "lost"),
    ]
    take, keep = shown(moved, bets)
    assert [(part["on"], part["coins"]) for part in take["parts"]] == [("hand/2", 100), ("insurance", 50)]
    assert [(part["on"], part["coins"]) for part in keep["parts"]] == [("hand/1", 200)]


def test_a_stake_of_its_own_keeps_its_name_whatever_was_taken_before() -> None:
    """A hand that went bust was taken at once; the insurance that is lost later is not that hand."""
    bets = [
        {"player": "Ann", "on": "hand/1", "amount": 50, "returned": 0, "won": 0},
        {"player": "Ann", "on": "insurance", "amount": 50, "returned": 0, "won": 0},
    ]
    (take,) = shown([Transfer(stake(ANN, "insurance"), HOUSE, 50, "lost")], bets)
    assert [part["on"] for part in take["parts"]] == ["insurance"]


def test_no_two_payments_are_one_whatever_the_names_are() -> None:
    """One tick is one payment, even if a name contains the separator between payer and payee."""
    pairs = (("A>B", "C"), ("A", "B>C"), ("A%3EB", "C"))
    steps = shown(Transfer(Account.player(payer), Account.player(payee), 5, "out") for payer, payee in pairs)
    assert len({step["key"] for step in steps}) == 3


def test_the_house_takes_its_own_stakes_back() -> None:
    moved = [Transfer(Account.stake(None, "take/3"), HOUSE, 5, "back"), Transfer(stake(ANN, "take/1"), HOUSE, 8, "won")]
    (step,) = shown(moved)
    assert (step["coins"], step["own"], [part["player"] for part in step["parts"]]) == (13, 5, [None, "Ann"])
    assert pay_sheet(moved).house == 8


def test_no_account_is_left_out() -> None:
    """There is a step for every kind of account that can pay or be paid; coins are put aside only at the cashier."""
    every = {one.kind: one for one in (ANN, stake(BO, "red"), Account.pot(6), HOUSE, CAGE)}
    assert set(every) == set(Kind) - {Kind.POTS, Kind.RECOUNT, Kind.ASIDE}
    for payer in every.values():
        for payee in (*every.values(), CY):
            assert len(shown([Transfer(payer, payee, 3, "why")])) == 1


def test_a_hand_beside_one_that_went_bust_earlier_has_its_number() -> None:
    """The coins of the bust hand moved earlier: those that move now are the other hand's alone."""
    table = Table(new_header("blackjack", (("Ann", 1000), ("Bo", 1000)), {}))
    dealt = (("Ann", "8S"), ("Bo", "9D"), ("dealer", "9C"), ("Ann", "8H"), ("Bo", "8D"))
    for record in (
        *({"do": "bet", "player": name, "amount": 50} for name in ("Ann", "Bo")),
        *({"do": "deal", "to": to, "card": card} for to, card in dealt),
        *({"do": "hole"}, {"do": "split", "cards": ["TS", "2H"]}, {"do": "hit", "card": "TH"}),
        *({"do": "stand"}, {"do": "stand"}, {"do": "reveal", "card": "KD"}),
    ):
        table.do(record)
    due = due_at(table, Ticks())
    assert due is not None
    parts = [(part.payer.name, part.on, part.coins) for step in due.sheet.steps for part in step.parts]
    assert parts == [("Ann", "hand/2", 50), ("Bo", "hand/1", 50)]
