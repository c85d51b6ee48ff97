"""Public table view, and the ``state`` object of the API."""

from collections.abc import Iterator, Mapping

from companion.games.holdem.betting import least_raise, may_raise, missing
from companion.games.holdem.hands import rank_of, strength
from companion.games.holdem.shapes import HoldemView, PlayerJson, SizeId, SizeJson
from companion.games.holdem.state import BETTING, Phase, Player, State, in_seat_order
from companion.kernel.messages import Message, message


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object."""
    players = in_seat_order(state.players)
    return {
        "button": state.button_name,
        "turn": state.turn,
        "board": list(state.board),
        "bets": {stake.player: stake.amount for stake in state.stakes},
        "bet": state.bet,
        "raise_to": least_raise(state) if state.phase in BETTING else None,
        "folded": [player.name for player in players if player.folded],
        "all_in": [player.name for player in players if not player.coins and not player.folded],
        "shown": {player.name: list(player.cards) for player in players if player.cards},
    }


def view(state: State) -> HoldemView:
    """Return hold'em's part of the table view."""
    decided, is_betting = state.decided, state.phase in BETTING
    small, big = _blinds_at(state)
    stakes = sum(player.stake for player in state.players)
    return {
        "prompt": prompt(state),
        "turn": state.turn,
        "hand": state.hand,
        "button": state.button_name,
        "small_blind": small,
        "big_blind": big,
        "blinds": list(state.blinds),
        "min_chip": state.min_chip,
        "in_hand": [_player_json(state, player) for player in in_seat_order(state.players)],
        "board": list(state.board),
        "bet": state.bet,
        "raise_to": least_raise(state) if is_betting else None,
        "to_call": missing(state, state.actor) if is_betting else 0,
        "sizes": list(sizes_now(state)) if is_betting else [],
        "total": stakes + sum(pot.coins for pot in state.filled),
        "open_pots": [{"pot": pot.name, "coins": pot.coins, "claims": list(pot.claims)} for pot in state.filled],
        "result": decided.result if decided else None,
        "summary": decided.sentence if decided else None,
    }


def _blinds_at(state: State) -> tuple[str | None, str | None]:
    """Return the names of the small and the big blind in this hand."""
    names = [player.name for player in state.players]
    if not names:
        return None, None
    return (names[1], names[0]) if len(names) == 2 else (names[0], names[1])


def _player_json(state: State, player: Player) -> PlayerJson:
    is_dealt = state.phase is not Phase.HOLE or state.players.index(player) < (state.at or 0)
    return {
        "player": player.name,
        "stake": player.stake,
        "total": player.total,
        "folded": player.folded,
        "all_in": not player.coins and not player.folded,
        "dealt": is_dealt,
        "cards": list(player.cards),
        "rank": rank_of(strength((*player.cards, *state.board))) if player.cards and state.board else None,
        "mucked": player.mucked,
    }


def sizes_now(state: State) -> Iterator[SizeJson]:
    """Yield preset bets or raises, from the minimum to all-in."""
    player = state.actor
    everything = player.stake + player.coins
    if everything <= state.bet or not may_raise(state, player):
        return
    pot = sum(p.stake for p in state.players) + sum(p.coins for p in state.filled) + state.bet - player.stake
    wanted: tuple[tuple[SizeId, int], ...] = (("least", 0), ("half", pot // 2), ("pot", pot))
    last = 0
    for size, over in wanted:
        to = max(least_raise(state), (state.bet + over) // state.min_chip * state.min_chip)
        if last < to < everything:
            yield {"size": size, "to": to}
            last = to
    yield {"size": "all-in", "to": everything}


def prompt(state: State) -> Message:
    """Return the dealer's next step."""
    if state.phase in BETTING:
        coins = missing(state, state.actor)
        if coins:
            return message("{player}: {coins} to call", player=state.actor.name, coins=coins)
        return message("{player}: check or bet", player=state.actor.name)
    if state.phase is Phase.HOLE:
        return message("Two cards for {player}", player=state.actor.name)
    if state.phase is Phase.SHOWDOWN:
        return message("{player} shows or mucks", player=state.actor.name)
    return _PROMPTS.get(state.phase, _PROMPTS[Phase.READY])


_PROMPTS: Mapping[Phase, Message] = {
    Phase.READY: message("Move the button and put the blinds in"),
    Phase.DEAL_FLOP: message("Deal the flop: three cards"),
    Phase.DEAL_TURN: message("Deal the turn: one card"),
    Phase.DEAL_RIVER: message("Deal the river: one card"),
}
