"""Measures the camera on hands of Rochi: prints a table of commands that were right, asked about and wrong.

    python tests/bench/accuracy_rochi.py [--seeds 1-10] [--players 3,4,5,6] [--fps 10] [--pace 1.0] [--no-mat]

Simulated people play hands on the demo's table; its pictures go through reader, tracker and interpreter into a real
table. Buttons such as END and FOLD are pressed according to the script; everything else has to be seen. Each question
is counted, and answered correctly by one press two seconds later. `wrong` counts commands in effect at the end that do
not match what happened; `taken back` counts those that the camera itself corrected.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from rochi_script import RochiScript, Truth

from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.games.rochi.demo.table import print_rochi_mat
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.table import Header, Table
from companion.objects.decks import Deck
from companion.service.questions import Choice, Question
from companion.testing import DECKS, INSTALLED
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.sight import Sight
from companion.vision.live.reader import Reader
from hardware.demo.faces import Faces
from hardware.demo.layers import Texture
from hardware.demo.printer import DeckPrinter

DECK = Deck("K7QX", DECKS["roche"], "Bench", b"a key for benches, 32 bytes long", "2026-01-01T00:00:00.000+00:00")
PATIENCE_S = 2.0
SEEN = ("seed", "play", "deal")


@dataclass
class Evening:
    """A table under test with its ground truth."""

    header: Header
    truth: list[Truth] = field(default_factory=list)
    asked: list[tuple[float, str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    undone: int = 0
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(self.header)
        self.questions: dict[str, tuple[Question, float]] = {}

    def press(self, done: Iterable[Truth], t: float) -> None:
        """Record newly true commands, and press the buttons that people press."""
        for truth in done:
            self.truth.append(truth)
            if truth.how == "button":
                self.do(truth.record, t, "button")

    def do(self, record: Record, t: float, source: str) -> bool:
        try:
            self.table.do(record)
        except TableError as error:
            self.refused.append(f"{t:.1f} {source} {record}: {error}")
            self.log.append(f"{t:.1f} {source} {_short(record)} REFUSED {error.code}")
            return False
        self.undone += record["do"] == "undo"
        self.log.append(f"{t:.1f} {source} {_short(record)}")
        return True

    def look(self, sight: Sight, t: float) -> None:
        """Play the camera's proposals; answer questions that stay open too long."""
        for _ in range(30):
            now = self.table.situation()
            advice = sight.propose(now)
            if advice.command is None:
                break
            if not self.do(advice.command, t, "camera"):
                sight.refused(advice)
                break
            sight.played(advice, now)
        self._answer(sight, advice.questions, t)

    def _answer(self, sight: Sight, questions: Iterable[Question], t: float) -> None:
        self.questions = {q.id: (q, self.questions.get(q.id, (q, t))[1]) for q in questions}
        for question, since in list(self.questions.values()):
            if t - since >= PATIENCE_S:
                choice = self._choice(question)
                if choice is None:
                    continue
                self.asked.append((t, question.kind, question.text))
                self.log.append(f"{t:.1f} ASKED {question.kind} {question.text} -> {choice.label}")
                if choice.command is None or self.do(choice.command, t, "answer"):
                    sight.answered(question, choice)
                self.questions[question.id] = (question, t + 5.0)

    def _choice(self, question: Question) -> Choice | None:
        """Return the answer of a dealer who saw everything; None while the situation is still unresolved."""
        if question.kind == "play-or-deal":
            return self._true_way(question)
        if question.kind in ("token", "leader", "next-hand", "odd-coin", "fold"):
            return None  # a hand moves it anyway, or a button is pressed
        return question.choices[0]

    def _true_way(self, question: Question) -> Choice | None:
        """Return the choice that matches the true next commands: who did what, and whose turn ended before."""
        rules = Table(self.header)
        for truth in self.truth:
            seat = next((p["seat"] for p in rules.view()["players"] if p["name"] == rules.view()["turn"]), None)
            if truth.record.get("card") == question.card:
                way = f"{truth.record['do']}{seat}"
                return next((c for c in question.choices if c.id.split("+")[-1] == way), None)
            rules.do(truth.record)
        return None

    # ---- results

    def score(self) -> Score:
        """Compare the commands in effect with the ground truth."""
        true = [_short(k.record) for k in self.truth]
        counted = [_short(r) for r in self.table.records]
        right, wrong = matched(true, counted)
        seen = [_short(k.record) for k in self.truth if k.how == "camera"]
        return Score(len(seen), sum(r in SEEN or r.split()[0] in SEEN for r in right), len(self.asked),
                     len(wrong), self.undone, self.same_coins())  # fmt: skip

    def same_coins(self) -> bool:
        rules = Table(self.header)
        for truth in self.truth:
            rules.do(truth.record)
        return bool(rules.result()["balances"] == self.table.result()["balances"])


@dataclass(frozen=True)
class Score:
    """Actions to be seen, how many of them were recorded correctly, questions, wrong commands, and coins."""

    actions: int = 0
    right: int = 0
    asked: int = 0
    wrong: int = 0
    undone: int = 0
    coins: bool = True


def matched(true: list[str], counted: list[str]) -> tuple[list[str], list[str]]:
    """Return the longest common subsequence of commands, and the other commands that counted."""
    n, m = len(true), len(counted)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            same = true[i] == counted[j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    i = j = 0
    right, wrong = [], []
    while j < m:
        if i < n and true[i] == counted[j]:
            right.append(true[i])
            i, j = i + 1, j + 1
        elif i < n and best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            wrong.append(counted[j])
            j += 1
    return right, wrong


def _short(record: Record) -> str:
    return f"{record['do']} {record.get('card', record.get('pot', ''))}".strip()


def play(
    seed: int, players: int, fps: float, pace: float, faces: Faces | None = None, mat: Texture | None = None
) -> Evening:
    """Play a hand on rendered pictures; ``mat`` replaces the table's own mat print."""
    script = RochiScript(seed, players=players, fps=fps, pace=pace, deck=DECK, faces=faces, mat=mat)
    sight = CardSight(Reader({DECK.id: DECK.key}, DECKS), RochiInterpreter(), zones=Zones(INSTALLED.mats))
    evening = Evening(script.header)
    for shot in script.shots():
        evening.press(shot.done, shot.frame.t)
        sight.see(shot.frame, shot.frame.t)
        evening.look(sight, shot.frame.t)
    return evening


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seeds", default="1-4")
    asked.add_argument("--players", default="3,4,5,6")
    asked.add_argument("--fps", type=float, default=10.0)
    asked.add_argument("--pace", type=float, default=1.0)
    asked.add_argument("--no-mat", action="store_true", help="bare cloth without zones, so that the dealer is asked")
    asked.add_argument("--verbose", action="store_true")
    chosen = asked.parse_args()
    cv2.setNumThreads(1)
    faces = Faces(DeckPrinter(DECK))
    mat = bare_cloth() if chosen.no_mat else None
    print(f"{'players':>7} {'seed':>6} {'actions':>8} {'right':>6} {'asked':>6} {'wrong':>6} {'undone':>7}  coins")
    scores: list[Score] = []
    for players in map(int, chosen.players.split(",")):
        for seed in _seeds(chosen.seeds):
            start = time.monotonic()
            evening = play(seed, players, chosen.fps, chosen.pace, faces, mat)
            scores.append(evening.score())
            print(row(str(players), str(seed), scores[-1]), f"({time.monotonic() - start:.0f} s)", flush=True)
            if chosen.verbose:
                print("\n".join(evening.log))
    print(row("all", "", total(scores)))
    actions, right = total(scores).actions, total(scores).right
    print(f"{100 * right / max(1, actions):.2f} % of {actions} actions right")
    sys.exit(0 if all(s.coins for s in scores) else 1)


def bare_cloth() -> Texture:
    """Return a blank mat print."""
    printed = print_rochi_mat()
    return replace(printed, colour=np.full_like(printed.colour, (96, 120, 70)))


def row(players: str, seed: str, s: Score) -> str:
    coins = "agree" if s.coins else "DIFFER"
    return f"{players:>7} {seed:>6} {s.actions:>8} {s.right:>6} {s.asked:>6} {s.wrong:>6} {s.undone:>7}  {coins}"


def total(scores: Iterable[Score]) -> Score:
    kept = list(scores)
    sums: dict[str, Any] = {
        k: sum(getattr(s, k) for s in kept) for k in ("actions", "right", "asked", "wrong", "undone")
    }
    return Score(**sums, coins=all(s.coins for s in kept))


def _seeds(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    main()
