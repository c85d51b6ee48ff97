"""Chinchirorin for the table companion. What is heavy is loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from companion.games.chinchirorin.odds.command import ask, bets_now
from companion.games.chinchirorin.pages import WEB
from companion.games.chinchirorin.practice import practice
from companion.games.chinchirorin.rules import Chinchirorin
from companion.games.chinchirorin.shapes import ChinchirorinView
from companion.games.chinchirorin.terms import TERMS
from companion.plugins.odds import OddsPart
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    from companion.plugins.options import GameOptions


def _options() -> type[GameOptions]:
    from companion.games.chinchirorin.options import ChinchirorinOptions

    return ChinchirorinOptions


CHINCHIRORIN: Final = GamePlugin(
    rules=Chinchirorin(),
    view=ChinchirorinView,
    practice=practice,
    terms=TERMS,
    options=_options,
    odds=OddsPart(bets=bets_now, ask=ask),
    web=WEB,
)
