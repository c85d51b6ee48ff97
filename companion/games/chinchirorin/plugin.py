"""Chinchirorin for the table companion. What is heavy is loaded when it is asked for."""

from __future__ import annotations

from typing import Final

from companion.games.chinchirorin.rules import Chinchirorin
from companion.games.chinchirorin.shapes import ChinchirorinView
from companion.plugins.plugin import GamePlugin

CHINCHIRORIN: Final = GamePlugin(rules=Chinchirorin(), view=ChinchirorinView)
