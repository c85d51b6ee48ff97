"""Rules of no-limit Texas hold'em with table stakes.

A human dealer deals; players bet by voice, phone or buttons. Hole cards are unknown until shown, mucked cards forever.
Source: the rule book's chapter on poker, with the house rulings.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.holdem import audit as second_settlement
from companion.games.holdem.betting import act, ask, check_turn, may_go_all_in, may_raise, missing, put_in
from companion.games.holdem.commands import (
    AllIn,
    BetTo,
    Board,
    Call,
    Check,
    Fold,
    Hole,
    Muck,
    Post,
    RaiseTo,
    Show,
    TableHand,
)
from companion.games.holdem.events import AntesPosted, BigBlindsAnte, BoardDealt, HandBegan, HoleDealt
from companion.games.holdem.pots import ANTE, collect
from companion.games.holdem.shapes import HoldemView
from companion.games.holdem.showdown import may_be_tabled, muck, show, table_hand
from companion.games.holdem.state import (
    AFTER,
    BETTING,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TITLE,
    Phase,
    Player,
    Pot,
    State,
    clockwise,
    started,
)
from companion.games.holdem.view import facts, view
from companion.games.holdem.words import COMMANDS, pot_name
from companion.games.standard_cards import is_card
from companion.kernel.accounts import Account
from companion.kernel.commands import CASHIER, Command, Join, Leave, verbs
from companion.kernel.errors import BadScript, CardSeen, NotEnoughCoins, NotOffered, UnknownCard, WrongPhase
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared.seating import sit_down, stand_up
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]

_ACTIONS: Final = frozenset(kind.verb for kind in (Check, Call, BetTo, RaiseTo, Fold, AllIn))
_SEATING: Final = frozenset({"join", "leave"})
_BOARD: Final = {Phase.DEAL_FLOP: 3, Phase.DEAL_TURN: 1, Phase.DEAL_RIVER: 1}
_VERBS_IN: Final[Mapping[Phase, frozenset[str]]] = {
    Phase.READY: _SEATING | {"post"},
    Phase.HOLE: frozenset({"hole"}),
    Phase.SHOWDOWN: frozenset({"show", "muck"}),
    Phase.BREAK: _SEATING,
    Phase.OVER: frozenset({"leave"}),
    **dict.fromkeys(BETTING, _ACTIONS),
    **dict.fromkeys(_BOARD, frozenset({"board", "table"})),
}
_WHY_NOT: Final[Mapping[Phase, Message]] = {
    Phase.READY: message("This has to wait: no hand is under way. Put the blinds in first."),
    Phase.HOLE: message("This has to wait: the two cards are being dealt."),
    Phase.SHOWDOWN: message("This has to wait: the hands are being shown."),
    **dict.fromkeys(BETTING, message("This has to wait: a betting round is under way.")),
    **dict.fromkeys(_BOARD, message("This has to wait: deal the board cards first.")),
}


BLINDS_TO_BRING: Final = 40
"""The usual buy-in, in big blinds."""


class Holdem(BaseGame):
    """The rules of hold'em; see `companion.kernel.game.Game`."""

    name = "holdem"
    title = TITLE
    empty_text = False
    min_players = MIN_PLAYERS
    verbs = verbs(Post, Check, Call, Fold, AllIn, Hole, BetTo, RaiseTo, Board, TableHand, Show, Muck, Join, Leave)
    own_words = COMMANDS
    rounds = Rounds("hand", begin_with=frozenset({"post"}), can_misdeal=True)
    to_finish: ClassVar[str] = message("play the hand to its end")

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return started(seats, options)

    def pot_name(self, pot: int | str) -> str:
        return pot_name(str(pot))

    def usual_buy_in(self, state: State) -> int:
        return BLINDS_TO_BRING * state.blinds[1]

    def expected(self, state: State) -> frozenset[str]:
        if state.phase in BETTING:
            return _offered(state)
        if state.phase is Phase.READY and len(state.seats) < MIN_PLAYERS:
            return _SEATING
        if state.phase in _BOARD and not may_be_tabled(state):
            return frozenset({"board"})
        return _VERBS_IN[state.phase]

    def cashier(self, state: State) -> frozenset[str]:
        return CASHIER if state.phase is Phase.READY else frozenset()

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase]

    def unfinished(self, state: State) -> Message | None:
        return None if state.phase is Phase.READY else message("a hand is under way")

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        verb = command.verb
        if verb not in _VERBS_IN[state.phase]:
            raise WrongPhase(_WHY_NOT[state.phase])
        if verb in _ACTIONS:
            return act(state, command)
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return second_settlement.differences(before, command, happened, ledger)

    def smallest_chip(self, state: State) -> int:
        return state.min_chip

    def view(self, state: State) -> HoldemView:
        return view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return facts(state)


def _offered(state: State) -> frozenset[str]:
    """Return the verbs offered to the player to act."""
    player = state.actor
    offered = {"fold", "call" if missing(state, player) else "check"}
    if may_raise(state, player) and player.stake + player.coins > state.bet:
        offered.add("raise" if state.bet else "bet")
    if may_go_all_in(state, player):
        offered.add("all-in")
    return frozenset(offered)


# ---- start of a hand


def _post(state: State, command: Post, ledger: Ledger) -> Outcome:
    able = [seat for seat in state.seats if ledger.balance(seat.player) > 0]
    if len(able) < MIN_PLAYERS:
        raise NotEnoughCoins.saying("A hand needs two players with coins. Let somebody buy in first.")
    first = state.button - 1 if state.hand == 0 else state.button
    button = clockwise(able, first)[0].number
    dealt = [Player(s.player, s.number, ledger.balance(s.player)) for s in clockwise(able, button)]
    begun, antes = _with_antes(changed(state, button=button, hand=state.hand + 1), dealt)
    return _with_blinds(begun, antes)


def _with_antes(state: State, dealt: list[Player]) -> Outcome:
    """Post everybody's ante into the pot. Antes do not count as bets; an unmatched excess is returned at once."""
    if not state.ante or _is_for_all(state):
        return changed(state, players=tuple(dealt)), ()
    put = [put_in(player, min(state.ante, player.coins)) for player in dealt]
    collected, moved = collect(changed(state, players=tuple([player for player, _ in put])))
    said = AntesPosted(state.ante, sum([pot.coins for pot in collected.filled]))
    return collected, (said, *(move for _, moves in put for move in moves), *moved)


def _with_blinds(state: State, antes: tuple[Effect, ...]) -> Outcome:
    dealt = list(state.players)
    small = len(dealt) - 1 if len(dealt) == 2 else 0  # heads-up, the button posts the small blind
    big = (small + 1) % len(dealt)
    coins = {small: min(state.blinds[0], dealt[small].coins), big: min(state.blinds[1], dealt[big].coins)}
    moved: list[Effect] = []
    for place, amount in coins.items():
        dealt[place], move = put_in(dealt[place], amount)
        moved += move
    began = HandBegan(state.hand, str(state.button_name), dealt[small].name, coins[small], dealt[big].name, coins[big])
    after = changed(state, phase=Phase.HOLE, players=tuple(dealt), at=0, decided=None)
    if _is_for_all(state):
        after, antes = _with_big_blinds_ante(after, big)
        return after, (began, *moved, *antes)
    return after, (began, *antes, *moved)


def _is_for_all(state: State) -> bool:
    """Whether the table plays with a big blind ante."""
    return state.tour is not None and state.tour.big_blind_ante


def _with_big_blinds_ante(state: State, big: int) -> Outcome:
    """Post the big blind ante into the main pot as dead money, at most what the player has left after the blind."""
    payer = state.players[big]
    dead = min(state.ante, payer.coins)
    if not dead:
        return state, ()
    pays = changed(payer, coins=payer.coins - dead, dead=dead)
    players = tuple([pays if player is payer else player for player in state.players])
    main = Pot("main", dead, tuple([player.name for player in players]))
    move = Transfer(Account.player(payer.name), Account.pot(main.name), dead, ANTE)
    return changed(state, players=players, filled=(main,)), (BigBlindsAnte(payer.name, dead), move)


def _hole(state: State, command: Hole, ledger: Ledger) -> Outcome:
    check_turn(state, command.player)
    assert state.at is not None, "somebody gets cards"
    dealt = HoleDealt(command.player)
    if state.at + 1 < len(state.players):
        return changed(state, at=state.at + 1), (dealt,)
    first = 2 % len(state.players) if len(state.players) > 2 else 1
    big = state.blinds[1]
    return ask(changed(state, phase=Phase.PREFLOP, bet=big, step=big), first, (dealt,))


# ---- cards


def _check_new(state: State, cards: Sequence[str]) -> None:
    """Raise unless these are known cards that were not seen in this hand yet.

    Raises:
        UnknownCard: there is no such card.
        CardSeen: the card is on the board, in a shown hand, or named twice.
    """
    for card in cards:
        if not is_card(card):
            raise UnknownCard.saying("There is no card {card}. Say one like AS or TD.", card=repr(card))
    seen = [*state.board, *(card for player in state.players for card in player.cards)]
    for card in cards:
        if card in seen:
            raise CardSeen.saying("{card} was seen in this hand already. Check the card.", card=card)
        seen.append(card)


def _board(state: State, command: Board, ledger: Ledger) -> Outcome:
    wanted = _BOARD[state.phase]
    if len(command.cards) != wanted:
        raise BadScript.saying("{wanted} board cards come now, got {count}.", wanted=wanted, count=len(command.cards))
    cards = tuple(command.cards)
    _check_new(state, cards)
    board = (*state.board, *cards)
    after = changed(state, phase=AFTER[state.phase], board=board, bet=0, step=state.blinds[1], aggressor=None)
    return ask(after, 0, (BoardDealt(cards, board),))


def _table(state: State, command: TableHand, ledger: Ledger) -> Outcome:
    may = may_be_tabled(state)
    if not may:
        raise NotOffered.saying("There is still betting to come: hands stay face down.")
    if seat_of(state.seats, command.player).player not in may:
        raise NotOffered.saying("{player} has no cards to turn up now.", player=command.player)
    _check_new(state, command.cards)
    return table_hand(state, command.player, tuple(command.cards))


def _show(state: State, command: Show, ledger: Ledger) -> Outcome:
    check_turn(state, command.player)
    _check_new(state, command.cards)
    return show(state, tuple(command.cards))


def _muck(state: State, command: Muck, ledger: Ledger) -> Outcome:
    check_turn(state, command.player)
    return muck(state)


# ---- joining and leaving


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    if len(state.seats) >= MAX_PLAYERS:
        raise NotOffered.saying("The table is full: {most} players sit here.", most=MAX_PLAYERS)
    seats, happened = sit_down(state.seats, command)
    return changed(state, seats=seats), happened


def _leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    seats, happened = stand_up(state.seats, command, ledger, has_stakes=False)
    return changed(state, seats=seats), happened


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Post: _post,
    Hole: _hole,
    Board: _board,
    TableHand: _table,
    Show: _show,
    Muck: _muck,
    Join: _join,
    Leave: _leave,
}
