"""Whole evenings: random games in sequence, with random scripts, and the coins of all of them together."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import chinchirorin_referee
import evenings
import pytest
import roulette_referee

from companion.journal.backups.backup import make_backup
from companion.journal.backups.restore import restore
from companion.journal.evening import GameConfig, carried_commands, is_same_config
from companion.journal.hash_chain import Entry
from companion.journal.replay import is_undecided
from companion.journal.store import FILE_NAME, JournalReader
from companion.journal.verify import verify
from companion.kernel.accounts import HOUSE, POTS, Account
from companion.kernel.errors import TableError
from companion.kernel.table import Header
from companion.service.settle import nets
from companion.service.table_service import TableService
from companion.statistics.standings import Standings
from companion.testing import INSTALLED, new_header

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")
GAMES = (*evenings.GAMES, "roulette", "chinchirorin")


def commands_of(game: str, rng: random.Random, names: list[str]) -> list[dict[str, Any]]:
    """Return the commands of a game's random script, with its players replaced by those at the table."""
    if game == "roulette":
        header, *script = roulette_referee.random_play(rng, 120)
    elif game == "chinchirorin":
        players, _ = chinchirorin_referee.random_players(rng)
        header = {"players": [{"name": name} for name, _ in players]}
        script = [{"do": "throw-for-bank", "player": name, "die": rng.randint(1, 6)} for name, _ in players]
        script += [rng.choice(CHINCHIRORIN)(rng, [name for name, _ in players]) for _ in range(200)]
    else:
        first, script = evenings.random_records(game, rng.randrange(10**6))
        header = {"players": [{"name": name} for name, _ in first.players]}
    others = {player["name"]: names[place % len(names)] for place, player in enumerate(header["players"])}
    return [renamed(record, others) for record in script]


CHINCHIRORIN = (
    lambda rng, names: {"do": "bank", "amount": rng.randint(1, 20)},
    lambda rng, names: {"do": "bet", "player": rng.choice(names), "amount": rng.randint(1, 9)},
    lambda rng, names: {"do": "bet", "player": rng.choice(names), "amount": rng.randint(1, 9)},
    lambda rng, names: {"do": "close"},
    lambda rng, names: {"do": "throw", "dice": [rng.randint(1, 6) for _ in range(3)]},
    lambda rng, names: {"do": "throw", "dice": [rng.randint(1, 6) for _ in range(3)]},
    lambda rng, names: {"do": rng.choice(["keep-bank", "pass-bank"])},
)


def renamed(value: Any, others: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {others.get(key, key): renamed(inner, others) for key, inner in value.items()}
    return others.get(value, value) if isinstance(value, str) else value


def attempt(service: TableService, record: dict[str, Any]) -> bool:
    try:
        service.submit(record, source="dealer")
    except TableError:
        return False
    return True


def play(service: TableService, rng: random.Random) -> None:
    """Play at random, with buy-ins and cash-outs, and end with nothing undecided."""
    names = [player["name"] for player in service.view()["players"]]
    for record in commands_of(service.header.game, rng, names):
        attempt(service, record)
        if rng.random() < 0.05:
            attempt(service, {"do": "buy-in", "player": rng.choice(names), "coins": rng.randint(1, 40)})
        if rng.random() < 0.02:
            attempt(service, {"do": "recount", "player": rng.choice(names), "coins": rng.randint(0, 90), "reason": "x"})
        if rng.random() < 0.05:
            attempt(service, {"do": rng.choice(["undo", "undo", "redo", "hold", "release"])})
    while service.view()["hold"] or is_undecided(service.ledger):
        if not attempt(service, {"do": "undo"}):
            return  # antes alone: nothing was played


def wealth(service: TableService) -> dict[str, int]:
    return {player["name"]: player["coins"] for player in service.view()["players"]}


@pytest.mark.parametrize("seed", range(6))
def test_random_evenings_of_random_games_sum_to_zero(seed: int, tmp_path: Path) -> None:
    """Everybody's coins are the same before and after each change; in the end all wins and losses cancel out, the
    history's standings agree with the ledger's, a restart changes nothing, and the journal is whole."""
    rng = random.Random(seed)
    players = tuple((name, rng.randint(40, 300)) for name in NAMES[: rng.randint(2, 5)])
    path = tmp_path / FILE_NAME
    first = new_header("roche", players)
    played = []
    service = TableService.open(path, first, INSTALLED)
    for game in rng.sample(GAMES, len(GAMES)):
        play(service, rng)
        before, won = wealth(service), nets(service.ledger, service.header.gains)
        seats, antes = service.view()["players"], any(service.view()["pots"].values())
        try:
            service.change_game(Header(INSTALLED.rules(game), ()), source="dealer")
        except TableError:
            assert (wealth(service), service.view()["players"]) == (before, seats)
            continue
        played.append(game)
        if not antes and not any(service.view()["pots"].values()):
            assert wealth(service) == before
            assert {**won, **nets(service.ledger, service.header.gains)} == nets(service.ledger, service.header.gains)
        if rng.random() < 0.3:
            service.close()
            service = TableService.open(path, first, INSTALLED)
        assert service.header.game == game
    play(service, rng)
    assert len(played) >= 4
    check_books(service)
    service.close()
    with JournalReader.open(path) as reader:
        found = verify(reader, INSTALLED)
    assert (found.wrong, found.sessions) == (None, len(played) + 1)


def check_books(service: TableService) -> None:
    """The ledger's gains sum to zero, and agree with what the history says each player brought, took and has now."""
    won = nets(service.ledger, service.header.gains)
    assert sum(won.values()) == 0
    assert sum(one["coins"] for one in service.view()["settle_up"]) == sum(c for c in won.values() if c > 0)
    (evening,) = Standings(service).evenings()
    recounted = won.get(Account.parse("recount"), 0)
    told = {name: evening.won(name) for name in wealth(service)}
    assert told == {name: won.get(Account.player(name), 0) for name in told}
    assert evening.house == won.get(HOUSE, 0)
    assert sum(told.values()) + evening.house + recounted + won.get(POTS, 0) == 0
    assert Counter(evening.nets) == Counter(won)  # whoever has won nothing need not be in either


def test_a_backup_has_the_whole_evening(tmp_path: Path) -> None:
    """A backup made while the table runs restores every session of the evening, with the same game current."""
    data, other = tmp_path / "data", tmp_path / "other"
    data.mkdir()
    service = TableService.open(data / FILE_NAME, new_header("roche", (("Ann", 100), ("Bo", 50))), INSTALLED)
    service.change_game(new_header("roulette"), source="dealer")
    make_backup(data, tmp_path / "backup", INSTALLED)
    before = service.view()["players"]
    service.close()
    restore(tmp_path / "backup", other, INSTALLED)
    with TableService.open(other / FILE_NAME, new_header("roche"), INSTALLED) as again:
        assert [one.game for one in again.evening] == ["roche", "roulette"]
        assert again.view()["players"] == before


def test_two_wishes_are_the_same_in_any_order() -> None:
    one: GameConfig = {"game": "roche", "options": {"layout": "grand", "minimum": 2}}
    other: GameConfig = {"options": {"minimum": 2, "layout": "grand"}, "game": "roche"}
    assert is_same_config(one, other)
    assert not is_same_config(one, {"game": "roche", "options": {"layout": "grand", "minimum": 3}})


def test_only_the_tables_own_first_commands_carry_players_over() -> None:
    """Everything from the dealer's first command, or a notice, on is play."""

    def entry(kind: str, source: str) -> Entry:
        return Entry(1, "", 1, kind, source, None, "{}", "[]", "", "")  # type: ignore[arg-type]

    start, mine, dealers = entry("start", "dealer"), entry("command", "table"), entry("command", "dealer")
    assert carried_commands([start, mine, mine, dealers, mine]) == [mine, mine]
    assert carried_commands([start, mine, entry("notice", "table"), mine]) == [mine]
    assert carried_commands([start, mine, entry("command", "web"), mine]) == [mine]
    assert carried_commands([start]) == carried_commands([start, dealers, mine]) == []
