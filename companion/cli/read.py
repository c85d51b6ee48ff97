"""`companion read`: recognition results for pictures, folders of pictures, and videos."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from companion.cli.options import axis_option, data_option, json_option, with_games
from companion.objects.decks import DeckStore
from companion.objects.designs import Designs
from companion.objects.dice import DAY_NIGHT, DIE_KINDS
from companion.plugins.perception import Indicator, Vessel
from companion.plugins.registry import Games
from companion.vision import FrameReading, Reader, ZbarRescue, read_image
from companion.vision.dice.reader import NO_DICE, DiceSeen
from companion.vision.own_cards import NO_OWN_CARDS, OwnCards
from companion.vision.own_deck.store import KIND as OWN_KIND
from companion.vision.own_deck.store import OwnDecks

if TYPE_CHECKING:
    from companion.cli.pictures import Video
    from companion.vision.dice.axis import Axis
    from companion.vision.dice.decision_policy import DieReading
    from companion.vision.dice.reader import DiceReader
    from companion.vision.frame import Image
    from companion.vision.sightings import Quad

_MIN_VISIBLE = 0.2  # cards in a video of which less is visible, as under a hand, are not listed


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--expect",
    metavar="NAMES",
    help="What to look for, with commas between: kinds of decks, tokens, kinds of dice, or a game for the dice in its "
    "bowl. [default: everything]",
)
@click.option(
    "--shoe",
    metavar="DECKS",
    help="Ids of the decks in play: warns of cards from other decks, and does not look for other enrolled decks. "
    "[default: all stored decks]",
)
@axis_option
@data_option
@json_option
@with_games
def command(
    games: Games,
    files: tuple[Path, ...],
    expect: str | None,
    shoe: str | None,
    axis: Axis | None,
    data_dir: Path,
    as_json: bool,
) -> int:
    """Read the cards, tokens and dice in pictures and videos (or folders of pictures).

    Cards of an enrolled deck have the status `tag`, as ordinary cards carry no proof of their deck; uncertain ones are
    `unreadable`. If --expect names a twenty-sided die, a picture with two of them gives no value. A wheel is read
    if it is expected, and a bowl of dice if its dice are, such as d6.
    """
    names = _expected(expect, expectable(games), _dice_of(games))
    indicators = [] if expect is None else [indicator for indicator in indicators_of(games) if indicator.name in names]
    from companion.vision.dice.faces.classifier import has_network

    store = DeckStore(data_dir, games.decks)
    keys = store.keys()
    own = OwnDecks(data_dir)
    ids = [name.strip().upper() for name in (shoe or "").split(",") if name.strip()]
    decks = frozenset(deck_id if own.has(deck_id) else store.get(deck_id).id for deck_id in ids)
    bad = 0
    with ZbarRescue() as rescue:
        expected = _Expected(
            keys,
            games.decks,
            names & games.decks.groups.keys(),
            rescue,
            _dice_reader(names, data_dir, axis, alone=expect is not None),
            indicators,
            [vessel for vessel in vessels_of(games) if vessel.kind in names] if has_network() else [],
            OwnCards.of(data_dir, ids) if OWN_KIND in names else NO_OWN_CARDS,
        )
        for seen in _progress(_readings(files, expected)):
            seen = _with_strays(seen, decks)
            bad += isinstance(seen.reading, str)
            _show(seen, as_json)
    if bad:
        click.echo(f"companion: {bad} file{'s' * (bad > 1)} could not be read, for the reasons above.", err=True)
    return 2 if bad else 0


@dataclass(frozen=True, slots=True)
class _Expected:
    """The expected objects and the readers for them. `dice` is None if no dice are expected."""

    keys: Mapping[str, bytes]
    designs: Designs
    names: Collection[str]
    rescue: ZbarRescue
    dice: DiceReader | None
    indicators: Sequence[Indicator] = ()
    vessels: Sequence[Vessel] = ()
    own: OwnCards = NO_OWN_CARDS

    def dice_in(self, picture: Image, reading: FrameReading) -> DiceSeen:
        """Return the dice in a still picture; vessel readers are tried if the vessel's dice were not all read."""
        dice = self.dice.read(picture, taken=taken_by(reading)) if self.dice else NO_DICE
        for vessel in self.vessels:
            if not _is_sure_of(vessel, dice):
                dice = _rather(vessel.reader()(picture), dice)
        return dice


def _is_sure_of(vessel: Vessel, dice: DiceSeen) -> bool:
    """Whether exactly the number of dice in the vessel was read, all with values."""
    return len(dice.dice) == vessel.count and all(die.value is not None for die in dice.dice)


def _rather(seen: DiceSeen | None, dice: DiceSeen) -> DiceSeen:
    """Return a vessel reader's result if it has any value, else ``dice``."""
    return seen if seen is not None and any(die.value is not None for die in seen.dice) else dice


@dataclass(frozen=True, slots=True)
class _Seen:
    """The result for a picture or a video frame.

    Attributes:
        reading: the cards and tokens, or why the file cannot be read.
        t: the time in a video, s.
        fields: further expected objects: name -> JSON object.
    """

    path: Path
    reading: FrameReading | str
    t: float | None = None
    dice: DiceSeen = NO_DICE
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _with_strays(seen: _Seen, shoe: Collection[str]) -> _Seen:
    """Add a warning for each genuine card of a deck that is not in the shoe."""
    if isinstance(seen.reading, str) or not shoe:
        return seen
    stray = [(c.id, c.deck) for c in seen.reading.cards if c.status == "ok" and c.deck not in shoe]
    warnings = [f"not of this shoe: {card} of deck {deck}. Take the card off the table." for card, deck in stray]
    return replace(seen, reading=replace(seen.reading, warnings=(*seen.reading.warnings, *warnings)))


def _dice_reader(names: Collection[str], data_dir: Path, axis: Axis | None, *, alone: bool) -> DiceReader | None:
    from companion.vision.dice.enrolled import EnrolledDice
    from companion.vision.dice.faces.classifier import has_network
    from companion.vision.dice.reader import DiceReader

    kinds = [kind for kind in DIE_KINDS if kind in names]
    if kinds and alone and not has_network():
        click.echo("companion: the network that reads dice is missing. Install the program again.", err=True)
    if not has_network():
        return None
    return DiceReader(kinds, alone=alone, enrolled=EnrolledDice(data_dir).load(kinds), axis=axis) if kinds else None


def indicators_of(games: Games) -> tuple[Indicator, ...]:
    """Return the games' indicators: readable objects other than cards, tokens and dice."""
    return tuple(indicator for plugin in games.values() for indicator in plugin.indicators)


def vessels_of(games: Games) -> tuple[Vessel, ...]:
    """Return the games' dice vessels that need a reader of their own."""
    return tuple(plugin.vessel for plugin in games.values() if plugin.vessel is not None)


def _dice_of(games: Games) -> dict[str, str]:
    """Return game -> kind of dice for games with a vessel; naming the game in ``--expect`` expects these dice."""
    return {plugin.name: plugin.vessel.kind for plugin in games.values() if plugin.vessel is not None}


def expectable(games: Games) -> tuple[str, ...]:
    """Return the valid names for ``--expect``."""
    return (*games.decks.groups, *DIE_KINDS, *dict.fromkeys(indicator.name for indicator in indicators_of(games)))


def _expected(text: str | None, known: Sequence[str], dice_of: Mapping[str, str]) -> frozenset[str]:
    if text is None:
        return frozenset(known)
    given = frozenset(name.strip().lower() for name in text.split(",") if name.strip())
    names = frozenset(dice_of.get(name, name) for name in given)
    unknown = sorted(names - set(known))
    if unknown or not names:
        what = f"{unknown[0]!r} is unknown" if unknown else "nothing is named"
        raise click.BadParameter(f"{what}. Choose from {', '.join(known)}.", param_hint="--expect")
    return names


def _readings(files: Sequence[Path], expected: _Expected) -> Iterator[_Seen]:
    from companion.cli.pictures import UnreadableFile, files_of

    for given in files:
        try:
            paths = files_of(given)
        except (UnreadableFile, OSError) as error:
            yield _Seen(given, str(error))
            continue
        for path in paths:
            yield from _one_file(path, expected)


def _one_file(path: Path, expected: _Expected) -> Iterator[_Seen]:
    from companion.cli.pictures import UnreadableFile, Video, open_file

    try:
        opened = open_file(path)
        if isinstance(opened, Video):
            yield from _one_video(path, opened, expected)
        else:
            reading = read_image(opened, expected.keys, expected.designs, expect=expected.names, rescue=expected.rescue)
            reading = expected.own.in_picture(opened, reading)
            dice = expected.dice_in(opened, reading)
            fields = {i.name: i.document(i.read(opened) if i.read else None) for i in expected.indicators}
            yield _Seen(path, reading, None, dice, fields)
    except UnreadableFile as error:
        yield _Seen(path, str(error))


def _one_video(path: Path, video: Video, expected: _Expected) -> Iterator[_Seen]:
    from companion.vision.dice.watch import DiceWatcher

    reader = expected.own.over(Reader(expected.keys, expected.designs, expect=expected.names, thorough=True))
    watcher = DiceWatcher(expected.dice) if expected.dice else None
    vessels = [(vessel, vessel.watcher()) for vessel in expected.vessels if vessel.watcher]
    others = [(i, i.watcher() if i.watcher else None) for i in expected.indicators]
    for frame in video:
        reading = reader.read(frame)
        dice = watcher.see(frame.image, frame.t, taken=taken_by(reading)) if watcher else NO_DICE
        for vessel, follow in vessels:
            seen = follow(frame.image, frame.t)
            dice = dice if _is_sure_of(vessel, dice) else _rather(seen, dice)
        fields = {i.name: i.document(w.see(frame.image, frame.t) if w else None) for i, w in others}
        yield _Seen(path, _seen_in(reading), frame.t, dice, fields)


def _seen_in(reading: FrameReading) -> FrameReading:
    """Return a video frame's reading without objects that are hidden and only remembered."""
    cards = tuple(card for card in reading.cards if card.visible >= _MIN_VISIBLE)
    return replace(reading, cards=cards, tokens=tuple(k for k in reading.tokens if k.visible >= _MIN_VISIBLE))


def taken_by(reading: FrameReading) -> tuple[Quad, ...]:
    """Return the outlines of cards and tokens, where dice detections are ignored: they would be print."""
    return (*(c.outline or c.corners for c in reading.cards if c.id), *(t.corners for t in reading.tokens))


def _show(seen: _Seen, as_json: bool) -> None:
    if as_json:
        known = not isinstance(seen.reading, str)
        line = _document(seen) if known else {"file": str(seen.path), "error": seen.reading}
        click.echo(json.dumps(line))  # ASCII, as a file name may not be valid UTF-8
    elif isinstance(seen.reading, str):
        click.echo(f"{seen.path}: {seen.reading}", err=True)
    else:
        click.echo(_text(seen.path, seen.reading, seen.t, seen.dice, seen.fields))


def _document(seen: _Seen) -> dict[str, object]:
    """Return the public contract's object for one picture or frame."""
    reading = seen.reading
    assert isinstance(reading, FrameReading)
    line: dict[str, object] = {"file": str(seen.path)}
    if seen.t is not None:
        line["t"] = seen.t
    line["size"] = list(reading.size)
    line["cards"] = [
        {"id": c.id, "deck": c.deck, "status": c.status, "corners": [list(p) for p in c.corners]} for c in reading.cards
    ]
    line["tokens"] = [{"id": k.id, "corners": [list(p) for p in k.corners]} for k in reading.tokens]
    line["dice"] = [_die(die) for die in seen.dice.dice]
    line |= {name: dict(shown) for name, shown in seen.fields.items()}
    line["warnings"] = [*reading.warnings, *seen.dice.warnings]
    return line


def _die(die: DieReading) -> dict[str, object]:
    """Return the public contract's entry for a die; a d6 has no face."""
    entry: dict[str, object] = {"kind": die.kind, "value": die.value}
    if die.kind != "d6":
        entry["face"] = die.face
    return entry | {"confidence": die.confidence, "box": list(die.box)}


def _text(
    path: Path,
    reading: FrameReading,
    t: float | None,
    dice: DiceSeen = NO_DICE,
    fields: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> str:
    when = "" if t is None else f" at {t:.2f} s"
    rows = [f"{path}{when}: {reading.size[0]} × {reading.size[1]} pixels, {_counted(reading, dice)}"]
    for card in reading.cards:
        x, y = card.center
        rows.append(f"  {card.id or '?':4} {card.status:10} {card.deck or '-':5} at {x:.0f}, {y:.0f}")
    for token in reading.tokens:
        x, y = token.center
        rows.append(f"  {token.id:4} {'token':10} {token.deck or '-':5} at {x:.0f}, {y:.0f}")
    rows += [_die_text(die) for die in dice.dice]
    rows += [f"  {name}: {_shown_text(shown)}" for name, shown in fields.items()]
    return "\n".join([*rows, *(f"  ! {warning}" for warning in (*reading.warnings, *dice.warnings))])


def _die_text(die: DieReading) -> str:
    x, y, w, h = die.box
    shown = die.face if die.kind == DAY_NIGHT else die.value
    status = f"{die.kind} ({die.face})" if die.kind == "d20" and die.face else die.kind
    sure = "-" if shown is None else f"{die.confidence:.3f}"
    return f"  {shown or '?':<4} {status:10} {sure:5} at {x + w / 2:.0f}, {y + h / 2:.0f}"


def _shown_text(shown: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {'?' if value is None else value}" for key, value in shown.items())


def _counted(reading: FrameReading, dice: DiceSeen) -> str:
    cards, tokens, rolled = len(reading.cards), len(reading.tokens), len(dice.dice)
    names = [f"{cards} card{'s' * (cards != 1)}"]
    names += [f"{tokens} token{'s' * (tokens != 1)}"] if tokens else []
    names += [f"{rolled} {'dice' if rolled != 1 else 'die'}"] if rolled else []
    return ", ".join(names)


def _progress(results: Iterator[_Seen]) -> Iterator[_Seen]:
    """Show progress on stderr if it is a terminal and stdout is not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:.0f} read"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)
        for seen in results:
            name = seen.path.name
            bar.update(task, advance=1, description=name if seen.t is None else f"{name} {seen.t:.1f} s")
            yield seen
