"""The installed games with their decks and mats, found through the entry-point group ``table_companion.games``.

Deck designs that belong to no game are found through the group ``table_companion.decks``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any, Final

from companion.kernel.errors import BadScript, CompanionError
from companion.kernel.game import Game
from companion.kernel.messages import message
from companion.objects.designs import DeckDesign, Designs
from companion.objects.mat import Mat, Mats
from companion.plugins.plugin import GamePlugin

GROUP: Final = "table_companion.games"
DECK_GROUP: Final = "table_companion.decks"


class NoMat(CompanionError):
    """No installed game provides the requested mat."""


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a game or deck design: its entry point's name and value, and the installed package's version."""

    game: str
    value: str
    package: str
    version: str
    problem: str | None = None
    "Why it cannot be loaded; None if it can."


class Games(Mapping[str, GamePlugin]):
    """Games by name, sorted by title.

    Args:
        sources: the games' origins.
        decks: deck designs that belong to no game.

    >>> Games(()).rules("poker")
    Traceback (most recent call last):
    companion.kernel.errors.BadScript: There is no game 'poker' here. No game is installed.
    """

    def __init__(
        self, plugins: Iterable[GamePlugin], sources: Iterable[Source] = (), decks: Sequence[DeckDesign] = ()
    ) -> None:
        self._plugins = {plugin.name: plugin for plugin in sorted(plugins, key=lambda plugin: plugin.title)}
        _check_families(self._plugins.values())
        self.sources = tuple(sources)
        "The games' origins, including those that cannot be loaded."
        own = [design for plugin in self._plugins.values() for design in plugin.decks if design not in decks]
        self.decks = Designs([*own, *decks])
        "The deck designs: first those of games, then those that belong to none."
        self.mats = Mats(dict.fromkeys(mat for plugin in self._plugins.values() for mat in plugin.mats))
        "The mats of all games."

    def __getitem__(self, name: str) -> GamePlugin:
        return self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    @property
    def packages(self) -> tuple[str, ...]:
        """The Python packages with their texts; a family of games shares one."""
        return tuple(dict.fromkeys(plugin.package for plugin in self.values() if plugin.package))

    @property
    def default(self) -> GamePlugin:
        """The default game.

        Raises:
            BadScript: no game is installed.
        """
        preferred = sorted(self.values(), key=lambda plugin: not plugin.preferred)
        if not preferred:
            raise BadScript("No game is installed. Install a package that brings one.")
        return preferred[0]

    def named(self, game: object) -> GamePlugin:
        """Return the game of this name.

        Raises:
            BadScript: no such game is installed.
        """
        plugin = self._plugins.get(game) if isinstance(game, str) else None
        if plugin is None:
            known = f"Choose one of {', '.join(self)}." if self else "No game is installed."
            raise BadScript(f"There is no game {str(game)[:40]!r} here. {known}")
        return plugin

    def mat(self, name: str | None = None, deck: DeckDesign | None = None) -> Mat:
        """Return a mat: the named one, or the default one of the named game.

        Without a name, the first mat of a game played with ``deck``, by default with the first of `decks`.

        Raises:
            NoMat: there is no such mat.
        """
        kind = (deck or next(iter(self.decks.values()))).kind
        of_deck = (mat for game in self.values() if kind in {d.kind for d in game.decks} for mat in game.mats)
        mat = next(of_deck, None) if name is None else self.mats.get(name) or self._usual_mat(name)
        if mat is None:
            known = (
                message("Choose one of {mats}.", mats=", ".join(self.mats))
                if self.mats
                else message("No installed game has one.")
            )
            raise NoMat.saying("There is no mat for {what} yet. {known}", what=repr((name or kind)[:40]), known=known)
        return mat

    def _usual_mat(self, game: str) -> Mat | None:
        """Return a game's default mat, which may be named after another game; None without one."""
        return next(iter(self._plugins[game].mats), None) if game in self._plugins else None

    def rules(self, game: object) -> Game[Any]:
        """Return the rules of a game (see `companion.kernel.game.Rulebook`)."""
        return self.named(game).rules


def installed_games() -> Games:
    """Return the games of all installed packages. One that fails to load is omitted, and listed in `Games.sources`."""
    plugins: dict[str, GamePlugin] = {}
    sources: list[Source] = []
    decks = _installed_decks(sources)
    for point in _points(GROUP):
        plugin, problem = _loaded(point)
        if plugin is not None and plugin.name in plugins:
            plugin, problem = None, f"another package brings a game {point.name!r}, too"
        if plugin is not None and (problem := _clash((*plugins.values(), plugin), decks)) is None:
            plugins[plugin.name] = plugin
        sources.append(_source(point, problem))
    return Games(plugins.values(), sources, decks)


def _installed_decks(problems: list[Source]) -> tuple[DeckDesign, ...]:
    """Return the deck designs that belong to no game; one that fails to load is omitted and added to ``problems``."""
    decks: list[DeckDesign] = []
    for point in _points(DECK_GROUP):
        try:
            design = point.load()
            if not isinstance(design, DeckDesign):
                raise TypeError(f"{point.value} is no DeckDesign but a {type(design).__name__}")
            Designs([*decks, design])
            decks.append(design)
        except (Exception, SystemExit) as error:  # third-party code must not crash the table: report whatever it raises
            problems.append(_source(point, f"{type(error).__name__}: {error}"))
    return tuple(decks)


def _points(group: str) -> list[EntryPoint]:
    return sorted(entry_points(group=group), key=lambda point: point.name)


def _source(point: EntryPoint, problem: str | None) -> Source:
    package, version = _named(point.dist) if point.dist else ("", "")
    return Source(point.name, point.value, package, version, problem)


@cache  # each access to the metadata parses the package's whole description
def _named(package: Distribution) -> tuple[str, str]:
    """Return a package's name and version."""
    told = package.metadata
    return told["Name"], told["Version"]


def _check_families(plugins: Iterable[GamePlugin]) -> None:
    """Raise a `ValueError` if two packages claim the same `WebPart.family`."""
    packages: dict[str, str] = {}
    for web in (plugin.web for plugin in plugins if plugin.web is not None):
        if packages.setdefault(web.family, web.package) != web.package:
            raise ValueError(f"{web.package} and {packages[web.family]} are both called {web.family!r}")


def _clash(plugins: Iterable[GamePlugin], decks: Sequence[DeckDesign]) -> str | None:
    """Return why these games conflict; None if they do not."""
    try:
        Games(plugins, decks=decks)
    except ValueError as error:
        return str(error)
    except Exception as error:  # third-party code may raise anything, such as for rules without a title
        return f"{type(error).__name__}: {error}"
    return None


def _loaded(point: EntryPoint) -> tuple[GamePlugin | None, str | None]:
    try:
        plugin = point.load()
    except (Exception, SystemExit) as error:  # third-party code must not crash the table: report whatever it raises
        return None, f"{type(error).__name__}: {error}"
    if not isinstance(plugin, GamePlugin):
        return None, f"{point.value} is no GamePlugin but a {type(plugin).__name__}"
    if plugin.name != point.name:
        return None, f"it calls itself {plugin.name!r}, its entry point {point.name!r}"
    problem = _without_files(plugin)
    return (None, problem) if problem is not None else (plugin, None)


def _without_files(plugin: GamePlugin) -> str | None:
    """Return the problem if files of a game's web part are missing; None if it is complete."""
    if plugin.web is None:
        return None
    try:
        missing = plugin.web.missing()
    except ModuleNotFoundError as error:
        return f"its WebPart: {error}"
    return f"{plugin.web.package} has no {', '.join(missing)}, which its WebPart names" if missing else None
