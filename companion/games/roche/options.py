"""Options of Roche: layout, deck and prices, all of them under ``[table]``."""

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from companion.games.roche.odds.exact import players_edges
from companion.games.roche.paytable import Changes, Layout, Paytable, RocheDeck, load_paytable, load_paytable_file
from companion.kernel.errors import BadScript
from companion.kernel.game import Options
from companion.kernel.messages import joined, message, plural
from companion.plugins.options import SHARED, GameOptions, OptionError, Setting

BY_HAND: Final = Setting(is_shared=True, by_hand=True)
PRICES: Final = Setting(is_shared=True, by_hand=True, by_house=True)


class RocheOptions(GameOptions):
    """``paytable`` changes single prices, ``paytable_file`` (in the configuration's folder) a whole table of them.

    Attributes:
        insist: allow prices that give the players an edge.
    """

    layout: Annotated[Layout, SHARED] = "basic"
    deck: Annotated[RocheDeck, SHARED] = "full"
    insist: Annotated[bool, BY_HAND] = False
    paytable: Annotated[dict[str, object], PRICES] = Field(default_factory=dict)
    paytable_file: Annotated[str | None, BY_HAND] = None

    def header(self, folder: Path) -> Options:
        """Return layout, deck, and the prices that differ from the printed ones."""
        paytable = self._prices(folder)
        self._check_edges(paytable)
        changes = _unlike_printed(paytable)
        return {"layout": self.layout, "deck": self.deck, **({"paytable": changes} if changes else {})}

    def for_edges(self, chosen: Options) -> Options:
        """Apply the owner's prices only with the deck they were written for."""
        own = {"paytable": self.paytable} if chosen.get("deck", "full") == self.deck else {}
        return {**chosen, **own}

    def _prices(self, folder: Path) -> Paytable:
        """Return the printed prices, changed by a file, then by the configuration."""
        paytable = load_paytable(self.deck) if self.paytable_file is None else self._file(folder / self.paytable_file)
        for family, prices in self.paytable.items():
            by_rank = prices if isinstance(prices, dict) else {}
            for rank, price in by_rank.items() or [(None, prices)]:
                key = ("paytable", family) if rank is None else ("paytable", family, rank)
                try:
                    paytable = paytable.with_changes({family: price if rank is None else {rank: price}})
                except BadScript as error:
                    raise OptionError(key, str(error)) from error
        return paytable

    def _file(self, file: Path) -> Paytable:
        if not file.is_file():
            raise OptionError(("paytable_file",), message("there is no file {file}. Check the path.", file=str(file)))
        paytable = load_paytable_file(file)
        if paytable.deck != self.deck:
            what = message(
                "its prices are for the {deck} deck, this table plays the {own} one. Change one.",
                deck=paytable.deck,
                own=self.deck,
            )
            raise OptionError(("paytable_file",), what)
        return paytable

    def _check_edges(self, paytable: Paytable) -> None:
        """Raise if prices give the players an edge, unless ``insist`` is set."""
        wrong = () if self.insist else players_edges(paytable, self.layout)
        if not wrong:
            return
        worst = min(wrong, key=lambda odds: odds.edge)
        family, _, spot = worst.on.partition("/")
        inline = ("paytable", family, spot[:1]) if spot else ("paytable", family)
        key = ("paytable_file",) if self.paytable_file and family not in self.paytable else inline
        edge = f"{float(-worst.edge):.2%}"
        told = message(
            "{on} pays {pays}, which leaves the players an edge of {edge}.",
            on=worst.on,
            pays=str(worst.pays),
            edge=edge,
        )
        others = len(wrong) - 1
        more = [plural("So does {n} other bet.", "So do {n} other bets.", others)] if others else []
        advice = message("Lower the price, or write insist = true under [table].")
        raise OptionError(key, joined([told, *more, advice], " "))


def _unlike_printed(paytable: Paytable) -> Changes:
    """Return the prices that differ from the printed ones, as a header's ``paytable``."""
    printed = load_paytable(paytable.deck)
    changed = tuple((on, price) for on, price in paytable.prices if dict(printed.prices).get(on) != price)
    return Paytable(paytable.deck, changed).as_changes()
