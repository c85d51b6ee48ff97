"""When each verb of Captain's Rochi can be done, and if not, why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.games.rochi.captains.state import PLAYERS, Phase, State
from companion.kernel.errors import DeckEmpty, NothingDone, NotOffered, TableError, WrongPhase

VERBS_IN: Final[dict[Phase, frozenset[str]]] = {
    Phase.SEEDING: frozenset({"seed", "stop", "drop"}),
    Phase.TURNS: frozenset({"play", "deal", "end", "pass", "stop", "drop"}),
    Phase.ODD_COIN: frozenset({"odd-coin"}),
    Phase.WAITING: frozenset({"new-game", "join", "leave"}),
    Phase.FINISHED: frozenset({"new-game", "join", "leave"}),
}


def refusal(state: State, verb: str) -> TableError | None:
    """Return why a verb cannot be done now, whatever else it says; None if it can."""
    if verb not in VERBS_IN[state.phase]:
        return WrongPhase(f"{verb!r} cannot be done now: {_now(state)}")
    check = _CHECKS.get(verb)
    return check(state) if check is not None else None


def _now(state: State) -> str:
    if state.phase is Phase.SEEDING:
        return f"the stacks are being seeded. Seed {state.to_seed} more first."
    if state.phase is Phase.TURNS:
        return f"it is {state.actor}'s turn. Play it to its end first, or undo."
    if state.cut is not None:
        return f"{state.cut.loser} owes the odd coin. Say which pot it goes into."
    if state.phase is Phase.WAITING:
        return "no game is under way. Begin one with new-game when two players sit here."
    return "the game is over and the pots are shared out. Begin a new one with new-game, or undo."


def _play(state: State) -> TableError | None:
    if state.has_played:
        return WrongPhase(f"{state.actor} has played a card this turn already. Deal, or say end.")
    if not state.cards[state.turn]:
        return WrongPhase(f"{state.actor} has no card left to play. Deal, pass or say end.")
    return None


def _deal(state: State) -> TableError | None:
    if state.is_first_turn:
        return WrongPhase(
            f"{state.actor} may not deal on the first turn of the game. Play a card and say end, or pass."
        )
    if state.has_dealt:
        return WrongPhase(f"{state.actor} has dealt a card this turn already. Play one, or say end.")
    if not state.deck:
        return DeckEmpty("The deck and the discards are empty, so nothing can be dealt. Play a card, say end, or pass.")
    return None


def _end(state: State) -> TableError | None:
    if not state.has_played and not state.has_dealt:
        return NothingDone(f"{state.actor} has done nothing yet. Play or deal first, or pass.")
    return None


def _pass(state: State) -> TableError | None:
    if state.has_played or state.has_dealt:
        return WrongPhase(f"{state.actor} has acted this turn and cannot pass any more. Say end, or undo.")
    return None


def _new_game(state: State) -> TableError | None:
    if len(state.seats) != PLAYERS:
        return WrongPhase(f"Captain's Rochi needs two players, {_seated(state)}. Wait until somebody joins.")
    return None


def _join(state: State) -> TableError | None:
    if len(state.seats) >= PLAYERS:
        return NotOffered("Both seats are taken. Somebody has to leave first, or play rochi with 3 to 6.")
    return None


def _leave(state: State) -> TableError | None:
    return None if state.seats else WrongPhase("Nobody sits here.")


def _seated(state: State) -> str:
    return "only one sits here" if state.seats else "nobody sits here"


_CHECKS: Final[dict[str, Callable[[State], TableError | None]]] = {
    "play": _play,
    "deal": _deal,
    "end": _end,
    "pass": _pass,
    "new-game": _new_game,
    "join": _join,
    "leave": _leave,
}
