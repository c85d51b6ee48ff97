"""The real rules without a disk, a simulated clock for a demo agent, and a demo table driven by a test."""

import threading

from companion.kernel.table import Table
from companion.plugins.panel import OpenQuestion
from companion.testing import moment_at, new_header

FPS = 12


def asked(question_id, kind, card=None, choices=()):
    """Return an open question."""
    return OpenQuestion(question_id, "?", tuple((choice, choice) for choice in choices), kind=kind, card=card)


class Service:
    """The real table without a journal: accepts commands and records their sources."""

    def __init__(self, game, players=(), options=None):
        self.table = Table(new_header(game, tuple(players), options or {}))
        self.entries, self.questions, self.answers = [], [], []
        self.camera = "ok"
        self._lock = threading.RLock()

    def submit(self, record, *, source, key=None, timeout_s=5.0):
        with self._lock:
            self.table.do(record)
            self.entries.append({"kind": "command", "record": dict(record), "source": source})

    def notice(self, text, *, source, data=None):
        with self._lock:
            self.entries.append({"kind": "notice", "record": {"text": text, "data": data or {}}, "source": source})

    def events(self, after=0, limit=100, viewer="room"):
        return self.entries[after : after + limit]

    def view(self, viewer="room"):
        with self._lock:
            return self.table.view()

    def moment(self):
        with self._lock:
            return moment_at(self.table, self.questions, self.camera)

    def wait(self, after, timeout_s):
        threading.Event().wait(min(timeout_s, 0.01))
        return len(self.entries)

    def answer(self, question_id, choice_id, *, source):
        self.answers.append((question_id, choice_id, source))
        self.questions = [question for question in self.questions if question.id != question_id]

    def said(self, verb, source=None):
        return [e["record"] for e in self.entries if e["record"].get("do") == verb and source in (None, e["source"])]


class World:
    """Runs an agent, its table and a fake camera. Subclasses create `agent` and implement the camera in `look`."""

    longest_s = 400.0

    def __init__(self, table, *, is_watching=True):
        self.now = 50.0
        self.is_watching = is_watching
        self._table = table

    def clock(self):
        return self.now

    def run(self, seconds=None, until=lambda: False):
        """Let time pass; return True as soon as the condition holds."""
        end = self.now + (seconds or self.longest_s)
        while self.now < end:
            self.agent.tick()
            self._table.picture(self.now)
            if self.is_watching and not self._table.busy:
                self.look()
            if until():
                return True
            self.now += 1 / FPS
        return False


def driven(table, longest_s):
    """Return the table with a method `run`, which lets time pass until nothing moves and returns the last picture."""
    t = 0.0

    def run(*, until_idle=True, seconds=longest_s):
        nonlocal t
        end, image = t + seconds, None
        while t < end:
            t += 1 / FPS
            image = table.picture(t)
            if until_idle and not table.busy:
                break
        return image

    table.run = run
    return table
