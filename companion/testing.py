"""Test support for games, ours and third parties': the installed games, new tables, and `check_game`."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from companion.journal.checkpoints import pack
from companion.kernel.accounts import CAGE
from companion.kernel.commands import TABLE_VERBS, Record
from companion.kernel.errors import BadScript, TableError
from companion.kernel.events import Decided, to_json
from companion.kernel.game import Effect, Options
from companion.kernel.header import Header
from companion.kernel.ledger import BUY_IN, Transfer
from companion.kernel.table import Table, TableView
from companion.locale import Translator
from companion.objects.designs import Designs
from companion.objects.mat import Mats
from companion.plugins.panel import Moment, OpenQuestion
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games, installed_games
from companion.service.moment import moment_of
from companion.service.snapshot import Snapshot
from companion.service.view_extensions import ViewContext

INSTALLED: Final[Games] = installed_games()
"""The installed games."""

say: Final = Translator(INSTALLED.packages)
"""Says what the table says in another language."""

PAGE_TEXTS: Final = "web_ui.strings"
"""Where the texts lie that the pages have for every game."""

WORST_CASES: Final = 10
"""Worst cases of the house that are played in each script and each random play."""

Script = Sequence[Record]
"""A hand script: the header, then the commands."""
MATS: Final[Mats] = INSTALLED.mats
"""The mats that they are played on."""

DECKS: Final[Designs] = INSTALLED.decks
"""The kinds of decks that they are played with, and the standard one."""


def new_header(game: str, players: Iterable[tuple[str, int]] = (), options: Options | None = None) -> Header:
    """Return the header of a session of an installed game."""
    return Header(INSTALLED.rules(game), tuple(players), dict(options or {}))


def new_table(game: str, players: Iterable[tuple[str, int]] = (), options: Options | None = None) -> Table:
    """Return a new table at which an installed game is played.

    >>> new_table(next(iter(INSTALLED)), [("Ann", 60), ("Bo", 60)]).position.ledger.balance("Ann")
    60
    """
    return Table(new_header(game, players, options))


def moment_at(table: Table, questions: Sequence[OpenQuestion] = (), camera: str = "ok") -> Moment:
    """Return the moment of a table, for panel and demo.

    Args:
        questions: that are open.
        camera: its status.
    """
    shown = Snapshot(1, 1, 1, "", table.view(), table.situation(), context=ViewContext(table.position.ledger))
    return replace(moment_of(shown), questions=tuple(questions), camera=camera)


def check_game(plugin: GamePlugin, scripts: Iterable[Script], *, seed: int = 1, steps: int = 300) -> None:
    """Check that a game keeps what table, journal and pages rely on, over its scripts and over random play.

    Random play takes commands from all scripts, in any order. A script may hold commands that are refused.

    Args:
        scripts: recorded hands; together they should use every verb of the game.
        seed: of the random play; a failure names it.
        steps: commands tried in each random play.

    Raises:
        AssertionError: what the game does not keep, with the script or seed, and the command.
    """
    recorded = [list(script) for script in scripts]
    assert recorded, f"{plugin.name}: there is no script to play."
    _check_start(plugin)
    _check_pages(plugin)
    pool = [record for script in recorded for record in script[1:]]
    used: dict[str, str | None] = {}
    for number, (header, *records) in enumerate(recorded, start=1):
        _play(plugin, header, records, pool, f"script {number}", used)
        rng = random.Random(seed + number)
        chance = [rng.choice(pool) for _ in range(steps)]
        _play(plugin, header, chance, pool, f"random play, seed {seed + number}", used)
    missing = sorted(verb for verb in plugin.rules.verbs if used.get(verb, "") is not None)
    why = "".join(f" {verb} is refused: {used[verb]}" for verb in missing if used.get(verb))
    assert not missing, f"{plugin.name}: no script or random play ever does {', '.join(missing)}.{why}"


def _check_start(plugin: GamePlugin) -> None:
    rules = plugin.rules
    assert rules.title.strip(), f"{plugin.name} has no title."
    taken = sorted(set(rules.verbs) & set(TABLE_VERBS))
    assert not taken, f"{plugin.name} takes the table's own verbs: {', '.join(taken)}."
    try:
        rules.start((), {"no such option": True})
    except BadScript:
        return
    raise AssertionError(f"{plugin.name} takes an option that it does not have; raise BadScript and name it.")


def _play(
    plugin: GamePlugin,
    header: Record,
    records: Iterable[Record],
    pool: Sequence[Record],
    where: str,
    used: dict[str, str | None],
) -> None:
    """Play commands, checking everything after each; note of each verb why it was refused last, None once done."""
    games = Games((plugin,))
    table = Table(Header.parse(header, games))
    looked_at = 0
    for record in records:
        spot = f"{plugin.name}, {where}, {json.dumps(record)}"
        verb, refused = str(record["do"]), _do(table, record, spot)
        used[verb] = refused if used.get(verb, "") is not None else None
        if refused is not None:
            continue
        _check_position(table, spot)
        _check_view(plugin, table, spot)
        looked_at += looked_at < WORST_CASES and _check_house(plugin, table, spot)
    _check_unexpected(table, pool, f"{plugin.name}, {where}")
    _check_undo(table, f"{plugin.name}, {where}")
    replayed = Table(Header.parse(header, games))
    for record in table.records:
        replayed.do(record)
    assert replayed.position == table.position, f"{plugin.name}, {where}: the same commands lead to another position."


def _do(table: Table, record: Record, spot: str) -> str | None:
    """Do a command and check what the table keeps; return why it was refused, None if it was done."""
    before, expected, worth = table.position, table.expected(), _worth(table)
    try:
        happened = table.do(record)
    except TableError as error:
        assert table.position == before, f"{spot}: it was refused, and something has changed."
        return error.message
    assert record["do"] in expected, f"{spot}: it was accepted, though not expected; expected was {sorted(expected)}."
    assert table.position.hold is None or record["do"] in TABLE_VERBS, f"{spot}: {table.position.hold}."
    if record["do"] not in ("buy-in", "cash-out", "recount", "undo", "redo", "join", "leave", "return"):
        extra = _worth(table) - worth - _bought(happened)
        assert not extra, f"{spot}: {extra:+d} coins came from nowhere."
    _check_results(happened, spot)
    return None


def _bought(happened: Iterable[Effect]) -> int:
    """Return the coins that a game's own command brought to the table, such as a rebuy."""
    moved = (event for event in happened if isinstance(event, Transfer))
    return sum(event.coins for event in moved if event.payer == CAGE and event.why == BUY_IN)


def _worth(table: Table) -> int:
    """All coins at the table, the bank's gain included; only what comes over the cashier's counter changes it."""
    result = table.result()
    return int(sum(result["balances"].values()) + sum(result["pots"].values()) + result["staked"] + result["house"])


def _check_results(happened: Iterable[Effect], spot: str) -> None:
    for event in happened:
        if isinstance(event, Decided):
            result = event.result
            assert "paid" in result or "transfers" in result, f"{spot}: the result names neither paid nor transfers."
            assert _has_gains(event), f"{spot}: {type(event).__name__} does not say the gains."
            json.dumps(to_json(event))


def _has_gains(event: Decided) -> bool:
    return type(event).gains is not Decided.gains


def _check_position(table: Table, spot: str) -> None:
    assert table.position.ledger.total == 0, f"{spot}: the ledger does not sum to zero."
    pack(table.position)  # raises where it could not be kept in a checkpoint
    assert set(table.reasons()) & table.expected() == set(), (
        f"{spot}: a verb is expected, and there is a reason why not."
    )
    json.dumps(table.result())
    if table.records:
        assert table.describe(table.records[-1]).strip(), f"{spot}: the command has no words."


def _check_house(plugin: GamePlugin, table: Table, spot: str) -> bool:
    """The house's worst case costs what it says, when its commands are played; return whether there was one to play.

    What it says is the cost in the end, or the most on the way where some bets are paid before others are lost.
    """
    state = table.situation().state
    house = plugin.house_state(state)
    if plugin.house is None or house is None:
        is_one = hasattr(state, "offers") and hasattr(state, "worst")
        assert not is_one, f"{plugin.name} is played against a house: say house={type(state).__name__} in its plug-in."
        return False
    assert type(state) is plugin.house, f"{plugin.name}: house is {plugin.house.__name__}, not {type(state).__name__}."
    assert all(offer.words.strip() for offer in house.offers), f"{spot}: an offer has no words."
    worst = house.worst
    if worst is None or not worst.commands or worst.commands[0]["do"] not in table.expected():
        return False
    played = Table(table.header)
    for record in table.records:
        played.do(record)
    before, cost = table.result()["house"], []
    for record in worst.commands:
        played.do(record)
        cost.append(before - played.result()["house"])
    due = worst.coins - worst.staked
    way = f"{spot}: {json.dumps(worst.commands)}"
    assert due in (cost[-1], max(cost)), f"{way} costs the house {cost[-1]}, its worst case says {due}."
    return True


def _check_pages(plugin: GamePlugin) -> None:
    """What the pages need lies in the package, and every spot has words."""
    web = plugin.web
    if web is None:
        return
    package = resources.files(web.package)
    assert not web.missing(), (
        f"{plugin.name}: {web.package} has no {', '.join(web.missing())}, which its WebPart names."
    )
    house = plugin.house_state(plugin.rules.start((), {}))
    if web.spot is None or house is None:
        return
    files = (resources.files(PAGE_TEXTS).joinpath("en.json"), package.joinpath("locale", "en.json"))
    texts = {key for file in files if file.is_file() for key in json.loads(file.read_text(encoding="utf-8"))}
    for offer in house.offers:
        asked = _AskedKeys()
        assert web.spot(offer.on, asked).strip(), f"{plugin.name}: {offer.on} has no words."
        missing = [key for key in asked.keys if key not in texts]
        assert not missing, f"{plugin.name}: locale/en.json has no text {', '.join(missing)} for {offer.on}."


class _AskedKeys:
    """Notes which texts are asked for."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def __call__(self, key: str, /, **values: object) -> str:
        self.keys.append(key)
        return key


def _check_view(plugin: GamePlugin, table: Table, spot: str) -> None:
    """The view is what the plug-in says it is: nothing lacks, and nothing else is there."""
    view = table.view()
    written = json.dumps(view)
    shown = json.loads(written)
    assert shown.keys() == view.keys(), f"{spot}: the view is not plain JSON."
    if plugin.view is None:
        return
    try:
        known = dict(_shape(TableView).validate_json(written, strict=True))
        known |= _shape(plugin.view).validate_json(written, strict=True)  # type: ignore[arg-type]  # a class is hashable
    except ValidationError as error:
        raise AssertionError(f"{spot}: the view is no {plugin.view.__name__}: {error}") from error
    more = sorted(key for key, value in shown.items() if key not in known or known[key] != value)
    assert not more, f"{spot}: {plugin.view.__name__} does not have all of {', '.join(more)}."


@cache
def _shape(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _check_unexpected(table: Table, pool: Iterable[Record], where: str) -> None:
    """Nothing outside `expected` is accepted."""
    expected = table.expected()
    for record in pool:
        if record["do"] not in expected:
            _do(table, record, f"{where}, {json.dumps(record)}")


def _check_undo(table: Table, where: str) -> None:
    """Undo goes back to the very start, and redo to the very end."""
    positions = [table.position]
    count = len(table.records)
    for _ in range(count):
        table.do({"do": "undo"})
        positions.append(table.position)
    for number in range(count):
        table.do({"do": "redo"})
        assert table.position == positions[count - 1 - number], f"{where}: redo {number + 1} leads to another position."
