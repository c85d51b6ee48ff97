"""Selects a rig by name, and checks its requirements."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.objects.decks import DeckStore
from companion.plugins.registry import installed_games
from hardware.harness.demo_stream import DemoStream
from hardware.harness.http_table import HttpTable
from hardware.harness.loopback import LoopbackRig, load_jumpers
from hardware.harness.mock_rig import MakePages, MakeSight, MockRig
from hardware.harness.process_rig import ProcessRig
from hardware.harness.rig import Rig, RigError
from hardware.harness.scenario import Scenario
from hardware.harness.trace import Recorder
from hardware.panel.factories import NoPins, open_factory

Make = Callable[[Scenario, MakeSight, MakePages, Recorder | None], Rig]
"""Creates a rig for one scenario."""


@dataclass(frozen=True, slots=True)
class RigFactory:
    """A rig that is available on this machine, and how to create it."""

    name: str
    make: Make


@dataclass(frozen=True, slots=True)
class RigOptions:
    """The command-line options of the rigs.

    Attributes:
        url: (loopback) address of the running table.
        pin: (loopback) the dealer's PIN.
        wires: (loopback) the jumpers' file.
        screen: (loopback) port on which a screen finds the demo table's stream.
        reset: (loopback) command that restarts the table on fresh data.
        data_dir: data folder with the deck that is rendered.
    """

    url: str | None = None
    pin: str | None = None
    wires: Path | None = None
    screen: int | None = None
    reset: str | None = None
    data_dir: Path | None = None


def check_rig(name: str, options: RigOptions) -> RigFactory:
    """Return the factory of a rig.

    Raises:
        RigError: the rig is not available here, or a required option is missing.
    """
    if name == "mock":
        return RigFactory(name, _mock)
    if name == "loopback":
        return RigFactory(name, _loopback(options))
    raise RigError(
        "The gpiosim rig runs in a virtual machine of its own: `companion hil run --rig gpiosim`, or `make hil`."
    )


def _mock(scenario: Scenario, make_sight: MakeSight, make_pages: MakePages, recorder: Recorder | None) -> Rig:
    return ProcessRig() if scenario.process else MockRig(make_sight, make_pages, recorder)


def _loopback(options: RigOptions) -> Make:
    if options.url is None or options.pin is None or options.wires is None:
        raise RigError("The loopback rig needs the running table's --url and --pin, and --wires FILE.")
    jumpers = load_jumpers(options.wires)
    try:
        factory, _ = open_factory(jumpers.factory, jumpers.chip)
    except NoPins as error:
        raise RigError(str(error)) from error
    table, stream = HttpTable(options.url, options.pin), _screen(options)

    def make(scenario: Scenario, make_sight: MakeSight, make_pages: MakePages, recorder: Recorder | None) -> Rig:
        return LoopbackRig(table, jumpers, factory, stream, options.reset)

    return make


def _screen(options: RigOptions) -> DemoStream | None:
    """Return the demo table for a screen in front of the table's camera, with the table's latest deck."""
    if options.screen is None or options.data_dir is None:
        return None
    designs = installed_games().decks
    deck = DeckStore(options.data_dir, designs).latest()
    return DemoStream(deck, size=(1920, 1080), fps=15, pace=1.0, host="0.0.0.0", port=options.screen)
