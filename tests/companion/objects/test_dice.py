"""All twenty faces of the Rugen die."""

from collections import Counter

import pytest

from companion.objects.dice import D20_FACES, DAY_NIGHT_FACES, breaks, face_of_d20, half_of, number_of

# Typed in from the rules' table: 1 | 2 | 3-4 | 5-6 | 7-9 | 10-12 | 13-16 | 17-20.
TABLE = {
    "1d": range(1, 2), "1n": range(2, 3), "2d": range(3, 5), "2n": range(5, 7),
    "3d": range(7, 10), "3n": range(10, 13), "4d": range(13, 17), "4n": range(17, 21),
}  # fmt: skip


def test_every_value_of_the_d20_is_the_face_of_the_rules_table():
    assert {value: face_of_d20(value) for value in range(1, 21)} == {
        value: face for face, values in TABLE.items() for value in values
    }


def test_a_14_becomes_a_day_4():
    assert face_of_d20(14) == "4d"


def test_each_number_is_on_as_many_day_and_night_faces():
    assert Counter(D20_FACES) == {f"{n}{half}": n for n in (1, 2, 3, 4) for half in "dn"}
    assert len(D20_FACES) == 20


@pytest.mark.parametrize("value", [0, 21, -1, 1.0, "1", True, None, [1]])
def test_a_d20_has_no_other_values(value):
    assert face_of_d20(value) is None


def test_ids_print_what_they_were_read_from():
    for face, kind in DAY_NIGHT_FACES.items():
        assert kind.id == face
        assert (number_of(face), half_of(face)) == (kind.number, kind.half)


@pytest.mark.parametrize(
    ("chain", "is_broken"),
    [("", False), ("1n", True), ("2d", False), ("2d 3d 2n", True), ("4d 3d 4n 3n 4d", False), ("3d 3d 4n 3n", True)],
)
def test_a_number_breaks_when_it_has_been_thrown_that_often(chain, is_broken):
    assert breaks(chain.split()) is is_broken
