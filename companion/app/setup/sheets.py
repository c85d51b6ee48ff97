"""Printable sheets for the dashboard: the request and the PDF."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from companion.kernel.errors import CompanionError
from companion.kernel.game import Options
from companion.objects.decks import Deck, DeckStore
from companion.objects.geometry import CardSize
from companion.objects.mat import Mat

if TYPE_CHECKING:
    from companion.plugins.plugin import GamePlugin
    from companion.plugins.registry import Games
    from companion.printing.jobs import Order
    from companion.printing.seat_card import SeatCode

_PAPERS = ("a4", "letter", "a3", "full")


class Unprintable(CompanionError):
    """An unknown kind of sheet, paper or size; the message lists the valid ones."""


@dataclass(frozen=True, slots=True)
class SheetWish:
    """A print request.

    Attributes:
        what: the kind of sheet, one of `companion.printing.jobs.What`.
        game: the game whose mat, slips or rules to print; empty for the default game.
        size: the size of cards, or of slips if a game has several.
        only: print only these pieces; empty for all.
        offset: measured shift of the printer's back sides, mm to the right and down.
        seats: the seats whose cards to print, with the codes with which phones join.
        language: of the printed text.
    """

    what: str
    deck: str | None = None
    paper: str = "a4"
    game: str = ""
    size: str | None = None
    only: tuple[str, ...] = ()
    copies: int = 1
    duplex: str = "long"
    offset: tuple[float, float] = (0.0, 0.0)
    seats: tuple[SeatCode, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class PrintShop:
    """Renders sheets.

    Attributes:
        options_of: returns a game's options: the running session's, or for other games the configured ones.
        coins: returns the values of the paper chips.
    """

    games: Games
    data_dir: Path
    options_of: Callable[[str], Options]
    coins: Callable[[], tuple[int, ...]]

    def sheet(self, wish: SheetWish) -> bytes:
        """Return sheets to print, as PDF.

        Raises:
            CompanionError: an unknown sheet, deck, mat or game, or one that cannot be printed as requested.
        """
        from companion.printing.jobs import carry_out

        order = self._order(wish)
        with tempfile.TemporaryDirectory(prefix="companion-print-") as folder:
            return carry_out(order, Path(folder) / "sheet.pdf")[0].read_bytes()

    def _order(self, wish: SheetWish) -> Order:
        from companion.locale import Translator
        from companion.printing.jobs import Order, What
        from companion.printing.sheets import Duplex

        if wish.what not in get_args(What) or wish.paper not in _PAPERS or wish.duplex not in get_args(Duplex):
            sheets = ", ".join(get_args(What))
            raise Unprintable.saying("Print one of {sheets} on {papers}.", sheets=sheets, papers=", ".join(_PAPERS))
        what = cast(What, wish.what)
        deck = DeckStore(self.data_dir, self.games.decks).get(wish.deck) if wish.deck else None
        order = Order(
            what,
            deck,
            paper=wish.paper,  # type: ignore[arg-type]  # checked above
            size=_card_size(wish),
            only=wish.only,
            duplex=cast(Duplex, wish.duplex),
            coins=self.coins(),
            copies=wish.copies,
            offset=wish.offset,
            say=partial(Translator(self.games.packages), language=wish.language),
        )
        return self._with_pieces(wish, order)

    def _with_pieces(self, wish: SheetWish, order: Order) -> Order:
        """Add the game's mat, slips or rules, or the seats' cards."""
        match order.what:
            case "mat":
                mat = self.games.mat(wish.game or None, order.deck.design if order.deck else None)
                return replace(order, mat=mat, deck=order.deck if self._is_played_on(mat, order.deck) else None)
            case "slips" | "rules":
                plugin = self.games.named(wish.game) if wish.game else self.games.default
                return self._of_game(order, plugin, wish)
            case "seats":
                from companion.printing.seat_card import seat_cards

                return replace(order, pieces=seat_cards(wish.seats, order.say))
        return order

    def _is_played_on(self, mat: Mat, deck: Deck | None) -> bool:
        """Whether the deck belongs to a game played on this mat; the mat shows prices only for such a deck."""
        return any(deck.design in game.decks for game in self.games.values() if mat in game.mats) if deck else False

    def _of_game(self, order: Order, plugin: GamePlugin, wish: SheetWish) -> Order:
        from companion.locale import Translator
        from companion.plugins.rules_text import rules_text
        from companion.plugins.slips import slips_of
        from companion.printing.rules_card import rules_cards

        options = self.options_of(plugin.name)
        if order.what == "slips":
            return replace(order, pieces=slips_of(plugin, options, wish.size, wish.language))
        text = rules_text(plugin, options)
        say = partial(Translator((plugin.package,)), language=wish.language)
        return replace(order, pieces=rules_cards(text, say), title=say(text.title))


def _card_size(wish: SheetWish) -> CardSize:
    if wish.what == "slips" or wish.size is None:
        return "poker"
    if wish.size not in get_args(CardSize):
        raise Unprintable.saying("Cards are printed in the sizes {sizes}.", sizes=", ".join(get_args(CardSize)))
    return cast(CardSize, wish.size)
