"""Voice announcements: what the latest command brought about, then what to do next. It never lags behind.

Of what is done while a sentence is spoken only the newest is announced. A sentence that is several seconds old
when its turn comes is dropped: old news only confuses the room.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, Self

from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message
from companion.kernel.words import playing_card_words
from companion.service.snapshot import RoomView

log = logging.getLogger(__name__)

STALE_S: Final = 6.0
_IN_A_ROW: Final = re.compile(r"(\d)[-/](?=\d)")
_SUIT_SIGNS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
_CARD_SIGNS: Final = re.compile(r"(?:[2-9AKQJ]|10)[♠♥♦♣](?: (?:[2-9AKQJ]|10)[♠♥♦♣])*")
AGAIN_S: Final = 60.0
"""Silence after a failure."""

Say = Callable[[str, str], None]
Translate = Callable[[str, str], str]


class Service(Protocol):
    """The part of the table's service that the announcer needs."""

    @property
    def version(self) -> int: ...
    def glance(self) -> RoomView: ...
    def wait(self, after_version: int, timeout_s: float) -> int: ...


@dataclass(frozen=True, slots=True)
class Spoken:
    """What to announce from a view: the number of the newest command, the sentences on it, and the prompt."""

    seq: int
    news: tuple[str, ...]
    prompt: str


def spoken(view: RoomView) -> Spoken:
    """Return what to announce from a view.

    >>> spoken({"log": [{"seq": 4, "kind": "command", "text": "Ann folds"}], "prompt": "Deal", "questions": []})
    Spoken(seq=4, news=('Ann folds',), prompt='Deal')
    """
    lines = [line for line in view.get("log", ()) if line.get("kind") == "command" and line.get("text")]
    seq = lines[-1]["seq"] if lines else 0
    news = tuple(line["text"] for line in lines if line["seq"] == seq)
    asked = [question["text"] for question in view.get("questions", ()) if question.get("blocks")]
    prompt = asked[0] if asked else view.get("prompt") or ""
    return Spoken(seq, news, prompt)


def sentences(before: Spoken, now: Spoken) -> tuple[str, ...]:
    """Return the sentences that are new between two moments.

    >>> sentences(Spoken(4, ("Ann folds",), "Deal"), Spoken(5, ("Bob folds",), "Deal"))
    ('Bob folds',)
    """
    news = now.news if now.seq > before.seq else ()
    return (*news, *((now.prompt,) if now.prompt and now.prompt != before.prompt else ()))


def aloud(text: str, say: Callable[[Message], str] = str) -> str:
    """Return a text as it is spoken: dice and pockets in a row are no sum, fraction or date, and cards have words.

    Args:
        say: puts a card's words into the language of the text.

    >>> aloud("Bo throws 6-3-6"), aloud("5 on split 17/20")
    ('Bo throws 6, 3, 6', '5 on split 17, 20')
    >>> aloud("Bo shows Q♠ 10♦: a pair")
    'Bo shows Queen of Spades, Ten of Diamonds: a pair'
    """

    def worded(cards: re.Match[str]) -> str:
        return ", ".join(say(playing_card_words(_id_of(sign))) for sign in cards[0].split())

    return _CARD_SIGNS.sub(worded, _IN_A_ROW.sub(r"\1, ", text))


def _id_of(sign: str) -> str:
    """Return the id of a card that is written with its suit's sign."""
    return sign[:-1].replace("10", "T") + _SUIT_SIGNS[sign[-1]]


class Announcer:
    """Announces events while on. Make one, `start` it, `close` it.

    Args:
        say: speaks a sentence in a language and returns when it is said.
        translate: puts a sentence of the table into a language.
        clock: seconds, never going back.
    """

    def __init__(
        self, service: Service, say: Say, translate: Translate, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._service, self._say, self._translate, self._clock = service, say, translate, clock
        self._lock = threading.Lock()
        self._is_on, self._language = False, "en"
        self._before = spoken(service.glance())
        self._waiting: list[tuple[float, str]] = []
        self._quiet_until = float("-inf")
        self._stop = threading.Event()
        self._news = threading.Event()
        self._threads = [
            threading.Thread(target=self._listen, name="voice-listen", daemon=True),
            threading.Thread(target=self._speak, name="voice", daemon=True),
        ]

    def set(self, is_on: bool, language: str) -> None:
        """Speak from now on, or keep quiet."""
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- listening

    def _listen(self) -> None:
        version = self._service.version
        while not self._stop.is_set():
            now = self._service.wait(version, 1.0)
            if now != version:
                version = now
                self.hear(self._service.glance())

    def hear(self, view: RoomView) -> None:
        """Process a view: its news replaces everything still pending."""
        now = spoken(view)
        fresh = sentences(self._before, now)
        self._before = now
        with self._lock:
            if self._is_on and fresh:
                self._waiting = [(self._clock(), text) for text in fresh]
                self._news.set()

    # ---- speaking

    def _speak(self) -> None:
        while not self._stop.is_set():
            self._news.wait(1.0)
            while not self._stop.is_set() and self.turn():
                pass

    def turn(self) -> bool:
        """Say the next sentence that is not stale; return whether there was one."""
        with self._lock:
            now = self._clock()
            self._waiting = [(at, text) for at, text in self._waiting if now - at <= STALE_S]
            if not self._waiting or now < self._quiet_until:
                self._waiting = []
                self._news.clear()
                return False
            (_, text), *self._waiting = self._waiting
            language = self._language
        try:
            self._say(aloud(self._translate(text, language), lambda card: self._translate(card, language)), language)
        except CompanionError as error:
            log.warning("%s The table keeps quiet for a while.", error)
            self._quiet_until = self._clock() + AGAIN_S
        return True
