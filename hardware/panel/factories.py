"""Finds the gpiozero pin factory that works on this machine, or explains why none does."""

import importlib
import os
from collections.abc import Mapping
from typing import Any, Final, Protocol

from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message, joined, message


class NoPins(CompanionError):
    """This machine's pins cannot be used; the message gives the reason and the remedy."""


class Factory(Protocol):
    """The methods of gpiozero's pin factories that are used here."""

    def close(self) -> None: ...


_WAYS: Final[Mapping[str, tuple[str, str]]] = {
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
}
_PACKAGES: Final = {
    "lgpio": message("Install it: sudo apt install python3-lgpio, or pip install 'table-companion[pi]'."),
    "rpigpio": message("Install it: sudo apt install python3-rpi.gpio, or pip install 'table-companion[pi-old]'."),
}
_NAMES: Final = {"lgpio": "lgpio", "rpigpio": "RPi.GPIO"}


def open_factory(wanted: str = "auto", chip: int | None = None) -> tuple[Factory, str]:
    """Open a pin factory.

    Args:
        wanted: ``lgpio``, ``rpigpio``, or ``auto`` for the first that works.
        chip: GPIO chip number for lgpio; None: the board's default.

    Returns:
        The factory and its display name.

    Raises:
        NoPins: none works; the message lists all reasons.
    """
    reasons = []
    for name in _WAYS if wanted == "auto" else (wanted,):
        try:
            return _open(name, chip), _NAMES[name]
        except NoPins as error:
            reasons.append(error.message)
    raise NoPins(joined(reasons, " "))


def _open(name: str, chip: int | None) -> Factory:
    module, kind = _WAYS[name]
    try:
        make = getattr(importlib.import_module(module), kind)
    except (ImportError, RuntimeError) as error:  # importing RPi.GPIO fails on anything but a Pi
        raise NoPins(_not_importable(name, error)) from error
    try:
        factory: Factory = make(chip=chip) if name == "lgpio" and chip is not None else make()
    except Exception as error:  # lgpio's error class may be missing here, and it also raises bare ones
        raise NoPins(_not_openable(name, chip, error)) from error
    return factory


def _not_importable(name: str, error: Exception) -> Message:
    if isinstance(error, RuntimeError):
        return message("{library} says: {words}", library=_NAMES[name], words=" ".join(str(error).split()))
    return message("{library} is not installed. {how}", library=_NAMES[name], how=_PACKAGES[name])


def _not_openable(name: str, chip: int | None, error: Exception) -> Message:
    device = f"/dev/gpiochip{chip or 0}"
    if not os.path.exists(device):
        return message(
            "{library} finds no {device}: this machine has no GPIO pins, or its kernel does not offer them.",
            library=_NAMES[name],
            device=device,
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return no_permission(device)
    return message("{library} cannot open {device}: {words}.", library=_NAMES[name], device=device, words=_words(error))


def no_permission(device: str) -> Message:
    """Return the message about a device without permission, with the remedy."""
    return message(
        "This user may not open {device}. Join its group: sudo usermod -aG gpio $USER, then log in again.",
        device=device,
    )


def _words(error: Exception) -> str:
    text = " ".join(str(error).strip("'\"").split())
    return text.rstrip(".") or type(error).__name__


def pin_trouble(part: Message, pin: int, key: str, error: Exception) -> Message:
    """Return the message about an unavailable pin, with the reason and the remedy."""
    words = _words(error)
    if isinstance(error, PermissionError) or "permission" in words.lower():
        return joined(
            [message("The {part} on GPIO{pin} is left out.", part=part, pin=pin), no_permission("/dev/gpiochip0")], " "
        )
    if "busy" in words.lower() or "in use" in words.lower():
        return message(
            "GPIO{pin} is in use by another program, so the {part} is left out. End that program (sudo gpioinfo "
            "names it), or choose another pin for {key}.",
            pin=pin,
            part=part,
            key=key,
        )
    return message(
        "GPIO{pin} cannot be used for the {part}, which is left out: {words}. Choose another pin for {key}.",
        pin=pin,
        part=part,
        words=words,
        key=key,
    )


def describe(factory: Any, name: str) -> str:
    """Return the description of a pin factory for the log."""
    board = getattr(factory, "board_info", None)
    chip = getattr(factory, "chip", None)
    where = f", /dev/gpiochip{chip}" if chip is not None else ""
    model = f" of a Raspberry Pi {board.model}" if board is not None and name != "mock" else ""
    return f"{name}{where}{model}"
