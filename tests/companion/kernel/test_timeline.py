"""The timeline follows undo and redo exactly like the table."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.kernel import table as table_module
from companion.kernel.errors import NothingDone
from companion.kernel.timeline import CORRECTIONS, Timeline
from companion.testing import new_table

CORRECT = sorted(CORRECTIONS)
verbs = st.lists(st.sampled_from(("buy-in", "buy-in", *CORRECT, *CORRECT)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(verbs=verbs)
def test_the_timeline_is_what_the_table_counts(verbs: list[str]) -> None:
    """After any accepted undos and redos, the balances are those of the timeline's commands alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "STEPS_KEPT", 3)  # so that an undo often has to fold anew
        table = new_table("roche", [("Ann", 0)])
    line: Timeline[int] = Timeline()
    for coins, verb in enumerate(verbs, start=1):
        record = {"do": verb} if verb in CORRECTIONS else {"do": verb, "player": "Ann", "coins": coins}
        try:
            table.do(record)
        except NothingDone:
            with pytest.raises(IndexError):
                line.follow(verb, coins)
        else:
            line.follow(verb, coins)
        assert [record["coins"] for record in table.records] == line.done
        assert table.position.ledger.balance("Ann") == sum(line.done)
        assert ("redo" in table.expected()) == bool(line.undone)
    while line.undone:
        table.do({"do": "redo"})
        line.correct("redo")
        assert table.position.ledger.balance("Ann") == sum(line.done)
