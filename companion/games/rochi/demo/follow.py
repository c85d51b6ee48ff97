"""Moves tokens, coins and cards on the demo table to match the game's state after taps, undo and clearing."""

import random

from companion.games.rochi.demo.acts import take_back, take_suit
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.demo.moves import Board, Deal, MoveToken, Pay, Play, settlement, token_home_of
from companion.games.rochi.demo.table import DemoRochiTable, Laid
from companion.objects.cards import LEADER_BUTTON
from hardware.demo.hands.acts import go_home
from hardware.demo.hands.arm import in_sequence


def laid_by(board: Board) -> Laid:
    """Return the physical layout for a game state."""
    shields: dict[int, list[str]] = {}
    for card, place in board.open_cards.items():
        if place.startswith("seat/"):
            shields.setdefault(int(place[5:]), []).append(card)
    return Laid(
        stacks={stack.suit: stack.cards for stack in board.stacks},
        shields=shields,
        tokens={token: token_home_of(board, token) for token in (f"T{stack.suit}" for stack in board.stacks)},
        leader=board.leader,
        hands=board.held if board.is_on else {},
        gone=board.discards,
        deck=board.deck if board.is_on else 0,
        coins=board.coins,
    )


def open_on(table: DemoRochiTable) -> dict[str, str]:
    """Return face-up genuine card of the deck in play -> location."""
    return {
        thing.card.id: thing.where
        for thing in table.lying
        if thing.card.face_up and thing.card.make == "genuine" and thing.card.id in table.cards
    }


def settle(table: DemoRochiTable, board: Board, mover: int) -> bool:
    """Have players pay each other to match the ledger; outside coins appear at once. Return whether anyone pays."""
    want = board.coins
    payments = settlement(table.coins, want)
    for payment in payments:
        seats = [int(place[5:]) for place in (payment.giver, payment.taker) if place.startswith("seat/")]
        table.move(Pay(next((seat for seat in seats if seat in table.seats), mover), payment))
    if not payments and table.coins != want:
        table.set_coins({place: want.get(place, 0) for place in {*want, *table.coins}})
    return bool(payments)


def move_tokens(table: DemoRochiTable, board: Board, mover: int) -> bool:
    """Move tokens and the leader button to match the state; return whether anything moved."""
    wanted = {token: token_home_of(board, token) for token in table.tokens}
    if board.leader is not None:
        wanted[LEADER_BUTTON] = f"seat/{board.leader}"
    wrong = [token for token, where in wanted.items() if table.token_at(token) != where]
    for token in wrong:
        if table.token_at(token) is None:
            table.bring(token, wanted[token])
        else:
            table.move(MoveToken(mover, token, wanted[token]))
    return bool(wrong)


def lay_what_was_tapped(table: DemoRochiTable, board: Board, mover: int) -> bool:
    """Lay counted cards that are missing, as they were entered on a screen; return whether there were any."""
    lying = open_on(table)
    missing = {card: where for card, where in board.open_cards.items() if card not in lying}
    for card, where in missing.items():
        holder = next((seat for seat in table.seats if card in table.hand(seat)), None)
        table.move(Play(holder, card, where) if holder is not None else Deal(mover, card, where))
    return bool(missing)


def take_back_extra(table: DemoRochiTable, board: Board, mover: int) -> bool:
    """Take back uncounted face-up cards, into a hand that is short of a card, otherwise onto the deck."""
    counted = board.open_cards
    extra = [card for card in open_on(table) if card not in counted]
    short = [seat for seat in table.seats if len(table.hand(seat)) < board.held.get(seat, 0)]
    for card in extra:
        seat = short.pop(0) if short else None
        table.do(
            lambda stage, card=card, seat=seat: in_sequence(  # type: ignore[misc]
                take_back(stage, mover, card, seat), go_home(stage.arms[mover])
            )
        )
    return bool(extra)


def put_cards_right(table: DemoRochiTable, board: Board, mover: int) -> bool:
    """Move misplaced counted cards to their place; return whether there were any."""
    wanted, open_now = board.open_cards, open_on(table)
    wrong = [
        thing
        for thing in table.lying
        if thing.card.face_up and thing.card.id in open_now and wanted.get(thing.card.id, thing.where) != thing.where
    ]
    for thing in wrong:
        table.put_right(mover, thing, wanted[thing.card.id])
    return bool(wrong)


def take_strangers(table: DemoRochiTable, mover: int) -> bool:
    """Remove foreign cards and duplicates from the table; return whether there were any."""
    seen: set[str] = set()
    wrong = []
    for thing in table.lying:
        card = thing.card
        if card.face_up and (card.make != "genuine" or card.id in seen):
            wrong.append(thing)
        seen.add(card.id if card.face_up else "")
    for thing in wrong:
        table.take_away(mover, thing)
    return bool(wrong)


def centre_tokens(table: DemoRochiTable, mover: int) -> None:
    """Return all suit tokens to the centre for the next hand."""
    if any(table.token_at(token) != CENTRE for token in table.tokens):
        table.tokens_home(mover)


def tidy_captains(table: DemoRochiTable, board: Board, rng: random.Random) -> None:
    """Discard cleared suits, shuffle, and fill both hands, in Captain's Rochi."""
    mover = board.seats[board.turn] if board.turn else min(board.seats.values())
    for stack in board.stacks:
        places = (f"stack/{stack.suit}", *(f"seat/{seat}" for seat in table.seats))
        lying = [card for place in places for card in table.cards_at(place) if card[0] == str(stack.suit)]
        if set(lying) - set(stack.open_cards):
            table.do(lambda stage, rank=stack.suit: take_suit(stage, mover, rank))  # type: ignore[misc]
        if table.busy:  # the rest follows once these are on the discard pile
            return
    if set(table.discards) - set(board.discards):
        table.shuffle(mover, rng.getrandbits(32), board.discards)
    for seat, cards in board.held.items():
        if len(table.hand(seat)) < cards:
            table.deal_hands(mover, cards, (seat,))
