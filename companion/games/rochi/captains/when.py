"""Legal verbs of Captain's Rochi, and reasons against the others."""

from collections.abc import Callable
from typing import Final

from companion.games.rochi.captains.state import PLAYERS, Phase, State
from companion.games.rochi.when import has_dealt_already, has_played_already, not_now, seeding_words
from companion.kernel.errors import DeckEmpty, NothingDone, NotOffered, TableError, WrongPhase
from companion.kernel.messages import Message, message

VERBS_IN: Final[dict[Phase, frozenset[str]]] = {
    Phase.SEEDING: frozenset({"seed", "stop", "drop"}),
    Phase.TURNS: frozenset({"play", "deal", "end", "pass", "stop", "drop"}),
    Phase.ODD_COIN: frozenset({"odd-coin"}),
    Phase.WAITING: frozenset({"new-game", "join", "leave"}),
    Phase.FINISHED: frozenset({"new-game", "join", "leave"}),
}


def refusal(state: State, verb: str) -> TableError | None:
    """Return why a verb is illegal now, regardless of its arguments; None if it is legal."""
    if verb not in VERBS_IN[state.phase]:
        return not_now(verb, _now(state))
    check = _CHECKS.get(verb)
    return check(state) if check is not None else None


def _now(state: State) -> Message:
    if state.phase is Phase.SEEDING:
        return seeding_words(state.to_seed)
    if state.phase is Phase.TURNS:
        return message("it is {player}'s turn. Play it to its end first, or undo.", player=state.actor)
    if state.cut is not None:
        return message("{player} owes the odd coin. Say which pot it goes into.", player=state.cut.loser)
    if state.phase is Phase.WAITING:
        return message("no game is under way. Begin one with new-game when two players sit here.")
    return message("the game is over and the pots are shared out. Begin a new one with new-game, or undo.")


def _play(state: State) -> TableError | None:
    if state.has_played:
        return has_played_already(state.actor)
    if not state.cards[state.turn]:
        return WrongPhase.saying("{player} has no card left to play. Deal, pass or say end.", player=state.actor)
    return None


def _deal(state: State) -> TableError | None:
    if state.is_first_turn:
        return WrongPhase.saying(
            "{player} may not deal on the first turn of the game. Play a card and say end, or pass.", player=state.actor
        )
    if state.has_dealt:
        return has_dealt_already(state.actor)
    if not state.deck:
        return DeckEmpty.saying(
            "The deck and the discards are empty, so nothing can be dealt. Play a card, say end, or pass."
        )
    return None


def _end(state: State) -> TableError | None:
    if not state.has_played and not state.has_dealt:
        return NothingDone.saying("{player} has done nothing yet. Play or deal first, or pass.", player=state.actor)
    return None


def _pass(state: State) -> TableError | None:
    if state.has_played or state.has_dealt:
        return WrongPhase.saying(
            "{player} has acted this turn and cannot pass any more. Say end, or undo.", player=state.actor
        )
    return None


def _new_game(state: State) -> TableError | None:
    if len(state.seats) == PLAYERS:
        return None
    if state.seats:
        return WrongPhase.saying("Captain's Rochi needs two players, only one sits here. Wait until somebody joins.")
    return WrongPhase.saying("Captain's Rochi needs two players, nobody sits here. Wait until somebody joins.")


def _join(state: State) -> TableError | None:
    if len(state.seats) >= PLAYERS:
        return NotOffered.saying("Both seats are taken. Somebody has to leave first, or play Rochi with 3 to 6.")
    return None


def _leave(state: State) -> TableError | None:
    return None if state.seats else WrongPhase.saying("Nobody sits here.")


_CHECKS: Final[dict[str, Callable[[State], TableError | None]]] = {
    "play": _play,
    "deal": _deal,
    "end": _end,
    "pass": _pass,
    "new-game": _new_game,
    "join": _join,
    "leave": _leave,
}
