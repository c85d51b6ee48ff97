"""A clock of its own for a demo house, and a demo table that a test drives."""

from __future__ import annotations

FPS = 12


class World:
    """Runs a house, its table and an eye together. A subclass makes `house`, and says what its eye sees in `look`."""

    longest_s = 400.0

    def __init__(self, table, *, is_watching=True):
        self.now = 50.0
        self.is_watching = is_watching
        self._table = table

    def clock(self):
        return self.now

    def run(self, seconds=None, until=lambda: False):
        """Let time pass; True as soon as what was waited for is there."""
        end = self.now + (seconds or self.longest_s)
        while self.now < end:
            self.house.tick()
            self._table.picture(self.now)
            if self.is_watching and not self._table.busy:
                self.look()
            if until():
                return True
            self.now += 1 / FPS
        return False


def driven(table, longest_s):
    """Return a table with a `run` that lets time pass until nothing moves; it returns the last picture."""
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
