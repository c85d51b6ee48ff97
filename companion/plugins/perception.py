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
class CardWishes:
    """The owner's settings for card recognition.

    Attributes:
        deck_id: the only deck that counts; None for any stored deck.
        shoe: the decks that are played together; with any, no other deck counts.
        verify: whether a card that is known by its corner tags alone is asked about.
    """

    deck_id: str | None = None
    verify: Verify = "strict"
    shoe: tuple[str, ...] = ()

    def plays(self, deck: str | None) -> bool:
        """Say whether a card of this deck counts; the deck of a card that is known by its tag is not known (None).

        >>> wishes = CardWishes(shoe=("K7QX", "AC4D"))
        >>> wishes.plays("AC4D"), wishes.plays("ZZZZ"), wishes.plays(None), CardWishes().plays("ZZZZ")
        (True, False, True, True)
        """
        decks = self.shoe or ((self.deck_id,) if self.deck_id is not None else ())
        return deck is None or not decks or deck in decks


@dataclass(frozen=True, slots=True)
class CardPerception:
    """Perception of cards and tokens.

    Attributes:
        interpreter: says what they mean in the game.
        has_chips: whether printed chips on the mat are followed, too.
        is_secret: whether a card may be somebody's secret: no picture of one is kept, and no note names one.
    """

    interpreter: Callable[[CardWishes], Interpreter]
    has_chips: bool = False
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class DiePerception:
    """Perception of one die in a tray, for a game with ``throw {face}`` and ``throw {d20}`` that counts ``throws``.

    Attributes:
        rules: returns what the game says about throws; None: nothing of its own.
    """

    rules: Callable[[], ThrowRules] | None = None


@dataclass(frozen=True, slots=True)
class WatchReading:
    """What a watched object shows now.

    Attributes:
        moving: whether it has to be waited for.
        answer: the fields of the command that it becomes, such as ``{"pocket": "17"}``; None: nothing is sure.
        confidence: of the answer, 0 to 1; 0 without one.
        box: x, y, width and height of the object in the picture, px; None where it is not seen.
        question: what the dealer is asked where there is no answer and nothing to wait for; None: nothing. Not asked of
            a file.
        key: tells one event from the next, such as two spins with the same answer: an answer counts once for each key.
    """

    moving: bool
    answer: Mapping[str, Any] | None = None
    confidence: float = 0.0
    box: tuple[int, int, int, int] | None = None
    question: Message | None = None
    key: int = 0


class Watcher(Protocol):
    """Follows one object of a game, such as a wheel, through the pictures of its camera. Not thread-safe."""

    def see(self, picture: Image, t: float) -> WatchReading:
        """Process a picture, uint8 (H, W, 3) BGR; ``t`` is its time in seconds, never going back."""
        ...


@dataclass(frozen=True, slots=True)
class WatchPerception:
    """Perception by a game's own watcher.

    Attributes:
        watcher: returns a new one; what it needs is imported on demand.
        verb: the command that an answer becomes, such as ``spin``.
        phases: when it counts: values of the state's ``phase``.
        is_asked: whether the dealer confirms each answer, with one press: for a watcher whose errors are not yet known
            to be rare enough for coins.
        besides: returns a further sight at the same camera, such as of chips beside a wheel, from where a mat was
            calibrated to lie, if any; None: there is none.
    """

    watcher: Callable[[], Watcher]
    verb: str
    phases: frozenset[str]
    is_asked: bool = False
    besides: Callable[[MatCalibration | None], Sight] | None = None


@dataclass(frozen=True, slots=True)
class Indicator:
    """Another object that ``companion read`` may be told to expect, such as a wheel.

    Attributes:
        name: in ``--expect``, and the field of the answer.
        unread: the answer where nothing can be made out; it names no value.
        read: reads a still picture, on its own; None: nothing is read.
        watcher: returns what follows it through a video; None: nothing is read.
    """

    name: str
    unread: Mapping[str, Any]
    read: Callable[[Image], WatchReading] | None = None
    watcher: Callable[[], Watcher] | None = None

    def document(self, seen: WatchReading | None) -> dict[str, Any]:
        """Return the field of the answer; None: it was not looked for."""
        if seen is None or seen.answer is None:
            return dict(self.unread)
        return {**self.unread, **seen.answer, "confidence": round(seen.confidence, 4)}


@dataclass(frozen=True, slots=True)
class Vessel:
    """What a game's dice are thrown into, where the dice in it are read in a way of the game's own, such as a bowl.

    Attributes:
        kind: the dice it is for; used where these are expected.
        count: so many are thrown.
        reader: returns what reads a still picture: all dice in it; None where the vessel is not seen with such dice.
        watcher: returns what follows a video, picture by picture with its time in seconds: the same, of dice at rest.
    """

    kind: DieKind
    count: int
    reader: Callable[[], Callable[[Image], DiceSeen | None]]
    watcher: Callable[[], Callable[[Image, float], DiceSeen | None]] | None = None


Perception = CardPerception | DiePerception | WatchPerception
