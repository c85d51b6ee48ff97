"""Legal verbs of Rochi, and reasons against the others; shared by rules, pages and buttons."""

from collections.abc import Callable
from typing import Final

from companion.games.rochi.board import locked_suits
from companion.games.rochi.commands import VERB_WORDS
from companion.games.rochi.state import MAX_PLAYERS, MIN_PLAYERS, Phase, State
from companion.kernel.errors import NotOffered, TableError, WrongPhase
from companion.kernel.game import free_seat
from companion.kernel.messages import Message, message

VERBS_IN: Final[dict[Phase, frozenset[str]]] = {
    Phase.SEEDING: frozenset({"seed", "last-hand"}),
    Phase.TURNS: frozenset({"play", "deal", "end", "fold", "discard", "last-hand"}),
    Phase.LAST_PLAYER: frozenset({"deal", "last-hand"}),
    Phase.BETWEEN: frozenset({"next-hand", "last-hand", "join", "leave", "sit-out", "return"}),
    Phase.FINISHED: frozenset({"leave", "new-game"}),
}


def refusal(state: State, verb: str) -> TableError | None:
    """Return why a verb is illegal now, regardless of its arguments; None if it is legal."""
    if verb == "discard" and not state.rules.locked_discards:
        return NotOffered.saying("This table does not swap cards of locked suits. Play, deal or fold.")
    if verb not in VERBS_IN[state.phase]:
        return not_now(verb, _now(state))
    check = _CHECKS.get(verb)
    return check(state) if check is not None else None


def not_now(verb: str, why: Message) -> WrongPhase:
    """Return the error that a verb has to wait, with the reason."""
    return WrongPhase.saying("'{verb}' cannot be done now: {why}", verb=VERB_WORDS[verb], why=why)


def _now(state: State) -> Message:
    hand = state.hand
    if state.phase is Phase.SEEDING:
        return seeding_words(hand.to_seed)
    if state.phase is Phase.TURNS:
        return message(
            "a hand is under way and it is {player}'s turn. Play it to its end first, or undo.", player=hand.actor.name
        )
    if state.phase is Phase.LAST_PLAYER:
        return message("only {player} is left. Deal until one of their suits is cut.", player=hand.actor.name)
    if state.phase is Phase.BETWEEN:
        return message("no hand is under way. Begin one with next-hand.")
    return message("the last hand is over and the pots are divided. Begin one with new-game, or undo.")


def seeding_words(left: int) -> Message:
    """Return the reason during seeding."""
    return message("the stacks are being seeded. Seed {count} more first.", count=left)


def has_played_already(player: str) -> WrongPhase:
    """Return the error for a second play in a turn."""
    return WrongPhase.saying("{player} has played a card this turn already. Deal, or say end.", player=player)


def has_dealt_already(player: str) -> WrongPhase:
    """Return the error for a second deal in a turn."""
    return WrongPhase.saying("{player} has dealt a card this turn already. Play one, or say end.", player=player)


def _play(state: State) -> TableError | None:
    hand = state.hand
    if hand.has_played:
        return has_played_already(hand.actor.name)
    if not hand.actor.cards:
        return WrongPhase.saying("{player} has no card left to play. Deal, or say end.", player=hand.actor.name)
    return None


def _deal(state: State) -> TableError | None:
    if state.hand.has_dealt and state.phase is Phase.TURNS:
        return has_dealt_already(state.hand.actor.name)
    return None


def _fold(state: State) -> TableError | None:
    hand = state.hand
    if hand.has_played or hand.has_dealt:
        return WrongPhase.saying(
            "{player} has acted this turn and cannot fold any more. Say end, or undo.", player=hand.actor.name
        )
    return None


def _discard(state: State) -> TableError | None:
    hand = state.hand
    if hand.has_played or hand.has_dealt:
        return WrongPhase.saying("Cards are swapped at the start of a turn only. Go on with the turn, or undo.")
    if not hand.actor.cards:
        return WrongPhase.saying("{player} has no card left to swap. Deal, or say end.", player=hand.actor.name)
    if not locked_suits(hand.stacks):
        return WrongPhase.saying("No suit is locked, so there is nothing to swap. Play, deal or fold.")
    return None


def _next_hand(state: State) -> TableError | None:
    if len(state.present) < MIN_PLAYERS:
        return WrongPhase.saying(
            "A hand needs three players, {here} are here. Wait until others join or return.", here=len(state.present)
        )
    return None


def _last_hand(state: State) -> TableError | None:
    if state.is_last:
        return WrongPhase.saying("The last hand has been called already. Play it, or undo.")
    return None


def _join(state: State) -> TableError | None:
    if free_seat(state.seats) > MAX_PLAYERS:
        return NotOffered.saying("All six seats are taken. Somebody has to leave first.")
    return None


def _leave(state: State) -> TableError | None:
    return None if state.seats else WrongPhase.saying("Nobody sits here.")


def _sit_out(state: State) -> TableError | None:
    return None if state.present else WrongPhase.saying("Nobody is here to sit out.")


def _return(state: State) -> TableError | None:
    return None if state.away else WrongPhase.saying("Nobody sits out, so nobody can return.")


_CHECKS: Final[dict[str, Callable[[State], TableError | None]]] = {
    "play": _play,
    "deal": _deal,
    "fold": _fold,
    "discard": _discard,
    "next-hand": _next_hand,
    "last-hand": _last_hand,
    "join": _join,
    "leave": _leave,
    "sit-out": _sit_out,
    "return": _return,
}
