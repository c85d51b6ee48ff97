"""``/history/SESSION/NUMBER``: one hand step by step, and its receipt."""

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

import segno
from flask import Blueprint, Response, abort, render_template
from markupsafe import Markup

from companion.journal.history.hand_history import HandJson, Step
from companion.journal.receipt import Receipt, signed_receipt
from companion.journal.receipt import receipt as receipt_of
from companion.kernel.accounts import Kind
from companion.kernel.events import WonJson
from companion.kernel.ledger import Transfer
from companion.kernel.table import TableView
from companion.service.settle import SettlePaymentJson
from web_ui.access.rights import service
from web_ui.addresses import public_base
from web_ui.game_pages import game_text, page_extras, page_files, round_title, spot_words
from web_ui.pages.history.hands import base_of, decision
from web_ui.pages.history.parties import who

STAKE: Final = "stake"
ASIDE: Final = "aside"
HASH_IN_CODE: Final = 24
"""Hash digits in a receipt's code: enough to make finding another journal with the same ones infeasible."""

blueprint = Blueprint("hand", __name__, url_prefix="/history/<int:session>/<int:number>")


@blueprint.get("")
def show(session: int, number: int) -> str:
    hand, steps = _found(session, number)
    named = {key: value for key, value in hand.items() if key in ("id", "session", "number", "game", "decided")}
    told = named | {"base": base_of(hand), "title": round_title(hand["game"], number), "hash": hand["head"]}
    first = next((step.view for step in steps if step.view is not None), None)
    return render_template(
        "replay.html",
        hand=told,
        steps=[_shown(step) for step in steps if step.sentence],  # log-ins are shown to the dealer only
        extras=page_extras("replay", first or {"game": hand["game"]}),
        view={"chips": service().view("room").get("chips")},
        **page_files("replay", hand["game"]),
    )


def _shown(step: Step) -> dict[str, object]:
    """Return a step with its coin movements, reduced to what the page draws."""
    told = {"seq": step.seq, "at": step.at, "source": step.source, "sentence": step.sentence}
    moves = [moved(transfer) for transfer in step.transfers]
    return told | {"is_undone": step.is_undone, "view": _lean(step.view), "moves": moves, "evidence": step.evidence}


def _lean(view: TableView | None) -> dict[str, object] | None:
    """Return the part of a view that the table's drawing needs."""
    return None if view is None else {key: value for key, value in view.items() if key not in ("reasons", "expected")}


def _found(session: int, number: int) -> tuple[HandJson, tuple[Step, ...]]:
    hand, steps = service().history.hand(session, number), service().history.steps(session, number)
    if hand is None or steps is None:
        abort(404)
    return hand, steps


# ---- receipt


@blueprint.get("/receipt")
def receipt(session: int, number: int) -> str:
    """Everybody's stakes and payouts, and a code that links to this round and contains the journal's hash."""
    hand, steps = _found(session, number)
    made = receipt_of(service().history, session, number)
    if made is None:
        abort(404)
    address = f"{public_base()}{base_of(hand)}#head={made.head[:HASH_IN_CODE]}"
    code = segno.make(address, micro=False, error="m")
    svg = Markup(code.svg_inline(scale=4, border=2, dark="#000", light="#fff", omitsize=True))
    names = sorted(made.gains)
    statement = service().statement(made.seq)
    decided = next((step for step in steps if step.seq == made.seq), None)
    return render_template(
        "receipt.html", hand=hand, made=made, names=names, address=address, code=svg, told=decision(hand),
        base=base_of(hand), transfers=_paid(decided), rows=_rows(hand, made, _back(decided)),
        who=who, key=statement.public if statement else None,
    )  # fmt: skip


@blueprint.get("/receipt.json")
def signed(session: int, number: int) -> Response:
    """The receipt as a file for offline verification: the round's outcome, and the signature."""
    made = receipt_of(service().history, session, number)
    statement = None if made is None else service().statement(made.seq)
    if made is None or statement is None:
        abort(404)
    entries = tuple(service().history.entries(made.seq - 1, statement.seq - made.seq + 1))
    told = signed_receipt(made, entries, statement)
    if told is None:
        abort(404)
    name = f"receipt-{session}-{number}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(json.dumps(told, indent=1), mimetype="application/json", headers=headers)


class _Row(NamedTuple):
    """A bet on the receipt. ``got``: coins returned, None while undecided."""

    player: str
    spot: str
    note: str
    stake: int
    won: int
    got: int | None


def _rows(hand: HandJson, made: Receipt, back: Mapping[tuple[str, str], int]) -> list[_Row]:
    """Return the bets that the round decided and those left open, each with what distinguishes it from similar ones."""
    paid = (hand["result"] or {}).get("paid")
    if paid is None:
        return []
    game = hand["game"]
    older = {(stake.name, stake.on): coins for stake, coins in made.before.items()}
    rows = []
    for line in paid:
        place = line["player"], line["on"]
        note = _ended(game, line)
        if older.get(place) == line["amount"]:  # of two stakes on one spot the older comes first
            del older[place]
            note = note or game_text(game, "staked_before")
        got = line["won"] + line.get("returned", line["amount"] if line["won"] else back.get(place, 0))
        rows.append(_Row(line["player"], spot_words(game, line["on"]), note, line["amount"], line["won"], got))
    note = game_text(game, "stays_staked")
    left = (_Row(one.name, spot_words(game, one.on), note, coins, 0, None) for one, coins in made.after.items())
    return [*rows, *(row for row in left if row.player)]


def _ended(game: str, line: WonJson) -> str:
    """Return a bet's result, where the game has more results than won and lost."""
    key, returned = f"ended_{line.get('outcome')}", line.get("returned", 0)
    said = game_text(game, key, stake=line["amount"], returned=returned, lost=line["amount"] - returned)
    return "" if said == key else said


def _paid(step: Step | None) -> list[SettlePaymentJson]:
    """Return the payments when the round was decided, without returned stakes."""
    moves = [] if step is None else [moved(transfer) for transfer in step.transfers]
    return [move for move in moves if "stake" not in (move["from"], move["to"])]


def _back(step: Step | None) -> dict[tuple[str, str], int]:
    """Return the coins returned with each stake when the round was decided, by player and spot."""
    moves = () if step is None else step.transfers
    stakes = [move for move in moves if move.payer.kind is Kind.STAKE and move.payee == move.payer.owner]
    return {(move.payer.name, move.payer.on): move.coins for move in stakes}


def moved(transfer: Transfer) -> SettlePaymentJson:
    """Return a transfer as pages show it: bets move from the player to ``stake``, and back.

    >>> from companion.kernel.accounts import Account
    >>> moved(Transfer(Account.player("Ann"), Account.stake("Ann", "cut/6"), 3, "bet"))
    {'from': 'Ann', 'to': 'stake', 'coins': 3}
    >>> moved(Transfer(Account.aside("Ann"), Account.player("Ann"), 3, "aside"))
    {'from': 'aside', 'to': 'Ann', 'coins': 3}
    """
    gave, got = (ASIDE if one.kind is Kind.ASIDE else one.owner.label for one in (transfer.payer, transfer.payee))
    if gave == got:
        gave, got = (STAKE, got) if transfer.payer.kind is Kind.STAKE else (gave, STAKE)
    return {"from": gave, "to": got, "coins": transfer.coins}
