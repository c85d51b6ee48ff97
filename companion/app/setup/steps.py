"""The set-up steps and their verdicts: passed, skipped or not good, with reasons. Pure: no camera, no file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.app.setup.shapes import CardShown, Grade, MatFound, Meters, PanelState, Status, StepWorth
from companion.kernel.messages import Message, listed, message, plural
from companion.kernel.words import card_words

STEPS: Final[tuple[str, ...]] = (
    "game", "deck", "camera", "mat", "card", "panel", "room", "players", "finish",
)  # fmt: skip

_AFFECTED_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "table.game": ("game", "deck", "camera", "mat", "card", "players"),
    "table.layout": ("game", "mat"),
    "table.deck": ("game", "deck", "card"),
    "table.deck_id": ("deck", "card"),
    "table.shoe": ("deck", "card"),
    "camera.source": ("camera", "mat", "card"),
    "voice.on": ("room",),
}


def outdated(changed: Iterable[str]) -> frozenset[str]:
    """Return the steps that must be verified again after changes of these settings.

    >>> sorted(outdated(["camera.source", "table.min"]))
    ['camera', 'card', 'mat']
    """
    return frozenset(step for key in changed for step in _AFFECTED_STEPS.get(key, ()))


Meter = Literal["px_per_mm", "edge_px", "glare_percent", "flicker_percent"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A step's status, with the reasons."""

    status: Status
    why: tuple[str, ...] = ()

    def to_json(self, step: str) -> StepWorth:
        return {"step": step, "status": self.status, "why": list(self.why)}


def passed(*why: str) -> Verdict:
    return Verdict("passed", why)


def skipped(*why: str) -> Verdict:
    return Verdict("skipped", why)


def not_good(*why: str) -> Verdict:
    return Verdict("not-good", why)


# ---- the camera

_LIMITS: Final[Mapping[Meter, tuple[float, float]]] = {
    "px_per_mm": (1.6, 1.2),
    "edge_px": (2.0, 3.0),
    "glare_percent": (2.0, 6.0),
    "flicker_percent": (2.0, 6.0),
}
"""Measurement -> thresholds for good and fair: minimums for ``px_per_mm``, maximums for the others."""

_REMEDIES: Final[Mapping[Meter, Message]] = {
    "px_per_mm": message("Too few pixels for the codes. Mount the camera lower, or choose a finer picture."),
    "edge_px": message("The picture is blurred. Focus the lens, or add light."),
    "glare_percent": message("Parts of the picture are burnt out. Turn the lamp aside, or dim it."),
    "flicker_percent": message("The light flickers. Switch the flickering lamp off, or take another one."),
}


def grades(meters: Meters) -> dict[str, Grade]:
    """Grade a picture's measurements; unknown ones are left out."""
    return {key: _grade(key, value) for key in _LIMITS if (value := meters[key]) is not None}


def _grade(key: Meter, value: float) -> Grade:
    good, fair = _LIMITS[key]
    if key == "px_per_mm":
        return "good" if value >= good else "fair" if value >= fair else "poor"
    return "good" if value <= good else "fair" if value <= fair else "poor"


def camera_verdict(meters: Meters, *, reads_cards: bool) -> Verdict:
    """Judge a live picture.

    Args:
        reads_cards: whether cards are read in this game; then focus and scale must have been measured, which takes a
            printed card or mat in view.
    """
    graded = grades(meters)
    wrong: list[str] = [_REMEDIES[key] for key in _LIMITS if graded.get(key) == "poor"]
    if reads_cards and not {"px_per_mm", "edge_px"} <= graded.keys():
        wrong.append(
            message(
                "Focus and scale were not measured: no card and no mat can be made out. Lay one down; if one lies "
                "there, focus the lens."
            )
        )
    if "flicker_percent" not in graded:
        wrong.append(message("The light was not measured: the picture stands still or is too dark. Add light."))
    return not_good(*wrong) if wrong else passed()


# ---- cards and mat


def card_verdict(shown: CardShown) -> Verdict:
    """Judge how the shown card was read."""
    if shown["status"] == "ok" or shown["is_own"]:
        card = card_words(shown["card"]) if shown["card"] else message("card")
        return passed(message("{card} of deck {deck} was read.", card=card, deck=shown["deck"] or ""))
    return not_good(shown["text"])


def mat_verdict(found: MatFound, wanted: Iterable[str]) -> Verdict:
    """Judge the mat's calibration.

    Args:
        wanted: the game's mats.
    """
    mats = tuple(wanted)
    if not found["ok"]:
        return not_good(*found["troubles"])
    if found["mat"] not in mats:
        return not_good(
            message("This is the mat {mat}. Lay the mat of this game: {mats}.", mat=found["mat"], mats=" / ".join(mats))
        )
    return passed(message("The mat {mat} lies well.", mat=found["mat"]))


# ---- the panel


def panel_verdict(panel: PanelState | None, results: Mapping[str, bool]) -> Verdict:
    """Judge the panel by the owner's answers.

    Args:
        panel: the panel's state; None without a panel.
        results: line or ``button/name`` → whether it works.
    """
    if panel is None:
        return skipped(message("No panel is wired here. Everything works from the dealer's page."))
    if panel["troubles"]:
        return not_good(*panel["troubles"])
    parts = [*panel["lines"], *(f"button/{button}" for button in panel["buttons"])]
    broken = [part for part in parts if results.get(part) is False]
    untried = [part for part in parts if part not in results]
    wrong = []
    if broken:
        wrong.append(message("These do not work: {parts}. Check their wires.", parts=", ".join(broken)))
    if untried:
        wrong.append(message("{count} of {all} parts were not tried. Begin the test, and answer for each.",
                             count=len(untried), all=len(parts)))  # fmt: skip
    return not_good(*wrong) if wrong else passed(message("All {all} parts work.", all=len(parts)))


# ---- the players


def players_verdict(names: Sequence[str], simulated: Iterable[str], trouble: str | None) -> Verdict:
    """Judge the seated players.

    Args:
        simulated: the names of the demo's players.
        trouble: why the game cannot be played by these players, or None.
    """
    if not names:
        return not_good(message("Nobody sits at the table. Add a player, or skip this step."))
    if trouble is not None:
        return not_good(trouble)
    people = [name for name in names if name not in set(simulated)]
    if not people:
        return skipped(message("Only the demo's simulated players sit here."))
    return passed(
        plural("{players} sits at the table.", "{players} sit at the table.", len(people), players=listed(people))
    )
