"""A game's printed paper slips, for writing or for reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.kernel.errors import CompanionError
from companion.kernel.game import Options
from companion.kernel.messages import Message, message

if TYPE_CHECKING:
    from companion.plugins.plugin import GamePlugin
    from companion.printing.pieces import Piece


class NoSlips(CompanionError):
    """A game has no slips, or none of this size."""


@dataclass(frozen=True, slots=True)
class SlipSettings:
    """The parameters for printing slips.

    Attributes:
        options: the options of the game's header: the rules in force.
        size: one of `Slips.sizes`; empty if there is only one size.
        say: translates a message into the language of the slips.
    """

    options: Options
    size: str
    say: Callable[[Message], str]


@dataclass(frozen=True, slots=True)
class Slips:
    """A game's paper slips.

    Attributes:
        draw: returns the slips, all of one size, as many of each as a table needs; called at printing.
        sizes: the available sizes, the default first; empty if there is only one.
    """

    draw: Callable[[SlipSettings], tuple[Piece, ...]]
    sizes: tuple[str, ...] = ()


def slips_of(plugin: GamePlugin, options: Options, size: str | None, language: str) -> tuple[Piece, ...]:
    """Return the slips of a game.

    Args:
        options: the options of its header.
        size: None for the default one.

    Raises:
        NoSlips: the game has no slips, or none of this size.
    """
    from companion.locale import Translator

    slips = plugin.slips
    if slips is None:
        raise NoSlips.saying("{game} has no paper slips. Name a game that has some.", game=plugin.title)
    if size is not None and size not in slips.sizes:
        sizes = ", ".join(slips.sizes)
        raise NoSlips(
            message(
                "{game} has no slips of the size {size}. Choose {sizes}.", game=plugin.title, size=size, sizes=sizes
            )
            if sizes
            else message("{game} has slips of one size. Leave the size out.", game=plugin.title)
        )
    usual = slips.sizes[0] if slips.sizes else ""
    translate: Any = Translator((plugin.package,))
    return slips.draw(SlipSettings(options, size or usual, lambda text: str(translate(text, language))))
