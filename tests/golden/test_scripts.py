"""The visible behaviour of every recorded script of every game is unchanged."""

import product
import pytest
from goldens import DATA, HOW, check
from recorder import KINDS, SCRIPTS, read

GAMES = sorted({name.partition("/")[0] for name in SCRIPTS})


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_seen_as_before(name, recordings, goldens):
    made = recordings[name]
    check(*(goldens.differences(f"{kind}/{name}.jsonl", made.lines[kind]) for kind in KINDS))


@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_is_said_as_before_in_every_language(game, recordings, goldens):
    said = {
        english: others
        for name in SCRIPTS
        if name.startswith(f"{game}/")
        for english, others in recordings[name].sentences.items()
    }
    lines = [{"name": one, **dict(zip(product.LANGUAGES, said[one], strict=True))} for one in sorted(said)]
    check(goldens.differences(f"sentences/{game}.jsonl", lines))


def test_every_golden_file_belongs_to_a_script(goldens):
    orphans = [
        path for kind in KINDS for path in (DATA / kind).rglob("*.jsonl")
        if str(path.relative_to(DATA / kind).with_suffix("")) not in SCRIPTS
    ]  # fmt: skip
    if goldens.update:
        for path in orphans:
            path.unlink()
        return
    assert not orphans, f"no script has these: {orphans}. {HOW}"


@pytest.mark.parametrize("game", GAMES)
def test_every_button_does_as_before_wherever_it_means_something(game, recordings, house, goldens):
    states = {}
    for name in SCRIPTS:
        if name.startswith(f"{game}/"):
            for meaning, lead in recordings[name].states.items():
                states.setdefault(meaning, (name, lead))
    lines = [{"name": meaning, "in": name, **pressed(house, lead)} for meaning, (name, lead) in sorted(states.items())]
    check(goldens.differences(f"buttons/{game}.jsonl", lines))


def pressed(house, lead):
    """Press each button in turn at a table in a given state; each press is undone before the next."""
    header, *records = lead
    found = {}
    with house.table(header) as table:
        table.play(records)
        seq = table.entries(0)[-1]["seq"]
        for button in product.BUTTONS:
            table.panel.rest()
            table.panel.press(button, 0.9 if button in ("undo", "hold") else 0.1)
            entries, look = table.entries(seq), table.panel.look()
            given = [{key: entry[key] for key in ("do", "record")} for entry in entries]
            found[button] = {"gives": given, "display": look["display"]}
            for entry in entries:
                if entry["kind"] == "command":
                    table.play([{"do": "redo"} if entry["do"] == "undo" else {"do": "undo"}])
            seq = table.entries(0)[-1]["seq"]
    return found


CODES = {
    "not-your-turn", "wrong-phase", "unknown-verb", "unknown-player", "unknown-card", "card-seen", "bad-amount",
    "not-enough-coins", "over-limit", "not-offered", "nothing-done", "deck-empty", "bad-script",
    "not-logged-in", "not-allowed", "not-your-seat",
}  # fmt: skip


EVERY_VERB = {"roche": "coming_and_going", "rugen-house": "every_bet"}
"""Game -> script whose header is used for the game's verbs, if there is no script every_verb."""


@pytest.mark.parametrize("game", GAMES)
def test_the_scripts_use_every_verb_of_every_game(game, recordings):
    done = set().union(*(recordings[name].verbs_done for name in SCRIPTS if name.startswith(f"{game}/")))
    _, header = read(SCRIPTS[f"{game}/{EVERY_VERB.get(game, 'every_verb')}"])[0]
    assert set(product.verbs(header)) - done == set()


def test_the_scripts_meet_every_code_of_a_refusal(recordings):
    assert CODES - set().union(*(recordings[name].codes for name in SCRIPTS)) == set()
