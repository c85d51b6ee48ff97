"""Which commands are in effect: undo and redo, implemented once for the table, replay and journal readers."""

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from companion.kernel.commands import Redo, Undo

T = TypeVar("T")

CORRECTIONS: Final = frozenset({Undo.verb, Redo.verb})
"""Verbs that only change which other commands are in effect."""


class Timeline(Generic[T]):
    """One item for each command in effect, and for each undone command that can be redone.

    >>> line = Timeline[str]()
    >>> for verb, item in (("bet", "5"), ("bet", "8"), ("undo", ""), ("undo", ""), ("redo", "")):
    ...     line.follow(verb, item)
    >>> line.done, line.undone
    (['5'], ['8'])
    >>> line.add("9")
    >>> line.done, line.undone
    (['5', '9'], [])
    """

    __slots__ = ("done", "undone")

    def __init__(self, done: Iterable[T] = (), undone: Iterable[T] = ()) -> None:
        self.done: list[T] = list(done)
        "Items in effect, oldest first."
        self.undone: list[T] = list(undone)
        "Redoable items, the next one last."

    def follow(self, verb: str, item: T) -> None:
        """Add the next command; the item of an undo or redo is ignored.

        Raises:
            IndexError: there is nothing to undo or redo.
        """
        if verb in CORRECTIONS:
            self.correct(verb)
        else:
            self.add(item)

    def add(self, item: T) -> None:
        """Add a new command; undone ones can no longer be redone."""
        self.undone.clear()
        self.done.append(item)

    def correct(self, verb: str) -> T:
        """Undo or redo, and return the item of the undone or redone command.

        Raises:
            IndexError: there is nothing to undo or redo.
        """
        taken, given = (self.done, self.undone) if verb == Undo.verb else (self.undone, self.done)
        item = taken.pop()
        given.append(item)
        return item
