"""JSON objects of the link to a floor."""

from __future__ import annotations

from typing_extensions import TypedDict


class PurseJson(TypedDict):
    """A player's purse in the house."""

    purse: int
    player: str
