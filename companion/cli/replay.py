"""``companion replay``: plays hand scripts through the table's own rules and ledger."""

import json
from functools import partial
from pathlib import Path
from typing import Final

import click

from companion.cli.options import json_option, with_games
from companion.journal.replay import without_gc
from companion.kernel.errors import BadScript
from companion.kernel.events import WonJson
from companion.kernel.script import Replay, replay
from companion.kernel.table import TableResult, error_json
from companion.kernel.words import win_words
from companion.plugins.registry import Games

_LONGEST_LINE: Final = 1 << 20
"""Characters. Longer lines are cut, which makes them invalid JSON, so that an endless device cannot exhaust memory."""


@click.command(name="replay")
@click.argument("scripts", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True, readable=False))
@json_option
@with_games
def command(games: Games, scripts: tuple[Path, ...], as_json: bool) -> int:
    """Play hand SCRIPTs and print their results; - reads standard input.

    The scripts are independent: an error in one does not stop the next. Exit code 2 if any had an error.
    """
    code = 0
    for path in scripts:
        played = _replay_file(path, games)
        code = code if played.is_complete else 2
        if as_json:
            click.echo(json.dumps(played.result))  # ASCII, as a name may contain a line separator
        else:
            click.echo(_for_people(path, played.result))
        if (problem := played.result["error"]) is not None:
            click.echo(f"companion: {path}, line {problem['line']}: {problem['message']}", err=True)
    return code


def _replay_file(path: Path, games: Games) -> Replay:
    try:
        # Invalid UTF-8 must only invalidate its own line, so that the lines before it are played.
        with click.open_file(str(path), encoding="utf-8", errors="surrogateescape") as file, without_gc():
            return replay(iter(partial(file.readline, _LONGEST_LINE), ""), games)
    except OSError as error:
        problem = BadScript(f"The script cannot be read: {error.strerror}. Check the path.")
        return Replay({**replay((), games).result, "error": error_json(problem, 1)})


def _outcome(paid: WonJson) -> str:
    """Return a bet's outcome. Without ``returned``, a result does not tell whether a bet that won nothing came back."""
    back = paid.get("returned", paid["amount"] if paid["won"] else 0)
    return win_words(paid["won"], back) if back else "won 0"


def _for_people(path: Path, result: TableResult) -> str:
    lines = [f"{path}: {result['game'] or 'nothing played'}, {result['phase'] or 'no table'}"]
    for number, decided in enumerate(result["results"], start=1):
        what = ", ".join(f"{key} {value}" for key, value in decided.items() if not isinstance(value, list))
        lines.append(f"  {number}. {what}")
        lines += [f"     {p['player']} {p['on']} {p['amount']}: {_outcome(p)}" for p in decided.get("paid", ())]
        moved = decided.get("transfers", ())
        lines += [f"     {t['from']} to {t['to']}: {t['coins']} ({t['why']})" for t in moved]
    balances = ", ".join(f"{name} {coins}" for name, coins in result["balances"].items())
    lines.append(f"  coins: {balances or 'none'}; house {result['house']:+d}; staked {result['staked']}")
    if result["pots"]:
        lines.append("  pots: " + ", ".join(f"{suit}: {coins}" for suit, coins in result["pots"].items()))
    return "\n".join(lines)
