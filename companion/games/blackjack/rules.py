"""Rules of blackjack.

Each bet gets two cards, the dealer one face up and one face down, without a peek. Players act in seat order, hand by
hand; then the dealer turns the hole card and draws by the house rule. Source: the blackjack chapter of the casino set's
booklet, with the rulings on it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.blackjack import audit as second_settlement
from companion.games.blackjack.commands import (
    DEALER,
    NOBODY,
    ONLY,
    Bet,
    Deal,
    DealerHit,
    Double,
    Hit,
    Hole,
    Insure,
    OfTurn,
    Reveal,
    Split,
    Stand,
    Surrender,
    TakeBack,
)
from companion.games.blackjack.events import (
    BoxBet,
    BoxBetTakenBack,
    DealerCard,
    DealerTurned,
    Doubled,
    HandSplit,
    HoleDealt,
    Insured,
    PlayerCard,
    RoundDecided,
    Stood,
    Surrendered,
)
from companion.games.blackjack.hands import MAX_TOTAL, Box, End, Hand, end_of_split, is_blackjack, total
from companion.games.blackjack.settlement import (
    BACK,
    HALF,
    INSURED,
    LOST,
    STAKED,
    blackjack_pays,
    half_of,
    insurance_of,
    must_draw,
    payments,
    settle,
    stake_of,
)
from companion.games.blackjack.shapes import BlackjackView
from companion.games.blackjack.state import (
    MAX_HANDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TITLE,
    Phase,
    Place,
    Rules,
    State,
    check_name,
    choices,
    may_insure,
    started,
)
from companion.games.blackjack.view import facts, view
from companion.games.blackjack.words import COMMANDS
from companion.games.standard_cards import is_card
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Command, Join, Leave, verbs
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    CardSeen,
    NothingDone,
    NotOffered,
    NotYourTurn,
    Outdated,
    UnknownCard,
    WrongPhase,
)
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer, checked_coins
from companion.kernel.messages import Message, message
from companion.kernel.shared import banked as house
from companion.kernel.shared import seating
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]

_SEATING: Final = frozenset({"join", "leave"})
_OF_TURN: Final = frozenset({"hit", "stand", "double", "split", "surrender"})
_VERBS_IN: Final[Mapping[Phase, frozenset[str]]] = {
    Phase.BETTING: frozenset({"bet", "take-back", "deal"}) | _SEATING,
    Phase.DEALING: frozenset({"deal", "hole"}) | _SEATING,
    Phase.PLAYING: _OF_TURN | {"insure"} | _SEATING,
    Phase.REVEAL: frozenset({"insure", "reveal"}) | _SEATING,
    Phase.DEALER: frozenset({"dealer-hit"}) | _SEATING,
}
"""Phase -> verbs; ``playing`` includes `deal` for the second card of a split hand."""
_PHASES_OF: Final = {
    verb: tuple(phase for phase in Phase if verb in _VERBS_IN[phase]) for verb in frozenset().union(*_VERBS_IN.values())
}
_WHY_NOT: Final[Mapping[Phase, Message]] = {
    Phase.BETTING: message("This has to wait: bets are open. Deal the first card to close them."),
    Phase.DEALING: message("This has to wait: deal everybody two cards, and the dealer one and a face-down one."),
    Phase.PLAYING: message("This has to wait: the players decide first, hand by hand."),
    Phase.REVEAL: message("This has to wait: turn the dealer's face-down card."),
    Phase.DEALER: message("This has to wait: the dealer draws."),
}


_A_BET: Final = message("a bet")
_A_HAND: Final = message("a hand")


class Blackjack(BaseGame):
    """Rules of blackjack; see `companion.kernel.game.Game`."""

    name = "blackjack"
    title = TITLE
    min_players = MIN_PLAYERS
    empty_text = False
    rounds = Rounds(begin_with=frozenset(), follow_on=True)
    to_finish: ClassVar[str] = message("play the round to its end or take the bets back")
    verbs = verbs(
        Hole, Stand, Surrender, Bet, TakeBack, Deal, Hit, Double, Split, Insure, Reveal, DealerHit, Join, Leave
    )
    own_words = COMMANDS

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        return started(seats, options)

    def usual_buy_in(self, state: State) -> int:
        return state.rules.limits.usual_buy_in

    def expected(self, state: State) -> frozenset[str]:
        insurance = {"insure"} if may_insure(state) else set[str]()
        if state.phase is Phase.PLAYING:
            return _SEATING | insurance | set(choices(state) or ("deal",))
        over = {"hole"} if state.has_hole else set[str]()
        return _VERBS_IN[state.phase] - {"insure"} - over | insurance

    def why_not(self, state: State) -> Message:
        return _WHY_NOT[state.phase]

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if state.phase not in _PHASES_OF[command.verb] and not _is_second_card(state, command):
            raise WrongPhase(_WHY_NOT[state.phase])
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return second_settlement.differences(before, command, happened)

    def unfinished(self, state: State) -> Message | None:
        return None if state.phase is Phase.BETTING else message("the cards on the table")

    def view(self, state: State) -> BlackjackView:
        return view(state)

    def facts(self, state: State) -> Mapping[str, object]:
        return facts(state)


def _is_second_card(state: State, command: Command) -> bool:
    hand = state.hand
    return type(command) is Deal and hand is not None and hand.is_waiting


# ---- betting


def _bet(state: State, command: Bet, ledger: Ledger) -> Outcome:
    player = command.player
    seat = seat_of(state.seats, player)
    amount = checked_coins(command.amount, _A_BET)
    old = state.box_of(player)
    had = old.hands[0].amount if old is not None else 0
    wish = house.Wish(_A_HAND, amount, blackjack_pays, _payout(state, player), ledger.balance(player), had)
    state.rules.limits.check(wish)
    house.check_affordable(ledger, player, amount)
    box = Box(seat.number, player, (Hand((), had + amount),))
    boxes = (*(one for one in state.boxes if one is not old), box)
    after = changed(state, boxes=boxes if len(boxes) == 1 else tuple(sorted(boxes, key=_seat_number)))
    moved = Transfer(Account.player(player), stake_of(player), amount, STAKED)
    return after, (BoxBet(player, amount, had + amount), moved)


def _seat_number(box: Box) -> int:
    return box.seat


def _payout(state: State, player: str) -> Callable[[int], int]:
    """Return a function from this player's stake to the total possible win of all bets, without doubles and splits."""

    def payout(stake: int) -> int:
        others = (blackjack_pays(box.hands[0].amount) for box in state.boxes if box.player != player)
        return sum(others) + blackjack_pays(stake)

    return payout


def _take_back(state: State, command: TakeBack, ledger: Ledger) -> Outcome:
    player = command.player
    seat_of(state.seats, player)
    box = state.box_of(player)
    if box is None:
        raise NothingDone.saying("{player} has no bet to take back.", player=player)
    coins = box.hands[0].amount
    after = changed(state, boxes=tuple(one for one in state.boxes if one is not box))
    moved = Transfer(stake_of(player), Account.player(player), coins, BACK)
    return after, (BoxBetTakenBack(player, coins), moved)


# ---- dealing


def _turned(state: State, *cards: str) -> tuple[str, ...]:
    """Return the cards seen in this round, including new ones.

    Raises:
        UnknownCard: there is no such card.
        CardSeen: all copies in the shoe were already dealt.
    """
    for card in cards:
        if not is_card(card):
            raise UnknownCard.saying("There is no card {card}. Say one like AS or TD.", card=repr(card))
    seen = (*state.seen, *cards)
    for card in cards:
        if seen.count(card) > state.rules.decks:
            raise CardSeen.saying(
                "{card} was dealt already, as often as the shoe has it. Take the card off, or undo the wrong one.",
                card=card,
            )
    return seen


def _deal(state: State, command: Deal, ledger: Ledger) -> Outcome:
    to = command.to
    if to != DEALER:
        seat_of(state.seats, to)
    if state.phase is Phase.PLAYING:
        return _second_card(state, command)
    seen = _turned(state, command.card)
    if to == DEALER:
        if state.dealer:
            raise NotOffered.saying("The dealer has a card face up already. The other one lies face down.")
        after = changed(state, phase=Phase.DEALING, dealer=(command.card,), seen=seen)
        return _if_dealt(after), (DealerCard(command.card),)
    place = _box_at(state, to)
    box = state.boxes[place]
    cards = (*box.hands[0].cards, command.card)
    if len(cards) > 2:
        raise NotOffered.saying("{player} has two cards already. Deal to somebody else.", player=to)
    end = End.BLACKJACK if is_blackjack(cards) else None
    boxes = _with_hands(state.boxes, place, (Hand(cards, box.hands[0].amount, end),))
    after = changed(state, phase=Phase.DEALING, boxes=boxes, seen=seen)
    return _if_dealt(after), (PlayerCard(to, 1, 1, cards),)


def _box_at(state: State, player: str) -> int:
    for place, box in enumerate(state.boxes):
        if box.player == player:
            return place
    raise NotOffered.saying("{player} has no bet. Cards go to those who have one.", player=player)


def _hole(state: State, command: Hole, ledger: Ledger) -> Outcome:
    if state.has_hole:
        raise NotOffered.saying("The dealer has a face-down card already.")
    return _if_dealt(changed(state, has_hole=True)), (HoleDealt(),)


def _if_dealt(state: State) -> State:
    """Start the players' decisions once the initial deal is complete."""
    if not (state.has_hole and len(state.seen) == 2 * len(state.boxes) + 1):
        return state
    return _passed_on(changed(state, phase=Phase.PLAYING), (0, 0))


def _passed_on(state: State, start: Place) -> State:
    """Pass the turn to the first open hand from a place on, or go to the reveal."""
    box, first = start
    for number in range(box, len(state.boxes)):
        for hand, one in enumerate(state.boxes[number].hands):
            if one.end is None and (number > box or hand >= first):
                return changed(state, at=(number, hand))
    return changed(state, phase=Phase.REVEAL, at=None)


def _second_card(state: State, command: Deal) -> Outcome:
    """Deal the second card to a split hand; a split ace may end with it."""
    if command.to != state.turn:
        raise NotYourTurn.saying("{turn}'s split hand waits for its second card. Deal it there.", turn=str(state.turn))
    seen = _turned(state, command.card)
    box, place = _at(state)
    hand = box.hands[place]
    cards = (*hand.cards, command.card)
    after = _with_hand(state, Hand(cards, hand.amount, end_of_split(cards, state.rules.split_aces), True), seen)
    return after, (PlayerCard(box.player, place + 1, len(box.hands), cards),)


# ---- players' decisions


def _at(state: State) -> tuple[Box, int]:
    """Return the box to act, and the index of its hand."""
    assert state.at is not None, "somebody decides"
    return state.boxes[state.at[0]], state.at[1]


def _with_hands(boxes: tuple[Box, ...], place: int, hands: tuple[Hand, ...]) -> tuple[Box, ...]:
    return (*boxes[:place], changed(boxes[place], hands=hands), *boxes[place + 1 :])


def _with_hand(state: State, hand: Hand, seen: tuple[str, ...] | None = None) -> State:
    """Replace the hand to act, and pass the turn on if it ended."""
    assert state.at is not None, "somebody decides"
    place, number = state.at
    hands = state.boxes[place].hands
    boxes = _with_hands(state.boxes, place, (*hands[:number], hand, *hands[number + 1 :]))
    after = changed(state, boxes=boxes, is_fresh=False, seen=state.seen if seen is None else seen)
    return after if hand.end is None else _passed_on(after, state.at)


def _check_turn(state: State, command: OfTurn) -> None:
    player = command.player
    if player == NOBODY:
        return
    seat_of(state.seats, player)
    if player != state.turn:
        raise NotYourTurn.saying("It is {turn}'s turn, not {player}'s.", turn=str(state.turn), player=player)


def _check_seen(state: State, only: Any, place: int, hand: Hand) -> None:
    """Check a decision's precondition ``only`` against the hand to act.

    Raises:
        BadScript: malformed precondition.
        Outdated: the hand or the dealer's cards have changed.
    """
    if only is None:
        return
    is_known = isinstance(only, Mapping) and ONLY.issuperset(only)
    if not is_known or any(type(only.get(name, 0)) is not int for name in ("hand", "stake")):
        raise BadScript(
            f'\'only\' of a decision is an object such as {{"cards": ["8S", "9H"]}}, got {str(only)[:40]!r}.'
        )
    here = {"hand": place + 1, "cards": list(hand.cards), "stake": hand.stake, "dealer": list(state.dealer)}
    if any(here[name] != seen for name, seen in only.items()):
        raise Outdated.saying("Something came in between, so this was not played. Look at the table.")


def _open_hand(state: State) -> tuple[Box, int, Hand]:
    """Return the box to act, the index of its hand, and the hand.

    Raises:
        NotOffered: the hand waits for its second card.
    """
    box, place = _at(state)
    hand = box.hands[place]
    if hand.is_waiting:
        raise NotOffered.saying("{player}'s split hand waits for its second card. Deal it first.", player=box.player)
    return box, place, hand


def _first_two(state: State, what: str) -> tuple[Box, int, Hand]:
    box, place, hand = _open_hand(state)
    if len(hand.cards) != 2:
        raise NotOffered.saying("{what} is for the first two cards. Hit or stand.", what=what)
    return box, place, hand


def _hit(state: State, command: Hit, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    seen = _turned(state, command.card)
    box, place, hand = _open_hand(state)
    cards = (*hand.cards, command.card)
    end = End.BUST if total(cards).points > MAX_TOTAL else None
    after = _with_hand(state, Hand(cards, hand.amount, end, hand.is_split), seen)
    said = PlayerCard(box.player, place + 1, len(box.hands), cards)
    return after, (said,) if end is None else (said, _lost(box.player, hand.amount))


def _lost(player: str, coins: int) -> Transfer:
    return Transfer(stake_of(player), HOUSE, coins, LOST)


def _stand(state: State, command: Stand, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    box, place, hand = _open_hand(state)
    _check_seen(state, command.only, place, hand)
    after = _with_hand(state, Hand(hand.cards, hand.amount, End.STOOD, hand.is_split))
    return after, (Stood(box.player, place + 1, len(box.hands), hand.cards),)


def _double(state: State, command: Double, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    seen = _turned(state, command.card)
    box, place, hand = _first_two(state, message("Doubling"))
    house.check_affordable(ledger, box.player, hand.amount)
    cards, amount = (*hand.cards, command.card), 2 * hand.amount
    end = End.BUST if total(cards).points > MAX_TOTAL else End.STOOD
    after = _with_hand(state, Hand(cards, amount, end, hand.is_split), seen)
    moved = Transfer(Account.player(box.player), stake_of(box.player), hand.amount, STAKED)
    said = Doubled(box.player, place + 1, len(box.hands), cards, amount)
    return after, (said, moved) if end is End.STOOD else (said, moved, _lost(box.player, amount))


def _split(state: State, command: Split, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    seen = _turned(state, *command.cards)
    box, number, hand = _first_two(state, message("Splitting"))
    if hand.cards[0][0] != hand.cards[1][0]:
        raise NotOffered.saying("Only two cards of the same rank are split, such as two kings. Hit or stand.")
    if len(box.hands) == MAX_HANDS:
        raise NotOffered.saying("{player} has four hands already. Hit or stand.", player=box.player)
    house.check_affordable(ledger, box.player, hand.amount)
    new = _split_hands(state.rules, hand, command.cards)
    hands = (*box.hands[:number], *new, *box.hands[number + 1 :])
    assert state.at is not None, "somebody decides"
    boxes = _with_hands(state.boxes, state.at[0], hands)
    after = _passed_on(changed(state, boxes=boxes, seen=seen, is_fresh=False), state.at)
    moved = Transfer(Account.player(box.player), stake_of(box.player), hand.amount, STAKED)
    return after, (HandSplit(box.player, tuple(command.cards), hand.amount), moved)


def _split_hands(rules: Rules, hand: Hand, second: Sequence[str]) -> tuple[Hand, Hand]:
    """Return the two hands of a split pair; the right one may still lack its second card."""
    first, other = hand.cards
    left, right = (first, second[0]), (other, *second[1:])
    return (
        Hand(left, hand.amount, end_of_split(left, rules.split_aces), True),
        Hand(right, hand.amount, end_of_split(right, rules.split_aces), True),
    )


def _surrender(state: State, command: Surrender, ledger: Ledger) -> Outcome:
    _check_turn(state, command)
    box, place, hand = _first_two(state, message("Surrender"))
    if state.rules.surrender == "none":
        raise NotOffered.saying("There is no surrender at this table. Hit or stand.")
    if hand.is_split:
        raise NotOffered.saying("A split hand is not surrendered. Hit or stand.")
    _check_seen(state, command.only, place, hand)
    if state.rules.surrender == "late":
        return _with_hand(state, Hand(hand.cards, hand.amount, End.SURRENDERED)), (Surrendered(box.player, 0),)
    lost = half_of(hand.amount)
    back = hand.amount - lost
    after = _with_hand(state, Hand(hand.cards, hand.amount, End.GIVEN_UP))
    moved = Transfer(stake_of(box.player), Account.player(box.player), back, BACK)
    kept = (Transfer(stake_of(box.player), HOUSE, lost, HALF),) if lost else ()
    return after, (Surrendered(box.player, back), moved, *kept)


def _insure(state: State, command: Insure, ledger: Ledger) -> Outcome:
    player = command.player
    seat_of(state.seats, player)
    if not (state.is_fresh and state.dealer[0][0] == "A"):
        raise NotOffered.saying("Insurance is for a dealer's ace, before anybody has decided anything.")
    box = state.box_of(player)
    if box is None:
        raise NotOffered.saying("{player} has no bet to be insured.", player=player)
    if box.insured:
        raise NotOffered.saying("{player} is insured already.", player=player)
    _check_seen(state, command.only, 0, box.hands[0])
    coins = box.hands[0].amount // 2
    if not coins:
        raise BadAmount.saying("{player}'s bet is too small to be insured for half of it.", player=player)
    house.check_affordable(ledger, player, coins)
    boxes = tuple(changed(one, insured=coins) if one is box else one for one in state.boxes)
    moved = Transfer(Account.player(player), insurance_of(player), coins, INSURED)
    return changed(state, boxes=boxes), (Insured(player, coins), moved)


# ---- the dealer


def _dealers_card(state: State, command: Reveal | DealerHit, ledger: Ledger) -> Outcome:
    """Add the hole card or a drawn card to the dealer's hand; settle the round if it is complete."""
    seen = _turned(state, command.card)
    dealer = (*state.dealer, command.card)
    draws = must_draw(state.boxes, dealer, state.rules.soft17)
    said = DealerTurned(dealer, draws)
    if draws:
        return changed(state, phase=Phase.DEALER, dealer=dealer, seen=seen), (said,)
    paid = settle(state.boxes, dealer)
    event = RoundDecided(dealer, paid, state.boxes)
    return State(state.rules, state.seats, decided=event), (said, event, *payments(state.boxes, paid))


# ---- joining and leaving


def _join(state: State, command: Join, ledger: Ledger) -> Outcome:
    if len(state.seats) >= MAX_PLAYERS:
        raise NotOffered.saying("All {seats} seats are taken. Wait until somebody leaves.", seats=MAX_PLAYERS)
    check_name(command.player)
    return seating.join(state, command, ledger)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Bet: _bet,
    TakeBack: _take_back,
    Deal: _deal,
    Hole: _hole,
    Hit: _hit,
    Stand: _stand,
    Double: _double,
    Split: _split,
    Surrender: _surrender,
    Insure: _insure,
    Reveal: _dealers_card,
    DealerHit: _dealers_card,
    Join: _join,
    Leave: seating.leave,
}
