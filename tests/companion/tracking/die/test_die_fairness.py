"""The fairness test uses every effective throw in the journal, whatever its source, across sessions and undo."""

import pytest

from companion.tracking.dice.fairness_watch import DieFairness


class Journal:
    """Entries as the table's journal returns them, a few at a time."""

    def __init__(self):
        self.entries = []
        self.asked = []

    def say(self, session=1, **record):
        kind = "notice" if record.get("do") == "notice" else "command"
        entry = {"seq": len(self.entries) + 1, "session": session, "kind": kind, "record": record}
        self.entries.append(entry)

    def after(self, seq):
        self.asked.append(seq)
        return self.entries[seq : seq + 3]


@pytest.fixture
def journal():
    return Journal()


def seen(report):
    return {face["face"]: face["seen"] for face in report["faces"] if face["seen"]}


def test_throws_by_camera_and_by_hand_count_alike_and_nothing_else(journal):
    fairness = DieFairness(journal.after)
    journal.say(do="bet", player="Ann", on="center/3", amount=3)
    journal.say(do="throw", d20=17, evidence="x")
    journal.say(do="throw", d20=17)
    journal.say(do="notice", d20=17)
    journal.say(do="throw", d20=4)
    report = fairness.report()
    assert (report["die"], report["throws"], seen(report)) == ("d20", 3, {"17": 2, "4": 1})
    assert sum(face["expected"] for face in report["faces"]) == pytest.approx(3)


def test_undone_throws_do_not_count_and_redone_ones_do(journal):
    fairness = DieFairness(journal.after)
    for value in (1, 2, 3):
        journal.say(do="throw", d20=value)
    journal.say(do="undo")
    journal.say(do="undo")
    assert seen(fairness.report()) == {"1": 1}
    journal.say(do="redo")
    assert seen(fairness.report()) == {"1": 1, "2": 1}
    journal.say(do="throw", d20=9)
    assert seen(fairness.report()) == {"1": 1, "2": 1, "9": 1}


def test_it_reads_on_where_it_stopped(journal):
    fairness = DieFairness(journal.after)
    for value in range(1, 8):
        journal.say(do="throw", d20=value)
    fairness.report()
    journal.asked.clear()
    journal.say(do="throw", d20=8)
    assert fairness.report()["throws"] == 8
    assert journal.asked == [7, 8]


def test_a_new_session_keeps_the_throws_before_it(journal):
    fairness = DieFairness(journal.after)
    journal.say(do="throw", d20=5)
    journal.say(session=2, do="throw", d20=7)
    journal.say(session=2, do="undo")
    journal.say(session=2, do="throw", d20=6)
    assert seen(fairness.report()) == {"5": 1, "6": 1}


def test_a_rugen_die_is_judged_by_its_own_faces(journal):
    fairness = DieFairness(journal.after)
    journal.say(do="throw", d20=5)
    journal.say(do="throw", face="4n")
    report = fairness.report()
    assert (report["die"], report["throws"], seen(report)) == ("rugen", 1, {"4n": 1})


def test_a_loaded_die_is_named_and_an_honest_one_is_not(journal):
    fairness = DieFairness(journal.after)
    for i in range(60):
        journal.say(do="throw", d20=1 + i % 20)
    assert fairness.report()["verdict"] == "Nothing speaks against the die after 60 throws."
    for _ in range(25):
        journal.say(do="throw", d20=20)
    report = fairness.report()
    assert report["e_best"] > 1000
    assert "20 came 28 times where 4 are usual" in report["verdict"]
