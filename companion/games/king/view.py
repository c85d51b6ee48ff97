"""Views of King of Roulette: public, one player's own secrets, and the API's ``state`` object."""

from collections.abc import Mapping, Sequence

from companion.games.king.shapes import KingSecrets, KingView, ReadyJson, RuleJson
from companion.games.king.spaces import SPACES, Rule
from companion.games.king.state import MIN_PLAYERS, Phase, State, highest, price, range_points, ranges
from companion.kernel.messages import Message, joined, linked, listed, message, plural


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object, without secrets."""
    return {
        "round": state.round,
        "king": state.king,
        "points": _points(state),
        "bonuses": {player.name: player.bonuses for player in state.players},
        "voted": _voted(state),
        "ready": _ready(state),
        "tied": list(state.tied),
    }


def public(state: State) -> KingView:
    """Return the public view."""
    n = len(state.players)
    return {
        "prompt": _prompt(state),
        "round": state.round,
        "all_rounds": state.rounds,
        "king": state.king,
        "spaces": list(SPACES),
        "ranges": [{"range": one, "points": range_points(one, n)} for one in ranges(n)],
        "points": _points(state),
        "bonuses": {player.name: player.bonuses for player in state.players},
        "prices": {player.name: price(player) for player in state.players},
        "voted": _voted(state),
        "vote_tied": state.vote_tied,
        "ready": _ready(state),
        "waiting": list(waiting_for(state)),
        "tied": list(state.tied),
        "revealed": {**state.revealed.result, "rule": _rule(state.revealed.rule)} if state.revealed else None,
        "final": state.ended.result if state.ended else None,
        "choosing": list(highest(state.players)) if state.phase is Phase.CHOOSE else [],
    }


def secrets_of(state: State, name: str) -> KingSecrets:
    """Return one player's own secrets."""
    player, is_king = state.player(name), name == state.king
    return {
        "vote": player.vote,
        "space": player.space,
        "uses_bonus": player.uses_bonus,
        "rule": _rule(state.rule) if is_king and state.rule else None,
        "guess": state.guess if is_king else None,
    }


def waiting_for(state: State) -> Sequence[str]:
    """Return the players with a pending secret choice, or the king during an election."""
    if state.phase is Phase.VOTE:
        return [player.name for player in state.players if player.vote is None]
    if state.phase is Phase.SUCCESSION:
        return [str(state.king)]
    if state.phase is not Phase.ROUND:
        return []
    is_king_done = state.rule is not None and state.guess is not None
    return [p.name for p in state.players if (not is_king_done if p.name == state.king else p.space is None)]


def _rule(rule: Rule) -> RuleJson:
    """Return a rule; words that are the program's are said in the reader's language."""
    return {"text": rule.words, "one": list(rule.one), "two": rule.two}


def _points(state: State) -> dict[str, int]:
    return {player.name: player.points for player in state.players}


def _voted(state: State) -> list[str]:
    return [player.name for player in state.players if player.vote is not None]


def _ready(state: State) -> ReadyJson:
    bets = [player.name for player in state.players if player.space is not None]
    return {"rule": state.rule is not None, "guess": state.guess is not None, "bets": bets}


def _prompt(state: State) -> Message:
    """Return the dealer's next step."""
    waiting = waiting_for(state)
    match state.phase:
        case Phase.VOTE if len(state.players) < MIN_PLAYERS:
            return message("Let {n} players or more sit down", n=MIN_PLAYERS)
        case Phase.VOTE if state.vote_tied:
            return message("The vote was tied. Vote again: waiting for {players}", players=joined(waiting))
        case Phase.VOTE:
            return message("Vote for the first king: waiting for {players}", players=joined(waiting))
        case Phase.ROUND if waiting:
            return message("Round {round}: waiting for {players}", round=state.round, players=joined(waiting))
        case Phase.ROUND:
            return message("Round {round}: all is in. Reveal it", round=state.round)
        case Phase.SUCCESSION:
            return message("{king} elects the next king: one of {tied}", king=str(state.king), tied=listed(state.tied))
        case Phase.CHOOSE:
            choosing = highest(state.players)
            return plural(
                "{players} chooses the Elimination Candidate: one of {tied}",
                "{players} choose the Elimination Candidate: one of {tied}",
                len(choosing),
                players=linked(choosing),
                tied=listed(state.tied),
            )
        case Phase.OVER:
            return message("The game is over. Begin a new one")
    raise AssertionError(f"no prompt for {state.phase}")
