"""The panel's pins: buttons that report edges, and switchable lines. Pins that cannot be opened are left out."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gpiozero import DigitalInputDevice, DigitalOutputDevice

from companion.closing import Closing
from companion.config.panel import PanelConfig
from hardware.panel.factories import pin_trouble
from hardware.panel.pin_map import Wire, faults, usable_wires

log = logging.getLogger(__name__)

OnEdge = Callable[[str, bool], None]
"""Called with the button and whether it is down, in the pins' thread."""


class Board(Protocol):
    """Protocol of the panel's inputs and outputs, implemented by `Pins` and wrapped by the self-test."""

    @property
    def buttons(self) -> tuple[str, ...]: ...
    @property
    def lines(self) -> frozenset[str]: ...
    @property
    def troubles(self) -> tuple[str, ...]: ...
    def listen(self, on_edge: OnEdge) -> None: ...
    def is_down(self, button: str) -> bool: ...
    def switch(self, line: str, on: bool) -> None: ...
    def close(self) -> None: ...


class Pins(Closing):
    """The configured panel on real or mock pins, through gpiozero.

    An unavailable pin disables its part and is listed in ``troubles``; the rest works.

    Args:
        factory: one of gpiozero's pin factories; closed with the board.
    """

    def __init__(self, config: PanelConfig, factory: Any) -> None:
        self._factory = factory
        self._inputs: dict[str, DigitalInputDevice] = {}
        self._outputs: dict[str, DigitalOutputDevice] = {}
        self._on: dict[str, bool] = {}
        self._troubles = [fault.text for fault in faults(config)]
        for wire in usable_wires(config):
            self._open(wire, config.active_high)

    def _open(self, wire: Wire, active_high: bool) -> None:
        try:
            if wire.is_button:
                name = wire.line.partition("/")[2]
                self._inputs[name] = DigitalInputDevice(wire.pin, pull_up=True, pin_factory=self._factory)
            else:
                self._outputs[wire.line] = DigitalOutputDevice(
                    wire.pin,
                    active_high=active_high or wire.line == "buzzer",  # its transistor is always active high
                    initial_value=False,
                    pin_factory=self._factory,
                )
        except Exception as error:  # lgpio raises its own exceptions; one bad pin must not disable the others
            self._troubles.append(pin_trouble(wire.part, wire.pin, wire.key, error))

    @property
    def buttons(self) -> tuple[str, ...]:
        """The working buttons."""
        return tuple(self._inputs)

    @property
    def lines(self) -> frozenset[str]:
        """The lines that can be switched."""
        return frozenset(self._outputs)

    @property
    def troubles(self) -> tuple[str, ...]:
        """Messages about disabled parts: the reason, and what to do."""
        return tuple(self._troubles)

    def listen(self, on_edge: OnEdge) -> None:
        """Report every edge of every button from now on."""
        for name, device in self._inputs.items():
            device.when_activated = _callback(on_edge, name, True)
            device.when_deactivated = _callback(on_edge, name, False)

    def is_down(self, button: str) -> bool:
        """Whether a button's contact is closed now."""
        return bool(self._inputs[button].is_active)

    def switch(self, line: str, on: bool) -> None:
        """Switch a line; unavailable lines are ignored."""
        device = self._outputs.get(line)
        if device is not None and self._on.get(line, False) != on:
            self._on[line] = on
            device.value = on

    @property
    def shown(self) -> Mapping[str, bool]:
        """Line -> current state."""
        return {line: self._on.get(line, False) for line in self._outputs}

    def close(self) -> None:
        """Switch everything off and release the pins. May be called twice."""
        for device in (*self._inputs.values(), *self._outputs.values()):
            device.close()
        self._inputs, self._outputs = {}, {}
        self._factory.close()


def _callback(on_edge: OnEdge, name: str, is_down: bool) -> Callable[[], None]:
    """Return a callback without arguments, as gpiozero expects."""
    return lambda: on_edge(name, is_down)
