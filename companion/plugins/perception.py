"""A game's perception: what the camera tracks, and how the game interprets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from companion.kernel.messages import Message
from companion.tracking.cards.proposal import Interpreter

if TYPE_CHECKING:
    from companion.objects.dice import DieKind
    from companion.tracking.dice.throws import ThrowRules
    from companion.tracking.sight import Sight
    from companion.vision.dice.reader import DiceSeen
    from companion.vision.frame import Image
    from companion.vision.mat import MatCalibration

Verify = Literal["strict", "relaxed"]


@dataclass(frozen=True, slots=True)
class CardSettings:
    """The owner's settings for card recognition.

    Attributes:
        deck_id: the only deck that counts; None: any stored deck.
        verify: ``strict``: a card known only by its corner tags is asked about; ``relaxed``: it counts.
        shoe: ids of the decks played together; unless empty, no other deck counts.
    """

    deck_id: str | None = None
    verify: Verify = "strict"
    shoe: tuple[str, ...] = ()

    def plays(self, deck: str | None) -> bool:
        """Whether a card of this deck counts. A card known only by its tag has no known deck (None) and counts.

        >>> settings = CardSettings(shoe=("K7QX", "AC4D"))
        >>> settings.plays("AC4D"), settings.plays("ZZZZ"), settings.plays(None), CardSettings().plays("ZZZZ")
        (True, False, True, True)
        """
        decks = self.shoe or ((self.deck_id,) if self.deck_id is not None else ())
        return deck is None or not decks or deck in decks


@dataclass(frozen=True, slots=True)
class CardPerception:
    """Perception of cards and tokens.

    Attributes:
        interpreter: returns the game's interpreter of cards and tokens.
        has_chips: whether printed chips on the mat are tracked as well.
        is_secret: whether cards may be hidden information: then no pictures of cards are stored, and no note names one.
    """

    interpreter: Callable[[CardSettings], Interpreter]
    has_chips: bool = False
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class DiePerception:
    """Perception of one die in a tray, for a game with ``throw {face}`` and ``throw {d20}`` that counts ``throws``.

    Attributes:
        rules: returns the game's rules about throws; None: the default rules.
    """

    rules: Callable[[], ThrowRules] | None = None


@dataclass(frozen=True, slots=True)
class WatchReading:
    """The current reading of a watched object.

    Attributes:
        moving: whether the object is still in motion.
        answer: the fields of the resulting command, such as ``{"pocket": "17"}``; None: no certain result.
        confidence: confidence of the answer, 0 to 1; 0 without one.
        box: x, y, width and height of the object in the picture, px; None if it is not seen.
        question: the question to the dealer about an object at rest without an answer; None: no question. Not asked
            when a file is read.
        key: identifies the event, to distinguish for example two spins with the same answer; an answer counts once
            per key.
    """

    moving: bool
    answer: Mapping[str, Any] | None = None
    confidence: float = 0.0
    box: tuple[int, int, int, int] | None = None
    question: Message | None = None
    key: int = 0


class Watcher(Protocol):
    """Tracks one object of a game, such as a wheel, from frame to frame. Not thread-safe."""

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a picture, uint8 (H, W, 3) BGR; ``t`` is its time in seconds, never going back."""
        ...


@dataclass(frozen=True, slots=True)
class WatchPerception:
    """Perception by a game's own watcher.

    Attributes:
        watcher: returns a new watcher; it imports its dependencies on demand.
        verb: the command for an answer, such as ``spin``.
        phases: values of the state's ``phase`` in which an answer counts.
        is_asked: whether the dealer has to confirm each answer with one press, because the watcher's error rate is not
            yet known to be low enough for coins.
        second_pipeline: returns a second pipeline on the same camera, such as for chips beside a wheel, given the mat's
            calibration, if any; None: none.
    """

    watcher: Callable[[], Watcher]
    verb: str
    phases: frozenset[str]
    is_asked: bool = False
    second_pipeline: Callable[[MatCalibration | None], Sight] | None = None


@dataclass(frozen=True, slots=True)
class Indicator:
    """An additional object that ``companion read --expect`` can look for, such as a wheel.

    Attributes:
        name: its name in ``--expect``, and its field in the output.
        unread: the output if it cannot be read; contains no value.
        read: reads a single picture; None: not supported.
        watcher: returns a watcher for a video; None: not supported.
    """

    name: str
    unread: Mapping[str, Any]
    read: Callable[[Image], WatchReading] | None = None
    watcher: Callable[[], Watcher] | None = None

    def document(self, seen: WatchReading | None) -> dict[str, Any]:
        """Return the output for a reading; None (not looked for) and no answer give `unread`."""
        if seen is None or seen.answer is None:
            return dict(self.unread)
        return {**self.unread, **seen.answer, "confidence": round(seen.confidence, 4)}


@dataclass(frozen=True, slots=True)
class Vessel:
    """A vessel that a game's dice are thrown into, such as a bowl, with the game's own way of reading the dice in it.

    Attributes:
        kind: the kind of dice; the vessel is used when this kind is expected.
        count: the number of dice thrown.
        reader: returns a function that reads all dice in a single picture; it returns None unless it sees the vessel
            with such dice.
        watcher: returns a function that reads a video frame by frame, given the time in seconds; the same for dice at
            rest. None: not supported.
    """

    kind: DieKind
    count: int
    reader: Callable[[], Callable[[Image], DiceSeen | None]]
    watcher: Callable[[], Callable[[Image, float], DiceSeen | None]] | None = None


Perception = CardPerception | DiePerception | WatchPerception
