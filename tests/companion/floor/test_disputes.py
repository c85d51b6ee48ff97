"""When a table is asked for what is open there."""

from companion.floor.desk.disputes import EVERY_S, Disputes

NOTHING = {"seq": 1, "round": "", "hold": None, "disputed": False, "questions": [], "settlements": [], "pictures": []}


def test_a_clock_that_is_set_back_keeps_no_table_from_being_asked():
    called, passed = [1e9], [50.0]
    disputes = Disputes(lambda: called[0], lambda: passed[0])
    disputes.look(1)
    disputes.take(1, str(disputes.wanted_of(1)), NOTHING)
    called[0] -= 3600
    passed[0] += EVERY_S + 1
    kept = disputes.look(1)
    assert kept is not None
    assert kept.at == 1e9
    assert disputes.wanted_of(1) is not None
