"""Interprets face-up cards and chips in King of Roulette. Pure, like all interpreters.

Nothing is read before the dealer confirms that everybody has chosen. Then each missing choice is read once from the
face-up cards and chips; choices made by phone stand. Questions name no space, so they leak no secret.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from companion.games.king.camera.open_things import Choice as Laid
from companion.games.king.camera.open_things import Doubt, Problem, Shown, all_things, shown
from companion.games.king.state import Phase, State
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.plugins.perception import CardSettings
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.cards.proposal import Proposal, Waiting

READ: Final = "read"
LEAVE: Final = "leave"
AGAIN_S: Final = 3.0
ASK_AGAIN_S: Final = 15.0
"""Delay before asking again after "not yet"; new face-up objects are asked about at once."""
_ABOUT: Final[Mapping[Problem, Callable[[str], Message]]] = {
    "between": lambda who: message("What {who} has laid lies between two spaces. Move it.", who=who),
    "elsewhere": lambda who: message(
        "{who}'s card lies on another space than it says. Put it where it belongs.", who=who
    ),
    "several": lambda who: message("{who} has laid more than one bet. Leave one.", who=who),
    "seat": lambda who: message("There is a bet of seat {who}, where nobody sits. Take it away.", who=who),
    "king": lambda who: message("{who} is the king and does not bet. Take the bet away.", who=who),
    "rule": lambda who: message(
        "{who}'s rule is none: two cards for 1 point, one for 2, three different spaces.", who=who
    ),
    "guess": lambda who: message("{who}'s guess is none here: one card, no more than all others.", who=who),
    "unread": lambda who: message(
        "A card on the mat is not read. Take it up and lay it again, or say what it is by hand."
    ),
}


class KingInterpreter:
    """Reads rule, guess and bets at the reveal; see `companion.tracking.cards.proposal.Interpreter`."""

    games: Final = ("king-of-roulette",)
    asks_about_unread_objects: Final = False

    def __init__(self, settings: CardSettings) -> None:
        self._deck = settings.deck_id
        self._step: tuple[object, ...] | None = None
        self._old: frozenset[str] = frozenset()
        self._may_read = False
        self._open: set[str] = set()
        "IDs of the have-all-chosen questions asked in this step; answers to older ones are ignored."
        self._t = 0.0
        self._left: dict[str, float] = {}
        "Dismissed question -> time of dismissal."
        self._taken: dict[str, tuple[str, ...]] = {}
        "Choice -> objects it was read from, which are not read again if the command is undone."
        self._retry = 0.0

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        state: State = now.state
        self._t = tracked.t
        self._follow(state, tracked)
        if state.phase is not Phase.ROUND or now.hold is not None:
            return Proposal()
        lying = shown(tracked, state, self._deck, self._old)
        missing = [one for one in lying.choices if _is_missing(state, one) and self._taken.get(one.key) != one.things]
        if not self._may_read:
            return Proposal(questions=tuple(self._about_reading(lying)) if missing or lying.doubts else ())
        questions = tuple(question for question in map(_about, lying.doubts) if question.id not in self._left)
        if not missing or tracked.t < self._retry:
            return Proposal(questions=questions)
        first = missing[0]
        return Proposal(first.record, f"open-{'-'.join(first.things)}", questions=questions)

    def _follow(self, state: State, tracked: TrackedTable) -> None:
        """Track the game step; objects on the mat when a step begins are ignored until they are picked up."""
        here = all_things(tracked)
        self._old &= here
        self._taken = {key: things for key, things in self._taken.items() if here.issuperset(things)}
        step = state.phase, state.round, state.king
        if step != self._step:
            self._old = frozenset() if self._step is None else here
            self._step, self._may_read, self._left, self._taken, self._open = step, False, {}, {}, set()

    def _about_reading(self, lying: Shown) -> Iterator[Question]:
        things = "-".join(sorted(lying.things))
        if self._t - self._left.get(f"open:{things}", float("-inf")) >= ASK_AGAIN_S:
            text = message("Cards or chips lie open on the mat. Has everybody chosen? Then they are read.")
            choices = Choice(READ, message("All have chosen: read")), Choice(LEAVE, message("Not yet"))
            question = Question(f"open:{things}", "open", text, choices)
            self._open.add(question.id)
            yield question

    def played(self, proposal: Proposal, before: Situation) -> None:
        things = tuple(proposal.about.split("-")[1:])
        record = proposal.command or {}
        self._taken[record["player"] if record["do"] == "bet" else str(record["do"])] = things

    def refused(self, proposal: Proposal, t: float) -> None:
        self._retry = t + AGAIN_S

    def answered(self, question: Question, choice: Choice) -> None:
        if choice.id == READ:
            self._may_read |= question.id in self._open
        else:
            self._left[question.id] = self._t

    def intend(self, intention: Intention, t: float) -> None:
        """Ignored: cards are identified by their faces and zones."""

    def report(self) -> Waiting:
        return {}


def _is_missing(state: State, choice: Laid) -> bool:
    if choice.key in ("rule", "guess"):
        return (state.rule if choice.key == "rule" else state.guess) is None
    return state.player(choice.key).space is None


def _about(doubt: Doubt) -> Question:
    text = _ABOUT[doubt.problem](doubt.who)
    return Question(f"{doubt.problem}:{'-'.join(doubt.things)}", "unsure", text, (Choice(LEAVE, message("Leave it")),))
