"""Voice announcements: the result of the latest command, the payments, then what to do next. They never lag behind.

Of the commands given while a sentence is spoken, only the latest is announced. A sentence that is older than `STALE_S`
when its turn comes is dropped: old news only confuses the room. The steps of the pay sheet are exempt: they stay in
the queue until they are ticked or undone, or another sheet is current.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from companion.closing import Closing
from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message
from companion.kernel.words import playing_card_words
from companion.service.paying.sheet import PayStepJson, StepKind
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService

log = logging.getLogger(__name__)

STALE_S: Final = 6.0
_JOINED_NUMBERS: Final = re.compile(r"(\d)[-/](?=\d)")
_SUIT_SIGNS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
_CARD_SIGNS: Final = re.compile(r"(?:[2-9AKQJ]|10)[♠♥♦♣](?: (?:[2-9AKQJ]|10)[♠♥♦♣])*")
AGAIN_S: Final = 60.0
"""Pause after the voice has failed, in seconds."""

Say = Callable[[str, str], None]
Translate = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What to announce from a view.

    Attributes:
        seq: of the latest command; 0 without one.
        news: the sentences about it.
        prompt: the first blocking question, or else the game's prompt.
        sheet: id of the pay sheet.
        to_pay: key and sentence of each step still to be carried out.
    """

    seq: int
    news: tuple[str, ...]
    prompt: str
    sheet: str = ""
    to_pay: tuple[tuple[str, str], ...] = ()


def spoken(view: RoomView) -> Spoken:
    """Return what to announce from a view.

    >>> spoken({"log": [{"seq": 4, "kind": "command", "text": "Ann folds"}], "prompt": "Deal", "questions": []})
    Spoken(seq=4, news=('Ann folds',), prompt='Deal', sheet='', to_pay=())
    """
    lines = [line for line in view.get("log", ()) if line.get("kind") == "command" and line.get("text")]
    seq = lines[-1]["seq"] if lines else 0
    news = tuple(line["text"] for line in lines if line["seq"] == seq)
    asked = [question["text"] for question in view.get("questions", ()) if question.get("blocks")]
    prompt = asked[0] if asked else view.get("prompt") or ""
    sheet = view.get("pay_sheet")
    if sheet is None or sheet["is_past"]:
        return Spoken(seq, news, prompt)
    to_pay = tuple((step["key"], step["says"]) for step in sheet["steps"] if _is_due(step, sheet["paid"]))
    return Spoken(seq, news, prompt, sheet["id"], to_pay)


def _is_due(step: PayStepJson, paid: Sequence[str]) -> bool:
    """Whether to announce a step: not if it is ticked, or is a stake that the player has already placed."""
    return step["key"] not in paid and step["kind"] != StepKind.STAKE


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence in the queue."""

    at: float
    "Time at which it was queued, in seconds."
    text: str
    step: str = ""
    "Key of its step on the pay sheet, if any."
    lasts: bool = False
    "Whether it never becomes stale."


def to_say(before: Spoken, now: Spoken, waiting: Sequence[Line] = (), at: float = 0.0) -> list[Line]:
    """Return the new queue after a change: the news, the payments still to be made, and a new prompt.

    Args:
        waiting: the queue before.
        at: the time, in seconds.

    >>> [line.text for line in to_say(Spoken(4, ("Ann folds",), "Deal"), Spoken(5, ("Bob folds",), "Deal"))]
    ['Bob folds']
    """
    open_ = dict(now.to_pay)
    left = [line for line in waiting if not line.step or line.step in open_]
    is_new_sheet = now.sheet != before.sheet
    news = [Line(at, text) for text in now.news] if now.seq > before.seq else []
    is_asked = bool(now.prompt) and now.prompt != before.prompt
    if not (news or is_asked or is_new_sheet):
        return left
    if is_new_sheet:
        pay = [Line(at, text, key, lasts=True) for key, text in now.to_pay]
    else:
        pay = [line for line in left if line.lasts and (line.step or line.text == now.prompt)]
    return [*news, *pay, *([Line(at, now.prompt, lasts=bool(pay))] if is_asked else [])]


def aloud(text: str, say: Callable[[Message], str] = str) -> str:
    """Return a text for the speech synthesiser.

    Numbers joined by ``-`` or ``/`` are read as a list, not as a sum, fraction or date; card symbols become words.

    Args:
        say: translates a card's name into the language of the text.

    >>> aloud("Bo throws 6-3-6"), aloud("5 on split 17/20")
    ('Bo throws 6, 3, 6', '5 on split 17, 20')
    >>> aloud("Bo shows Q♠ 10♦: a pair")
    'Bo shows Queen of Spades, Ten of Diamonds: a pair'
    """

    def worded(cards: re.Match[str]) -> str:
        return ", ".join(say(playing_card_words(_id_of(sign))) for sign in cards[0].split())

    return _CARD_SIGNS.sub(worded, _JOINED_NUMBERS.sub(r"\1, ", text))


def _id_of(sign: str) -> str:
    """Return the id of a card written with its suit symbol, such as ``10♦``."""
    return sign[:-1].replace("10", "T") + _SUIT_SIGNS[sign[-1]]


class Announcer(Closing):
    """Announces events while switched on. Call `start` to begin and `close` to end.

    Args:
        say: speaks a sentence in a language; blocks until it has been spoken.
        translate: translates a message into a language.
        clock: monotonic seconds.
    """

    def __init__(
        self, service: TableService, say: Say, translate: Translate, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._service, self._say, self._translate, self._clock = service, say, translate, clock
        self._lock = threading.Lock()
        self._is_on, self._language = False, "en"
        self._before = spoken(service.glance())
        self._waiting: list[Line] = []
        self._quiet_until = float("-inf")
        self._stop = threading.Event()
        self._news = threading.Event()
        self._threads = [
            threading.Thread(target=self._listen, name="voice-listen", daemon=True),
            threading.Thread(target=self._speak, name="voice", daemon=True),
        ]

    def set(self, is_on: bool, language: str) -> None:
        """Switch announcements on or off, and set their language."""
        with self._lock:
            self._is_on, self._language = is_on, language
            if not is_on:
                self._waiting = []

    def start(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def close(self) -> None:
        """Stop; the current sentence may finish. May be called twice."""
        self._stop.set()
        self._news.set()

    # ---- listening

    def _listen(self) -> None:
        version = self._service.version
        while not self._stop.is_set():
            now = self._service.wait(version, 1.0)
            if now != version:
                version = now
                self.hear(self._service.glance())

    def hear(self, view: RoomView) -> None:
        """Process a view: its news replaces the queue, except for payments still to be made."""
        before, now = self._before, spoken(view)
        self._before = now
        with self._lock:
            if self._is_on:
                self._waiting = to_say(before, now, self._waiting, self._clock())
                self._news.set()

    # ---- speaking

    def _speak(self) -> None:
        while not self._stop.is_set():
            self._news.wait(1.0)
            while not self._stop.is_set() and self.turn():
                pass

    def turn(self) -> bool:
        """Speak the next sentence that is not stale; return whether there was one."""
        with self._lock:
            now = self._clock()
            self._waiting = [line for line in self._waiting if line.lasts or now - line.at <= STALE_S]
            if not self._waiting or now < self._quiet_until:
                self._waiting = []
                self._news.clear()
                return False
            line, *self._waiting = self._waiting
            language = self._language
        try:
            self._say(
                aloud(self._translate(line.text, language), lambda card: self._translate(card, language)), language
            )
        except CompanionError as error:
            log.warning("%s Announcements are paused for a while.", error)
            self._quiet_until = self._clock() + AGAIN_S
        return True
