"""Sequential test of a die's fairness: valid even when checked after every throw.

A chi-square test is valid once, at a number of throws fixed beforehand. A table is watched all evening, and people
would stop at the worst moment; so here evidence is a bet: a sceptic stakes 1 coin at the odds of a fair die, on many
kinds of biased dice at once. The current value of that stake is the e-value. With a fair die the expected gain is zero,
and the probability that the stake *ever* reaches 1/a, at any stopping time, is at most a (Ville's inequality). An
e-value of 20 means: fewer than 1 in 20 fair dice would ever produce such evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log
from types import MappingProxyType
from typing import Final

from companion.kernel.messages import Message, Value, message
from companion.objects.dice import D20_FACES, DAY_NIGHT

DOUBT: Final = 20.0
"""E-value from which a die is suspect: at most 1 fair die in 20 ever reaches it."""
PROOF: Final = 1000.0
"""E-value from which a die should be taken off the table."""
FEW_THROWS: Final = 30

D20: Final[Mapping[str, float]] = MappingProxyType({str(value): 1 / 20 for value in range(1, 21)})
HALVES: Final[Mapping[str, float]] = MappingProxyType({face: D20_FACES.count(face) / 20 for face in D20_FACES})
"""The eight distinct faces of a day-and-night die; one with number N is on N of the 20 faces."""
FAIR: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType({"d20": D20, DAY_NIGHT: HALVES})
"""Kind of twenty-sided die -> face probabilities of a fair one."""
KINDS: Final = tuple(FAIR)


def kind_of(shown: str) -> str | None:
    """Return the kind of twenty-sided die with this face, or None.

    >>> kind_of("17"), kind_of("21")
    ('d20', None)
    """
    return next((kind for kind, faces in FAIR.items() if shown in faces), None)


# The alternatives: Dirichlet priors around the fair die from loose to tight ...
_CONCENTRATIONS: Final = (20.0, 60.0, 200.0, 600.0, 2000.0)
# ... and dice with one face that is more likely by this much (added to its probability, taken from all).
_LOADS: Final = (0.03, 0.06, 0.12, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class FaceCount:
    """Observed and expected count of one face."""

    face: str
    seen: int
    expected: float


@dataclass(frozen=True, slots=True)
class Watch:
    """The throws of one die so far. Immutable: `after` returns the next one.

    Attributes:
        fair: face -> probability on a fair die.
        counts: count of each face, in the order of `fair`.
        log_best: natural logarithm of the highest e-value so far.
    """

    fair: Mapping[str, float]
    counts: tuple[int, ...]
    log_best: float = 0.0

    @classmethod
    def start(cls, fair: Mapping[str, float]) -> Watch:
        """Return the watch of a die that has not been thrown yet.

        Raises:
            ValueError: the probabilities are not those of a die.
        """
        if len(fair) < 2 or min(fair.values()) <= 0 or abs(sum(fair.values()) - 1) > 1e-9:
            raise ValueError("a die has two faces or more, and their chances sum to 1")
        return cls(fair, (0,) * len(fair))

    def after(self, face: str) -> Watch:
        """Return the watch after one more throw.

        Raises:
            ValueError: the die has no such face.
        """
        if face not in self.fair:
            raise ValueError(f"the die has no face {face!r}; it has {', '.join(self.fair)}")
        counts = tuple(n + (name == face) for name, n in zip(self.fair, self.counts, strict=True))
        return Watch(self.fair, counts, max(self.log_best, log_e_value(counts, tuple(self.fair.values()))))

    @property
    def throws(self) -> int:
        return sum(self.counts)

    @property
    def e_value(self) -> float:
        """The current e-value."""
        return _bounded_exp(log_e_value(self.counts, tuple(self.fair.values())))

    @property
    def e_best(self) -> float:
        """The highest e-value so far, which may be compared with 1/a at any time."""
        return _bounded_exp(self.log_best)

    @property
    def faces(self) -> tuple[FaceCount, ...]:
        pairs = zip(self.fair.items(), self.counts, strict=True)
        return tuple(FaceCount(face, seen, chance * self.throws) for (face, chance), seen in pairs)

    @property
    def verdict(self) -> Message:
        """One or two sentences for the people at the table."""
        return _verdict(self)


def log_e_value(counts: tuple[int, ...], fair: tuple[float, ...]) -> float:
    """Return the natural logarithm of the e-value of these counts against a fair die.

    The e-value is the mean of the likelihood ratios of all alternatives. It depends on the counts alone, and its
    expectation does not change with a throw of a fair die.

    >>> round(log_e_value((0, 0), (0.5, 0.5)), 12)
    0.0
    """
    spread = [_log_dirichlet(counts, fair, c) for c in _CONCENTRATIONS]
    loaded = [_log_loaded(counts, fair, face, load) for load in _LOADS for face in range(len(fair))]
    return _log_mean((_log_mean(spread), _log_mean(loaded)))


def _log_dirichlet(counts: tuple[int, ...], fair: tuple[float, ...], concentration: float) -> float:
    """Return the log-likelihood ratio of dice from a Dirichlet distribution around the fair one, in closed form."""
    total = lgamma(concentration) - lgamma(concentration + sum(counts))
    for n, p in zip(counts, fair, strict=True):
        if n:
            total += lgamma(concentration * p + n) - lgamma(concentration * p) - n * log(p)
    return total


def _log_loaded(counts: tuple[int, ...], fair: tuple[float, ...], face: int, load: float) -> float:
    """Return the log-likelihood ratio of a die with probability ``load`` added to one face and taken from all."""
    ratio = (1 - load) + load / fair[face]
    return (sum(counts) - counts[face]) * log(1 - load) + counts[face] * log(ratio)


def _log_mean(values: Iterable[float]) -> float:
    values = tuple(values)
    top = max(values)
    return top + log(sum(exp(v - top) for v in values) / len(values))


def _bounded_exp(value: float) -> float:
    return exp(min(value, 700.0))


def _verdict(state: Watch) -> Message:
    if state.throws < FEW_THROWS and state.e_best < DOUBT:
        return message("Too few throws to test the die: {throws} of {few}.", throws=state.throws, few=FEW_THROWS)
    if state.e_best < DOUBT:
        return message("Nothing speaks against the die after {throws} throws.", throws=state.throws)
    face = max(state.faces, key=lambda f: abs(f.seen - f.expected) / f.expected**0.5)
    values: dict[str, Value] = {
        "many": int(state.e_best) if state.e_best < 1e6 else message("a million"),
        "face": face.face,
        "seen": face.seen,
        "usual": f"{face.expected:.0f}",
    }
    if state.e_best < PROOF:
        return message(
            "The die looks uneven: fewer than 1 fair die in {many} would ever look like this; "
            "{face} came {seen} times where {usual} are usual. Watch it, or take another.",
            **values,
        )
    return message(
        "The die is not fair: fewer than 1 fair die in {many} would ever look like this; "
        "{face} came {seen} times where {usual} are usual. Take another.",
        **values,
    )
