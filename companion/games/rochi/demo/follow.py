"""Things on the table follow the companion's word: tokens, coins, cards that were tapped or undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.rochi.demo.acts import go_home, take_back
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.demo.moves import Deal, MoveToken, Pay, Play, coins_of, seats_of, settlement, token_home_of
from companion.games.rochi.demo.table import DemoRochiTable, Laid
from companion.objects.cards import LEADER_BUTTON
from hardware.demo.hands.arm import in_turn

View = Mapping[str, Any]


def laid_by(view: View) -> Laid:
    """Return how everything lies when the table stands like this."""
    seats = seats_of(view)
    shields: dict[int, list[str]] = {}
    for stack in view["stacks"]:
        for player, cards in stack["shields"].items():
            shields.setdefault(seats[player], []).extend(cards)
    is_on = view["phase"] not in ("between-hands", "finished")
    leader = view.get("leader")
    return Laid(
        stacks={stack["suit"]: stack["cards"] for stack in view["stacks"]},
        shields=shields,
        tokens={f"T{stack['suit']}": token_home_of(view, stack["suit"]) for stack in view["stacks"]},
        leader=seats.get(leader) if leader else None,
        hands={seats[h["player"]]: h["cards"] for h in view["hands"] if h["player"] in seats} if is_on else {},
        gone=view.get("gone", view.get("discards", ())),
        deck=view["left"] if is_on else 0,
        coins=coins_of(view),
    )


def open_in(view: View) -> dict[str, str]:
    """Return the open cards that the companion counts, and the place of each."""
    seats = seats_of(view)
    places = {card: f"stack/{stack['suit']}" for stack in view["stacks"] for card in stack["cards"]}
    for stack in view["stacks"]:
        for player, cards in stack["shields"].items():
            places |= {card: f"seat/{seats[player]}" for card in cards if player in seats}
    return places


def open_on(table: DemoRochiTable) -> dict[str, str]:
    """Return the cards that lie open on the table, and where: the house's own cards alone."""
    return {
        thing.card.id: thing.where
        for thing in table.lying
        if thing.card.face_up and thing.card.make == "genuine" and thing.card.id in table.cards
    }


def settle(table: DemoRochiTable, view: View, mover: int) -> bool:
    """Have people pay each other what the ledger says; coins from outside come at once. True if anything moved."""
    want = coins_of(view)
    payments = settlement(table.coins, want)
    for payment in payments:
        seats = [int(place[5:]) for place in (payment.giver, payment.taker) if place.startswith("seat/")]
        table.move(Pay(next((seat for seat in seats if seat in table.seats), mover), payment))
    if not payments and table.coins != want:
        table.set_coins({place: want.get(place, 0) for place in {*want, *table.coins}})
    return bool(payments)


def move_tokens(table: DemoRochiTable, view: View, mover: int) -> bool:
    """Have somebody put the tokens, and the leader button, where the ledger wants them. True if anything moved."""
    wanted = {token: token_home_of(view, int(token[1])) for token in table.tokens}
    leader = seats_of(view).get(view.get("leader") or "")
    if leader is not None:
        wanted[LEADER_BUTTON] = f"seat/{leader}"
    wrong = [token for token, where in wanted.items() if table.token_at(token) != where]
    for token in wrong:
        if table.token_at(token) is None:
            table.bring(token, wanted[token])
        else:
            table.move(MoveToken(mover, token, wanted[token]))
    return bool(wrong)


def lay_what_was_tapped(table: DemoRochiTable, view: View, mover: int) -> bool:
    """Have cards that count but do not lie there laid down: they were tapped on a screen. True if anything moved."""
    lying = open_on(table)
    missing = {card: where for card, where in open_in(view).items() if card not in lying}
    for card, where in missing.items():
        holder = next((seat for seat in table.seats if card in table.hand(seat)), None)
        table.move(Play(holder, card, where) if holder is not None else Deal(mover, card, where))
    return bool(missing)


def take_back_extra(table: DemoRochiTable, view: View, mover: int) -> bool:
    """Have open cards that do not count taken back: into a hand that is short of one, else onto the deck."""
    counted = open_in(view)
    extra = [card for card in open_on(table) if card not in counted]
    due = {seats_of(view)[h["player"]]: h["cards"] for h in view["hands"] if h["player"] in seats_of(view)}
    short = [seat for seat in table.seats if len(table.hand(seat)) < due.get(seat, 0)]
    for card in extra:
        seat = short.pop(0) if short else None
        table.do(
            lambda stage, card=card, seat=seat: in_turn(  # type: ignore[misc]
                take_back(stage, mover, card, seat), go_home(stage.arms[mover])
            )
        )
    return bool(extra)


def put_cards_right(table: DemoRochiTable, view: View, mover: int) -> bool:
    """Have cards that count, but lie in another place than they should, moved there. True if anything moved."""
    wanted, open_now = open_in(view), open_on(table)
    wrong = [
        thing
        for thing in table.lying
        if thing.card.face_up and thing.card.id in open_now and wanted.get(thing.card.id, thing.where) != thing.where
    ]
    for thing in wrong:
        table.put_right(mover, thing, wanted[thing.card.id])
    return bool(wrong)


def take_strangers(table: DemoRochiTable, mover: int) -> bool:
    """Have cards that are not the house's own, and second copies, taken off the table. True if anything moved."""
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
    """Have all suit tokens put back for the next hand."""
    if any(table.token_at(token) != CENTRE for token in table.tokens):
        table.tokens_home(mover)
