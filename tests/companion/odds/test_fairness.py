"""The running test of a die: right at any moment, whoever chooses the moment."""

import random
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.objects.dice import D20_FACES
from companion.odds.fairness import D20, DOUBT, HALVES, PROOF, Watch, log_e_value

DICE = {"d20": D20, "d6": {str(value): 1 / 6 for value in range(1, 7)}, "rugen": HALVES}
counts_of = {name: st.lists(st.integers(0, 60), min_size=len(die), max_size=len(die)) for name, die in DICE.items()}


def watch(throws: Iterable[str | int], fair: Mapping[str, float]) -> Watch:
    state = Watch.start(fair)
    for face in throws:
        state = state.after(str(face))
    return state


@pytest.mark.parametrize("name", DICE)
def test_chances_are_those_of_the_die(name):
    assert sum(Fraction(p).limit_denominator(20) for p in DICE[name].values()) == 1


def test_rugen_chances_count_the_faces_of_the_die():
    assert {face: round(p * 20) for face, p in HALVES.items()} == {f: D20_FACES.count(f) for f in set(D20_FACES)}


@pytest.mark.parametrize("name", DICE)
@given(data=st.data())
def test_a_fair_die_is_a_fair_game_for_the_doubter(name, data):
    """The expected e-value after one more throw of a fair die is the e-value now: that is what makes it valid."""
    counts = tuple(data.draw(counts_of[name]))
    fair = tuple(DICE[name].values())
    now = log_e_value(counts, fair)
    after = [log_e_value((*counts[:i], counts[i] + 1, *counts[i + 1 :]), fair) for i in range(len(fair))]
    assert isclose(sum(p * exp(e - now) for p, e in zip(fair, after, strict=True)), 1.0, rel_tol=1e-9)


@given(st.permutations(range(20)), st.lists(st.integers(0, 30), min_size=20, max_size=20))
def test_faces_of_the_same_chance_are_treated_alike(order, counts):
    fair = tuple(D20.values())
    turned = tuple(counts[i] for i in order)
    assert isclose(log_e_value(tuple(counts), fair), log_e_value(turned, fair), rel_tol=1e-9, abs_tol=1e-9)


def throws_of(die: dict[str, float], rng: random.Random, count: int) -> list[str]:
    return rng.choices(list(die), list(die.values()), k=count)


def stops_in(die: dict[str, float], fair: dict[str, float], rng: random.Random, count: int, at: float) -> int | None:
    """Return when somebody who stops at the worst moment would doubt the die."""
    state = Watch.start(fair)
    for n, face in enumerate(throws_of(die, rng, count), start=1):
        state = state.after(face)
        if state.e_best >= at:
            return n
    return None


@pytest.mark.parametrize("name", DICE)
def test_whoever_stops_at_the_worst_moment_rarely_accuses_a_fair_die(name):
    """60 evenings of 150 throws: an alarm in at most 1 of 20 (5 %), give or take chance."""
    rng = random.Random(4)
    evenings = 60
    alarms = sum(stops_in(DICE[name], DICE[name], rng, 150, DOUBT) is not None for _ in range(evenings))
    assert alarms <= 0.05 * evenings + 2 * (0.05 * 0.95 * evenings) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", DICE)
def test_false_alarms_stay_below_one_in_twenty_in_long_runs(name):
    rng = random.Random(9)
    alarms = sum(stops_in(DICE[name], DICE[name], rng, 600, DOUBT) is not None for _ in range(300))
    assert alarms / 300 <= 0.05


def loaded(die: dict[str, float], face: str, more: float) -> dict[str, float]:
    return {f: (1 - more) * p + (more if f == face else 0) for f, p in die.items()}


@pytest.mark.parametrize(("more", "within"), [(0.5, 20), (0.2, 80), (0.1, 300)])
def test_a_loaded_die_is_found(more, within):
    """A d20 whose 20 comes with 10 % more than its share is doubted within 300 throws, 9 times in 10."""
    rng = random.Random(11)
    found = [stops_in(loaded(D20, "20", more), D20, rng, within, DOUBT) for _ in range(20)]
    assert sum(n is not None for n in found) >= 18


def test_a_flattened_die_is_found():
    """Two opposite faces come twice as often as they should (worn or printed flat)."""
    rng = random.Random(5)
    flat = {f: (2.0 if f in ("1", "20") else 16 / 18) / 20 for f in D20}
    assert sum(stops_in(flat, D20, rng, 800, DOUBT) is not None for _ in range(10)) >= 9


def test_an_unequal_rugen_die_is_found():
    """Eight kinds thrown equally often, as on a die that somebody thought was a d8."""
    rng = random.Random(6)
    assert stops_in(dict.fromkeys(HALVES, 1 / 8), HALVES, rng, 200, PROOF) is not None


def test_the_worst_moment_is_remembered():
    """Later throws may look better; that the die was once caught stays."""
    state = watch([20] * 10, D20)
    later = watch([*[20] * 10, *range(1, 21), *range(1, 21), *range(1, 21), *range(1, 21)], D20)
    assert later.e_value < state.e_value
    assert later.e_best == state.e_best


def test_counts_and_expectations():
    state = watch(["4n"] * 3 + ["1d"], HALVES)
    seen = {f.face: (f.seen, f.expected) for f in state.faces}
    assert (seen["4n"], seen["1d"], seen["2d"]) == ((3, pytest.approx(0.8)), (1, pytest.approx(0.2)), (0, 0.4))
    assert state.throws == 4


def test_verdicts_in_words():
    fair = [v for v in range(1, 21) for _ in range(5)]
    random.Random(2).shuffle(fair)
    assert watch([], D20).verdict == "Too few throws to test the die: 0 of 30."
    assert watch(fair, D20).verdict == "Nothing speaks against the die after 100 throws."
    assert watch([20] * 40, D20).verdict == (
        "The die is not fair: fewer than 1 fair die in a million would ever look like this; "
        "20 came 40 times where 2 are usual. Take another."
    )
    assert watch([3, 3, 3, 7, 3], D20).verdict.startswith("The die looks uneven: fewer than 1 fair die in ")


def test_never_more_sure_than_the_evidence():
    assert watch([], D20).e_value == watch([], D20).e_best == 1.0
    assert watch([1] * 5000, D20).e_best > 1.0


def test_a_face_the_die_does_not_have_is_refused():
    with pytest.raises(ValueError, match="the die has no face '21'"):
        Watch.start(D20).after("21")
    with pytest.raises(ValueError, match="sum to 1"):
        Watch.start({"a": 0.5, "b": 0.4})
