"""Reads choices from face-up cards and chips on the King of Roulette mat. Pure.

Players without a phone keep a card face down, or a chip in hand, until everybody has chosen; then all are laid face up
on the spaces. A bet card must lie on the space it names; a chip bets on the space it lies on.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.king.printed.cards import BETS, CARDS, GUESSES, PLAYERS
from companion.games.king.printed.mat import KING_MAT
from companion.games.king.spaces import KING, SPACES, Rule, Space
from companion.games.king.state import State, ranges
from companion.kernel.commands import Record
from companion.objects.chips import CHIP_MM
from companion.objects.geometry import Box
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.chips import TrackedChip

Problem = Literal["between", "elsewhere", "several", "seat", "king", "rule", "guess", "unread"]
WELL_IN_MM: Final = 4.0
"""Minimum distance of a chip's centre from its space's edge; closer ones may be meant for the next space."""
_BET: Final = "bet/"
_ONE: Final = "rule/1"
_TWO: Final = "rule/2"
_GUESS: Final = "guess"
_KINGS: Final = (_ONE, _TWO, _GUESS)
_RULES: Final[Mapping[str, str]] = {_ONE: "R1", _TWO: "R2"}
_CARDS_OF_A_RULE: Final = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice read from the mat.

    Attributes:
        key: ``rule``, ``guess`` or the player who bets.
        record: the corresponding command.
        things: names of the cards and chips it was read from.
    """

    key: str
    record: Record
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Cards or chips that make no valid choice; ``who`` is the player, if known."""

    problem: Problem
    things: tuple[str, ...]
    who: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything read from the mat."""

    things: frozenset[str]
    choices: tuple[Choice, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class _Bet:
    """A seat's bet; ``space`` is None if unclear."""

    thing: str
    seat: int
    space: Space | None
    problem: Problem | None = None


def shown(tracked: TrackedTable, state: State, deck_id: str | None, old: frozenset[str]) -> Shown:
    """Read the face-up cards and chips on the mat.

    Args:
        deck_id: the only deck that counts; None for any.
        old: names of objects from earlier steps, which are ignored.
    """
    if tracked.mat != KING_MAT.name:
        return Shown(frozenset())
    cards = [card for card in tracked.lying if thing_of(card) not in old and _is_ours(card, deck_id)]
    chips = [chip for chip in tracked.chips if thing_of(chip) not in old and _is_there(chip)]
    bets = [bet for bet in (*map(_card_bet, cards), *map(_chip_bet, chips)) if bet is not None]
    kings = [card for card in cards if card.zone in _KINGS]
    found = [*_kings(state, kings), *_bets(state, bets), *_unread(tracked.lying, old)]
    choices = tuple(one for one in found if isinstance(one, Choice))
    doubts = tuple(one for one in found if isinstance(one, Doubt))
    return Shown(frozenset(thing for one in found for thing in one.things), choices, doubts)


def thing_of(lying: LyingCard | TrackedChip) -> str:
    """Return a name for a card or chip on the table that does not reveal its value."""
    return f"chip{lying.id}" if isinstance(lying, TrackedChip) else f"card{lying.track}"


def all_things(tracked: TrackedTable) -> frozenset[str]:
    """Return the names of all cards and chips on the table."""
    return frozenset([*map(thing_of, tracked.lying), *map(thing_of, tracked.chips)])


def _is_ours(card: LyingCard, deck_id: str | None) -> bool:
    return card.status == "ok" and card.id in CARDS and (deck_id is None or card.deck == deck_id)


def _is_there(chip: TrackedChip) -> bool:
    return chip.is_settled and (chip.is_seen or chip.is_covered)


def _unread(lying: Sequence[LyingCard], old: frozenset[str]) -> Iterator[Doubt]:
    """Yield doubts about cards read by tags only, and about forged and foreign cards."""
    for card in lying:
        is_on_mat = card.zone is not None or card.astride
        if is_on_mat and card.status in ("tag", "forged", "foreign") and thing_of(card) not in old:
            yield Doubt("unread", (thing_of(card),))


# ---- bets


def _card_bet(card: LyingCard) -> _Bet | None:
    if card.id not in BETS:
        return None
    seat, thing = PLAYERS.index(card.id[0]) + 1, thing_of(card)
    space: Space = KING if card.id[1] == "K" else int(card.id[1])
    if card.zone == f"{_BET}{space}":
        return _Bet(thing, seat, space)
    if card.astride:
        return _Bet(thing, seat, None, "between")
    return _Bet(thing, seat, None, "elsewhere") if card.zone is not None else None


def _chip_bet(chip: TrackedChip) -> _Bet | None:
    thing = thing_of(chip)
    for space in SPACES:
        box = KING_MAT.zones[f"{_BET}{space}"]
        if _is_in(box, chip, -WELL_IN_MM):
            return _Bet(thing, chip.chip.seat, space)
    touched = any(_is_in(box, chip, CHIP_MM / 2) for zone, box in KING_MAT.zones.items() if zone.startswith(_BET))
    return _Bet(thing, chip.chip.seat, None, "between") if touched else None


def _is_in(box: Box, chip: TrackedChip, wider_mm: float) -> bool:
    x, y = chip.at
    is_across = box.x - wider_mm <= x <= box.x + box.width + wider_mm
    return is_across and box.y - wider_mm <= y <= box.y + box.height + wider_mm


def _bets(state: State, bets: Sequence[_Bet]) -> Iterator[Choice | Doubt]:
    players = {seat.number: seat.player for seat in state.seats}
    by_seat: dict[int, list[_Bet]] = defaultdict(list)
    for bet in bets:
        by_seat[bet.seat].append(bet)
    for seat, own in sorted(by_seat.items()):
        things, who = tuple(bet.thing for bet in own), players.get(seat, "")
        unclear = next((bet for bet in own if bet.problem is not None), None)
        if not who:
            yield Doubt("seat", things, str(seat))
        elif who == state.king:
            yield Doubt("king", things, who)
        elif unclear is not None and unclear.problem is not None:
            yield Doubt(unclear.problem, things, who)
        elif len({bet.space for bet in own}) > 1:
            yield Doubt("several", things, who)
        else:
            yield Choice(who, {"do": "bet", "player": who, "space": own[0].space}, things)


# ---- the king's cards


def _kings(state: State, cards: Sequence[LyingCard]) -> Iterator[Choice | Doubt]:
    """Yield the rule and the guess, if face up; a rule with cards still missing is skipped."""
    by_zone = {zone: [card for card in cards if card.zone == zone] for zone in _KINGS}
    king = str(state.king)
    rule = (*by_zone[_ONE], *by_zone[_TWO])
    things = tuple(map(thing_of, rule))
    if len(rule) >= _CARDS_OF_A_RULE:
        yield _rule(by_zone, king, things) or Doubt("rule", things, king)
    elif any(str(card.id)[:2] != _RULES[str(card.zone)] for card in rule):
        yield Doubt("rule", things, king)
    if by_zone[_GUESS]:
        guessed = tuple(map(thing_of, by_zone[_GUESS]))
        yield _guess(by_zone[_GUESS], state, guessed) or Doubt("guess", guessed, king)


def _rule(by_zone: Mapping[str, Sequence[LyingCard]], king: str, things: tuple[str, ...]) -> Choice | None:
    one, two = (sorted(str(card.id) for card in by_zone[zone]) for zone in (_ONE, _TWO))
    named = [*one, *two]
    if [card[:2] for card in named] != ["R1", "R1", "R2"] or len({card[2] for card in named}) < len(named):
        return None
    a, b, c = (int(card[2]) for card in named)
    text = f"{Rule('', (a, b), c).plain}"
    return Choice("rule", {"do": "rule", "player": king, "text": text, "one": [a, b], "two": c}, things)


def _guess(cards: Sequence[LyingCard], state: State, things: tuple[str, ...]) -> Choice | None:
    low = {GUESSES.get(str(card.id), "").partition("–")[0] for card in cards}
    found = [one for one in ranges(len(state.players)) if one.partition("-")[0] in low]
    if len(cards) > 1 or not found:
        return None
    return Choice("guess", {"do": "guess", "player": str(state.king), "range": found[0]}, things)
