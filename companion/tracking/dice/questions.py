"""Questions to the dealer about a die whose throw does not count automatically."""

from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.service.questions import Choice, LinkJson, Question
from companion.tracking.dice.verdict import Verdict, kind_words, shown_words, throw_record

COUNT: Final = "count"
AGAIN: Final = "again"
FIRST: Final = "first"
"""Choice that first does what the game expects, so that the throw counts."""
SLOW: Final = "slow-camera"
"""Kind of the question that only reports a slow camera."""
_LEANING_OFTEN: Final = 2  # in a row: with the camera 20 to 35 degrees off axis, 62 of 72 flat dice seem to lean
_CAMERA: Final[LinkJson] = {"href": "/setup/axis", "label": message("Tell how the camera looks")}
_NO: Final = message("No, it does not count")


def about_unsure(key: int, verdict: Verdict, evidence: str | None) -> Question:
    """The die was thrown and is at rest, but its reading is not certain."""
    likely = verdict.likely[:2]
    choices = [_counts(f"{COUNT}-{shown}", _label(shown), shown, evidence) for shown in likely]
    text = message("The die cannot be read for sure. Which face? Choose, or tap it on the dealer's page.")
    if verdict.trouble == "at-wall":
        text = message(
            "The die touches the wall. Does it lie flat? Then choose what it shows; if it leans, it is thrown again."
        )
    if verdict.trouble == "aside":
        text = message(
            "The camera may look at the die from aside. Tap what lies on top on the dealer's page, or throw again. "
            "Put the camera straight above the tray, or tell the table how it looks."
        )
    link = _CAMERA if verdict.trouble == "aside" else None
    return Question(f"unsure:{key}", "unsure", text, (*choices, _again()), blocks=True, link=link)


def about_leaning(key: int, in_a_row: int) -> Question:
    """The die seems to lean on something; ``in_a_row`` is the number of consecutive rests that did."""
    text = message(
        "The die leans on something and shows no face. Throw it again, or tap what counts on the dealer's page."
    )
    if in_a_row >= _LEANING_OFTEN:
        text = message(
            "The die seems to lean, as the one before. Throw it again, or tap what counts on the dealer's page. "
            "If it lies flat, the camera looks from aside: put it straight above, or tell the table how it looks."
        )
    link = _CAMERA if in_a_row >= _LEANING_OFTEN else None
    return Question(f"leaning:{key}", "leaning", text, (_again(),), link=link)


def about_wrong_kind(key: int, kind: str | None, dice: Message) -> Question:
    """The die in the tray is of another kind than the game's ``dice``."""
    text = message(
        "Something that is not the die of this game lies in the tray. Take it out, and throw {dice}.", dice=dice
    )
    if kind:
        text = message("A {kind} lies in the tray. Take it out, and throw {dice}.", kind=kind_words(kind), dice=dice)
    return Question(f"wrong-die:{key}", "wrong-die", text, (Choice(AGAIN, message("Understood")),))


def about_two(count: int) -> Question:
    """More than one die lies in the tray."""
    text = message("Two dice lie in the tray. Take all but one out; that throw does not count.")
    if count != 2:
        text = message("{count} dice lie in the tray. Take all but one out; that throw does not count.", count=count)
    return Question("two-dice:now", "two-dice", text, (Choice(AGAIN, message("Understood")),))


def about_left(key: int, shown: str, evidence: str | None) -> Question:
    """One of several dice is left in the tray."""
    text = message(
        "The die that is left shows {shown}, but another one lay beside it. Does it count?", shown=shown_words(shown)
    )
    return _two_ways("two-dice", key, text, shown, evidence)


def about_flown(key: int, is_seen: bool) -> Question:
    """The die was thrown and did not end up in the tray; ``is_seen``: it is seen outside."""
    text = message(
        "The die rolled out of the camera's sight, so it does not count. "
        "Throw it again, or tap what counts on the dealer's page."
    )
    if is_seen:
        text = message(
            "The die lies outside the tray, so it does not count. "
            "Throw it again, or tap what counts on the dealer's page."
        )
    return Question(f"off-tray:{key}", "off-tray", text, (_again(),))


def about_placed(key: int, shown: str, evidence: str | None) -> Question:
    """The die was put down by a hand, or moved without a throw."""
    text = message(
        "The die was moved, not thrown, and shows {shown} now. Does it count as a throw?", shown=shown_words(shown)
    )
    return _two_ways("placed", key, text, shown, evidence)


def about_unseen(key: int, shown: str, evidence: str | None) -> Question:
    """The die changed its place or face while the camera did not see it."""
    text = message(
        "Nobody saw the die come to lie as it does; it shows {shown}. Does it count as a throw?",
        shown=shown_words(shown),
    )
    return _two_ways("unseen", key, text, shown, evidence)


def about_unread(key: int, verdict: Verdict, evidence: str | None) -> Question:
    """The die was not seen thrown, and its reading is not certain."""
    choices = [_counts(f"{COUNT}-{shown}", _label(shown), shown, evidence) for shown in verdict.likely[:2]]
    text = message(
        "Nobody saw the die thrown, and it cannot be read for sure. If it counts, choose or tap what it shows."
    )
    return Question(f"unread:{key}", "unread", text, (*choices, Choice(AGAIN, _NO)))


def about_slow(text: Message) -> Question:
    """The camera's frame rate is too low."""
    return Question(f"{SLOW}:now", SLOW, text, (Choice(AGAIN, message("Understood")),))


def about_twice(key: int, shown: str, evidence: str | None) -> Question:
    """A throw was entered by hand while this die was on its way."""
    text = message(
        "A throw was entered by hand while the die rolled; it shows {shown}. Is that another throw?",
        shown=shown_words(shown),
    )
    return _two_ways("twice", key, text, shown, evidence, no=message("It is that throw; go on"))


def about_undone(key: int, shown: str, evidence: str | None) -> Question:
    """A throw was undone and the die still lies there."""
    text = message(
        "The throw of {shown} was undone; the die still lies there. Throw it again, or count it.",
        shown=shown_words(shown),
    )
    return _two_ways("undone", key, text, shown, evidence, no=message("Throw again"))


def about_early(key: int, shown: str, way: Choice | None) -> Question:
    """The die was thrown while the game expects something else.

    Args:
        way: the `FIRST` choice that makes it count; None without one.
    """
    text = message(
        "{shown:capital} was thrown, but no throw is due now: it does not count yet.", shown=shown_words(shown)
    )
    ways = () if way is None else (way,)
    return Question(f"early:{key}", "early", text, (*ways, Choice(AGAIN, message("It does not count"))))


def _two_ways(kind: str, key: int, text: Message, shown: str, evidence: str | None, no: Message = _NO) -> Question:
    yes = _counts(COUNT, message("Yes: count {shown}", shown=shown_words(shown)), shown, evidence)
    return Question(f"{kind}:{key}", kind, text, (yes, Choice(AGAIN, no)))


def _label(shown: str) -> Message:
    return Message("{shown:capital}", {"shown": shown_words(shown)})


def _counts(way: str, label: Message, shown: str, evidence: str | None) -> Choice:
    return Choice(way, label, with_evidence(throw_record(shown), evidence))


def _again() -> Choice:
    return Choice(AGAIN, message("It does not count; throw again"))


def with_evidence(record: Record, evidence: str | None) -> Record:
    """Return the command with the name of the stored picture; unchanged without one."""
    return record if evidence is None else {**record, "evidence": evidence}
