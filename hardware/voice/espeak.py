"""espeak-ng as a subprocess: speaks a sentence, or writes it to a sound file."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message

PROGRAM: Final = "espeak-ng"
VOICES: Final = {"en": "en-gb", "de": "de", "es": "es"}
LONGEST_S: Final = 30.0
LONGEST_TEXT: Final = 400


class NoVoice(CompanionError):
    """This machine cannot speak; says what to do."""


@dataclass(frozen=True, slots=True)
class Espeak:
    """A voice.

    Args:
        speed: words a minute.
        volume: 0 to 200; 100 is usual.
        wav: write there instead of speaking; each sentence replaces the one before.
    """

    speed: int = 160
    volume: int = 100
    wav: Path | None = None

    def say(self, text: str, language: str) -> None:
        """Say a sentence; returns when it is said.

        Raises:
            NoVoice: espeak-ng is missing, or cannot speak here.
        """
        found = shutil.which(PROGRAM)
        if found is None:
            raise NoVoice.saying("espeak-ng is not installed. Install it: sudo apt install espeak-ng.")
        command = [found, "-v", VOICES.get(language, "en-gb"), "-s", str(self.speed), "-a", str(self.volume)]
        command += ["-w", str(self.wav)] if self.wav is not None else []
        try:
            # The sentence goes in as input: a player's name can neither be an option nor reach a shell.
            done = subprocess.run(
                [*command, "--stdin"],
                input=text[:LONGEST_TEXT].encode(),
                timeout=LONGEST_S,
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
