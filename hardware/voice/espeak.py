"""Text to speech through espeak-ng, which runs as a subprocess: speaks a sentence, or writes it to a sound file."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

PROGRAM: Final = "espeak-ng"
VOICES: Final = {"en": "en-gb", "de": "de", "es": "es"}
TIMEOUT_S: Final = 30.0
MAX_TEXT_LENGTH: Final = 400


class NoVoice(CompanionError):
    """Speech is not available on this machine; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Espeak:
    """Speaks through espeak-ng.

    Args:
        speed: words per minute.
        volume: 0 to 200; 100 is the default.
        wav: sound file to write instead of speaking; each sentence overwrites it.
    """

    speed: int = 160
    volume: int = 100
    wav: Path | None = None

    def say(self, text: str, language: str) -> None:
        """Speak a sentence, and return when it is finished.

        Args:
            text: at most `MAX_TEXT_LENGTH` characters are spoken.
            language: ``en``, ``de`` or ``es``; others are spoken as English.

        Raises:
            NoVoice: espeak-ng is not installed, fails, or takes too long.
        """
        found = shutil.which(PROGRAM)
        if found is None:
            raise NoVoice.saying("espeak-ng is not installed. Install it: sudo apt install espeak-ng.")
        command = [found, "-v", VOICES.get(language, "en-gb"), "-s", str(self.speed), "-a", str(self.volume)]
        command += ["-w", str(self.wav)] if self.wav is not None else []
        try:
            # The text is passed through stdin, so that a player's name is never taken for an option or a command.
            done = subprocess.run(
                [*command, "--stdin"],
                input=text[:MAX_TEXT_LENGTH].encode(),
                timeout=TIMEOUT_S,
                capture_output=True,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoVoice.saying(
                "espeak-ng did not finish ({error}). Check the sound device with `aplay -l`.", error=str(error)
            ) from error
        if done.returncode != 0:
            why = done.stderr.decode(errors="replace").strip().splitlines()
            raise NoVoice.saying(
                "espeak-ng cannot speak ({why}). Check the sound device with `aplay -l`; as a service the table "
                "needs voice.conf for it (docs/hardware.md).",
                why=why[-1] if why else message("no reason"),
            )
