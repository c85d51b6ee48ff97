"""Verifies the set-up steps against the current state of camera, decks, panel and table."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.app.setup.camera import SetupCameras
from companion.app.setup.shapes import DeckJson, PanelState
from companion.app.setup.steps import (
    Verdict,
    camera_verdict,
    card_verdict,
    mat_verdict,
    not_good,
    panel_verdict,
    passed,
    players_verdict,
    skipped,
)
from companion.kernel.errors import CompanionError
from companion.kernel.header import Header
from companion.kernel.messages import message
from companion.plugins.perception import CardPerception
from companion.plugins.plugin import GamePlugin

DEMO: Final = "demo"
UnderTest = tuple[str, str, tuple[str, ...]]
"""Camera source, game, and IDs of the decks in play."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The owner's choices and the machine's state: everything that a step is verified against.

    Attributes:
        header: the game as it would start now, with the players at the table.
        source: the chosen camera source.
        is_running: whether this camera is the running table's.
        is_demo: whether the running table is a demo.
        deck_ids: the decks in play; empty for any of the owner's.
        decks: all of the owner's decks.
        can_speak: whether a speech program is installed.
        is_voice_on: whether the voice is switched on.
    """

    plugin: GamePlugin
    header: Header
    source: str
    is_running: bool
    is_demo: bool
    deck_ids: tuple[str, ...]
    decks: tuple[DeckJson, ...]
    panel: PanelState | None
    can_speak: bool
    is_voice_on: bool

    @property
    def reads_cards(self) -> bool:
        """Whether the camera reads cards in this game."""
        return isinstance(self.plugin.perception, CardPerception)

    @property
    def under_test(self) -> UnderTest:
        """The choices that a test's verdict applies to; after a change the test must be repeated."""
        return self.source, self.plugin.name, self.deck_ids


def verify(step: str, chosen: Chosen, cameras: SetupCameras, results: Mapping[str, bool]) -> Verdict:
    """Verify a step.

    Args:
        results: the owner's answers in the panel test: line or ``button/name`` → whether it works.
    """
    by_step: Mapping[str, Callable[[], Verdict]] = {
        "game": lambda: passed(message("{game} is played.", game=chosen.plugin.title)),
        "deck": lambda: _deck(chosen),
        "camera": lambda: _camera(chosen, cameras),
        "mat": lambda: _mat(chosen, cameras),
        "card": lambda: _card(chosen, cameras),
        "panel": lambda: panel_verdict(chosen.panel, results),
        "room": lambda: _room(chosen),
        "players": lambda: _players(chosen),
        "finish": passed,
    }
    return by_step[step]()


def _deck(chosen: Chosen) -> Verdict:
    kinds = [design.kind for design in chosen.plugin.decks]
    if not kinds:
        return skipped(message("This game is played without cards of the house."))
    wanted = chosen.plugin.deck_for(chosen.header.options)
    assert wanted is not None
    named = [deck for deck in chosen.decks if deck["id"] in chosen.deck_ids]
    found = named or [deck for deck in chosen.decks if deck["kind"] == wanted.kind]
    if not found:
        return not_good(message("There is no deck for this game yet. Make one, print it and cut it out."))
    wrong = [deck for deck in found if deck["kind"] not in (wanted.kind, "own")]
    if wrong:
        text = message("Deck {deck} is of another kind. This game is played with: {kind}. Choose or make one.",
                       deck=wrong[0]["id"], kind=wanted.title)  # fmt: skip
        return not_good(text)
    return passed(message("Played with {decks}.", decks=", ".join(f"{deck['name']} ({deck['id']})" for deck in found)))


def drawn(chosen: Chosen) -> Verdict | None:
    """Return why camera steps cannot be verified (simulated or missing camera), or None."""
    if chosen.source == DEMO:
        return skipped(message("The demo table is drawn: no camera was tested."))
    if chosen.is_running and chosen.is_demo:
        return not_good(message("No camera was found, and the demo table stands in. Plug one in, or choose another."))
    return None


def _camera(chosen: Chosen, cameras: SetupCameras) -> Verdict:
    if (unseen := drawn(chosen)) is not None:
        return unseen
    try:
        seen = cameras.view(chosen.source)
    except CompanionError as error:
        return not_good(error.message)
    return camera_verdict(seen, reads_cards=chosen.reads_cards)


def _mat(chosen: Chosen, cameras: SetupCameras) -> Verdict:
    mats = [mat.name for mat in chosen.plugin.mats]
    if not mats:
        return skipped(message("This game has no mat."))
    if (unseen := drawn(chosen)) is not None:
        return unseen
    if not chosen.is_running:
        return not_good(message("The chosen camera is used only after a restart. Restart, then find the mat."))
    return mat_verdict(cameras.calibrate(None), mats)


def _card(chosen: Chosen, cameras: SetupCameras) -> Verdict:
    if not chosen.reads_cards:
        return skipped(message("The camera reads no cards in this game."))
    if (unseen := drawn(chosen)) is not None:
        return unseen
    try:
        return card_verdict(cameras.show_card(chosen.source, chosen.deck_ids))
    except CompanionError as error:
        return not_good(error.message)


def _room(chosen: Chosen) -> Verdict:
    if chosen.is_voice_on and not chosen.can_speak:
        return not_good(message("This machine cannot speak. Install it with: sudo apt install espeak-ng."))
    return passed()


def _players(chosen: Chosen) -> Verdict:
    demo = chosen.plugin.demo if chosen.is_demo else None
    names = [name for name, _ in chosen.header.players]
    return players_verdict(names, () if demo is None else demo.players, _why_not_so_many(chosen.header))


def _why_not_so_many(header: Header) -> str | None:
    """Return why the game cannot be played by the seated players, or None."""
    try:
        header.rules.start(header.seats, header.options)
    except CompanionError as error:
        return error.message
    return None


def with_people(header: Header, people: Iterable[tuple[str, int]]) -> Header:
    """Return a header with these players."""
    return replace(header, players=tuple(people))
