"""The text of a game's printed rules card, generated from the plug-in: course of a round, payouts, glossary."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from companion.kernel.game import Options
from companion.kernel.messages import Message, joined, message
from companion.kernel.shared.banked import Limits
from companion.odds.table import HEADINGS
from companion.plugins.ask import ask
from companion.plugins.plugin import GamePlugin


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A line of the price list: when the bets win, what they pay, and the house edge; None without a house."""

    wins_if: str
    pays: str
    edge: str | None


@dataclass(frozen=True, slots=True)
class RulesText:
    """The contents of a game's rules card, mostly messages.

    Attributes:
        steps: the course of a round, in order.
        prices: the price list of its bets, in the layout's order.
        limits: the table's betting limits and maximum payout.
        terms: its glossary: terms with synonyms and meanings.
    """

    title: Message
    steps: tuple[str, ...]
    prices: tuple[PriceLine, ...]
    limits: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]


def rules_text(plugin: GamePlugin, options: Options) -> RulesText:
    """Return the text of a game's rules card, under a header's options.

    Raises:
        BadScript: an option is not one of the game's.
    """
    terms = tuple((joined((term.word, *term.also)), term.means) for term in plugin.terms)
    return RulesText(
        Message(plugin.title), plugin.steps, tuple(_prices(plugin, options)), tuple(_limits(plugin, options)), terms
    )


def _prices(plugin: GamePlugin, options: Options) -> Iterator[PriceLine]:
    if not plugin.odds.has_odds:
        return
    pairs = [f"{key}={_text(value)}" for key, value in options.items() if value is not None]
    asked = plugin.odds.ask("", pairs) if plugin.odds.ask is not None else ask(plugin, "", pairs)
    for line in asked.lines():
        cell = dict(zip(HEADINGS, line, strict=True))
        edge = cell["edge"] if plugin.house is not None else None
        yield PriceLine(cell["wins if"], cell["pays"], edge)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _limits(plugin: GamePlugin, options: Options) -> Iterator[Message]:
    house = plugin.house_state(plugin.rules.start((), options)) if plugin.house is not None else None
    limits = house.rules.limits if house is not None else Limits()
    if limits.minimum is not None:
        yield message("Minimum bet: {coins}", coins=limits.minimum)
    if limits.maximum is not None:
        yield message("Maximum per spot: {coins}", coins=limits.maximum)
    if limits.cap is not None:
        yield message("Maximum payout: {coins}", coins=limits.cap)
