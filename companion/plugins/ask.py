"""`companion odds` for a game that has the odds of its bets, but no `OddsPart.ask` of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from pydantic import TypeAdapter, ValidationError

from companion.kernel.errors import BadScript
from companion.kernel.shared.banked import LIMITS
from companion.odds.asked import limit_options, parse_options
from companion.odds.bet_odds import AnyBet
from companion.odds.table import cells
from companion.plugins.options import GameOptions, setting
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class BetsAsked:
    """The bets of a game at the start of a round."""

    played: ClassVar[str] = "rounds"
    game: str
    bets: tuple[AnyBet, ...]
    words: Mapping[str, str]
    "The rules' wording for each spot."

    def odds(self) -> Sequence[AnyBet]:
        return self.bets

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(bet, bet.on, self.words.get(bet.on, "—")) for bet in self.bets)

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> NoReturn:
        raise BadScript(f"{self.game} brings no simulation. Leave --simulate out.")


def ask(plugin: GamePlugin, seen: str, pairs: Iterable[str]) -> BetsAsked:
    """Answer `companion odds` for a new round.

    Args:
        seen: ``--seen``.
        pairs: the ``KEY=VALUE`` options.

    Raises:
        BadScript: ``seen`` is not empty, or the game has no such option or value.
    """
    if seen:
        raise BadScript(f"The odds of {plugin.name} are those of a new round. Leave --seen out.")
    state = plugin.rules.start((), _options(plugin, pairs))
    house = plugin.house_state(state)
    words = {offer.on: str(offer.words) for offer in house.offers} if house is not None else {}
    return BetsAsked(plugin.name, tuple(plugin.odds.bets(state)), words)


def _options(plugin: GamePlugin, pairs: Iterable[str]) -> dict[str, object]:
    model = plugin.options() if plugin.options is not None else GameOptions
    own = [name for name, field in model.model_fields.items() if not setting(field).by_hand]
    given = parse_options(plugin.name, pairs, (*own, *(LIMITS if plugin.house is not None else ())), "min=5")
    return {name: _value(model, name, text) for name, text in given.items() if name in own} | limit_options(given)


def _value(model: type[GameOptions], name: str, text: str) -> object:
    """Return an option's value converted to its type; if that fails, the text, for the rules to refuse."""
    try:
        kind: type[Any] = model.model_fields[name].annotation  # type: ignore[assignment]  # every field has one
        return TypeAdapter(kind).validate_strings(text)
    except ValidationError:
        return text
