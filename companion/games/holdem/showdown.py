"""Showdown: order of showing and mucking, and the winners of the pots."""

from collections.abc import Mapping, Sequence

from companion.games.holdem.events import HandDecided, HandMucked, HandShown, HandTabled, PotWon, Shown
from companion.games.holdem.hands import best_five, rank_of, strength
from companion.games.holdem.state import Player, Pot, State, in_seat_order
from companion.kernel.game import Effect
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]


def open_showdown(state: State) -> State:
    """Set the first player to show: the last aggressor on the river, else the first left of the button."""
    return changed(state, at=_next_to_show(state.players, state.aggressor or 0))


def _next_to_show(players: Sequence[Player], start: int) -> int | None:
    for place in range(start, start + len(players)):
        player = players[place % len(players)]
        if not (player.folded or player.cards or player.mucked):
            return place % len(players)
    return None


def may_be_tabled(state: State) -> tuple[str, ...]:
    """Return the players who may show before the showdown; empty while betting is still possible."""
    if len([player for player in state.players if player.is_live]) > 1:
        return ()
    return tuple([player.name for player in state.players if not (player.folded or player.cards)])


def table_hand(state: State, name: str, cards: tuple[str, ...]) -> Outcome:
    """Show a player's hole cards early; the showdown then skips this player."""
    players = tuple([changed(p, cards=cards) if p.name == name else p for p in state.players])
    return changed(state, players=players), (HandTabled(name, cards),)


def show(state: State, cards: tuple[str, ...]) -> Outcome:
    """Show the hole cards of the player to act."""
    player = state.actor
    shown = HandShown(player.name, cards, rank_of(strength((*cards, *state.board))))
    return _then(state, changed(player, cards=cards), state.filled, shown)


def muck(state: State) -> Outcome:
    """Muck for the player to act, who gives up every pot that another player still claims."""
    player = state.actor
    pots = tuple([_without(pot, player.name) for pot in state.filled])
    return _then(state, changed(player, mucked=True), pots, HandMucked(player.name))


def _without(pot: Pot, player: str) -> Pot:
    if player not in pot.claims or len(pot.claims) == 1:
        return pot
    return changed(pot, claims=tuple([name for name in pot.claims if name != player]))


def _then(state: State, player: Player, pots: tuple[Pot, ...], said: Effect) -> Outcome:
    """Move on to the next player; end the hand if all have answered or no pot is contested."""
    assert state.at is not None, "somebody has answered"
    players = (*state.players[: state.at], player, *state.players[state.at + 1 :])
    after = changed(state, players=players, filled=pots, at=_next_to_show(players, state.at + 1))
    if after.at is not None and any(len(pot.claims) > 1 for pot in pots):
        return after, (said,)
    decided, paid = finish(after)
    return decided, (said, *paid)


# ---- end of a hand


def finish(state: State) -> Outcome:
    """Pay the pots and clear the table."""
    worth = {player.name: strength((*player.cards, *state.board)) for player in state.players if player.cards}
    in_order = in_seat_order(state.players)
    names = [player.name for player in in_order]
    pots = tuple([_won(pot, worth, state.min_chip, names) for pot in state.filled])
    event = HandDecided(
        state.hand,
        state.button_name or "",
        state.board,
        pots,
        tuple([_shown(player, state.board) for player in in_order if player.cards]),
        tuple([player.name for player in in_order if player.mucked]),
        tuple([(player.name, player.total) for player in in_order]),
    )
    moved = tuple([move for pot in pots for move in pot.moves()])
    return _cleared(state, event), (event, *moved)


def _won(pot: Pot, worth: Mapping[str, int], chip: int, names: Sequence[str]) -> PotWon:
    """Split a pot among its winners in whole chips; the remainder goes to the first winner left of the button.

    Args:
        names: the hand's players in seat order.
    """
    winners = pot.claims
    if len(winners) > 1:
        best = max([worth[name] for name in winners])
        winners = tuple([name for name in winners if worth[name] == best])
    share = pot.coins // (len(winners) * chip) * chip
    odd = pot.coins - share * len(winners)
    in_order = tuple([name for name in names if name in winners]) if len(winners) > 1 else winners
    shares = tuple([(name, share + odd if name == winners[0] else share) for name in in_order])
    return PotWon(pot.name, pot.coins, in_order, shares)


def _shown(player: Player, board: tuple[str, ...]) -> Shown:
    cards = (*player.cards, *board)
    return Shown(player.name, rank_of(strength(cards)), best_five(cards))


def _cleared(state: State, event: HandDecided) -> State:
    cleared = State(state.seats, state.blinds, state.min_chip, state.button, state.hand, decided=event)
    return changed(cleared, ante=state.ante, tour=state.tour) if state.tour else cleared
