"""Commands that change the total of coins at the table: buy-in, cash-out and recount.

A recount adjusts a balance to the coins counted, with a reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companion.kernel.accounts import CAGE, Account
from companion.kernel.commands import BuyIn, CashOut, Recount
from companion.kernel.errors import BadAmount, BadScript, NothingDone, NotOffered, WrongPhase
from companion.kernel.events import BoughtIn, CashedOut, Recounted
from companion.kernel.game import Effect, Game, Seat, seat_of
from companion.kernel.ledger import ASIDE, BUY_IN, CASH_OUT, Ledger, Transfer, checked_coins
from companion.kernel.messages import message

CashierCommand = BuyIn | CashOut | Recount
LONGEST_REASON: Final = 200


def apply_at_cashier(
    game: Game[Any], state: Any, command: CashierCommand, ledger: Ledger
) -> tuple[Any, Ledger, tuple[Effect, ...]]:
    """Apply a cashier command; return the game's state, the ledger, and the events and transfers.

    Raises:
        TableError: the command is refused.
    """
    if command.verb not in game.cashier(state):
        raise WrongPhase(game.reasons(state)[command.verb])
    pots = {pot: game.pot_name(pot) for pot in pots_of(state)}
    happened = cashier_effects(command, game.seats(state), pots, ledger)
    ledger = ledger.post(event for event in happened if isinstance(event, Transfer))
    return game.counted(state, command, ledger), ledger, happened


def pots_of(state: Any) -> Sequence[int]:
    """Return the keys of the pots on the table; empty in games without pots."""
    pots: Sequence[int] = getattr(state, "pots", ())
    return pots


def cashier_effects(
    command: CashierCommand, seats: Sequence[Seat], pots: Mapping[int, str], ledger: Ledger
) -> tuple[Effect, ...]:
    """Return the event and the transfer of a cashier command, in this order.

    Args:
        pots: the pots' names by key.

    Raises:
        UnknownPlayer, BadAmount, BadScript, NotOffered, NothingDone: the command is refused.
    """
    if isinstance(command, Recount):
        return _recount(command, seats, pots, ledger)
    aside = ledger.aside(command.player)
    coins = ledger.balance(command.player) + aside
    _check_known(command.player, seats, isinstance(command, CashOut) and coins != 0)
    account = Account.player(command.player)
    if isinstance(command, BuyIn):
        coins = checked_coins(command.coins, message("a buy-in"))
        return BoughtIn(command.player, coins), *received(account, coins, aside if command.transfer is None else 0)
    if coins <= 0:
        raise NothingDone.saying("{player} has no coins to cash out.", player=command.player)
    back = (Transfer(Account.aside(command.player), account, aside, ASIDE),) if aside else ()
    return CashedOut(command.player, coins), *back, Transfer(account, CAGE, coins, CASH_OUT)


def received(player: Account, coins: int, aside: int) -> Iterator[Transfer]:
    """Yield the transfers by which a player gets coins: first those put aside, the rest from outside."""
    own = min(coins, aside)
    if own:
        yield Transfer(Account.aside(player.name), player, own, ASIDE)
    if coins > own:
        yield Transfer(CAGE, player, coins - own, BUY_IN)


def _check_known(player: str, seats: Sequence[Seat], is_known: bool) -> None:
    """Raise for an unseated player unless ``is_known``: players who left coins behind may still be cashed out."""
    if not is_known:
        seat_of(seats, player)


def _recount(command: Recount, seats: Sequence[Seat], pots: Mapping[int, str], ledger: Ledger) -> tuple[Effect, ...]:
    whose, account = _counted(command, seats, pots, ledger)
    is_player = command.player is not None
    coins = command.coins
    if type(coins) is not int or (coins < 0 and not (is_player and ledger.credit)):
        raise BadAmount.saying(
            "{coins} is no count of coins. Say how many there are: a whole number, 0 or more.", coins=repr(coins)
        )
    reason = checked_reason(command.reason)
    if not reason:
        raise BadScript.saying('A recount needs a reason, such as "a coin had rolled under the mat". Add it.')
    had = ledger.coins(account)
    if coins == had:
        raise NothingDone.saying(
            "{whose} has {had} in the books as well. There is nothing to adjust.", whose=whose, had=had
        )
    why = f"recount: {reason}"
    moved = Transfer(CAGE, account, coins - had, why) if coins > had else Transfer(account, CAGE, had - coins, why)
    return Recounted(command.player, command.pot, had, coins, reason, command.player or pots[command.pot]), moved


def _counted(command: Recount, seats: Sequence[Seat], pots: Mapping[int, str], ledger: Ledger) -> tuple[str, Account]:
    """Return the name of what was counted, for people, and its account."""
    if (command.player is None) == (command.pot is None):
        raise BadScript.saying("A recount is of one player's coins or of one pot. Name either 'player' or 'pot'.")
    if command.pot is None:
        if not isinstance(command.player, str):
            raise BadScript(f"'player' of 'recount' is text, got {command.player!r}.")
        _check_known(command.player, seats, command.player in ledger.players)
        return command.player, Account.player(command.player)
    if type(command.pot) is not int or command.pot not in pots:
        here = message("It has {pots}.", pots=", ".join(map(str, pots))) if pots else message("This game has no pots.")
        raise NotOffered.saying("There is no pot {pot} at this table. {here}", pot=repr(command.pot), here=here)
    return message("Pot {pot}", pot=command.pot), Account.pot(command.pot)


def checked_reason(text: Any) -> str:
    """Return a reason with normalized whitespace; empty for None.

    Raises:
        BadScript: not a printable text of at most `LONGEST_REASON` characters.

    >>> checked_reason("  a  coin fell "), checked_reason(None)
    ('a coin fell', '')
    """
    if text is None:
        return ""
    reason = " ".join(text.split()) if isinstance(text, str) else None
    if reason is None or len(reason) > LONGEST_REASON or not reason.isprintable():
        raise BadScript.saying(
            "A reason is a short text of at most {most} letters, got {text}.",
            most=LONGEST_REASON,
            text=repr(str(text)[:40]),
        )
    return reason
