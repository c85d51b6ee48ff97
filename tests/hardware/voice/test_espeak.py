"""The real espeak-ng, writing sound files."""

import shutil
import wave
from pathlib import Path

import numpy as np
import pytest

from hardware.voice.espeak import Espeak, NoVoice

needs_espeak = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng")


def sound(path: Path) -> tuple[float, float]:
    """Return a sound file's duration in seconds and its peak, 0 to 1."""
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        return file.getnframes() / file.getframerate(), float(np.abs(samples.astype(np.int32)).max()) / 32768


@needs_espeak
@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Place your bets."), ("de", "Machen Sie Ihr Spiel."), ("es", "Hagan juego, por favor.")],
)
def test_a_sentence_becomes_sound_in_each_language(tmp_path: Path, language: str, text: str) -> None:
    file = tmp_path / "said.wav"
    Espeak(wav=file).say(text, language)
    seconds, loudest = sound(file)
    assert 0.5 < seconds < 5
    assert loudest > 0.1


@needs_espeak
def test_faster_is_shorter_and_a_language_that_there_is_not_is_english(tmp_path: Path) -> None:
    slow, fast = tmp_path / "slow.wav", tmp_path / "fast.wav"
    Espeak(speed=100, wav=slow).say("No more bets, please.", "xx")
    Espeak(speed=300, wav=fast).say("No more bets, please.", "en")
    assert sound(slow)[0] > sound(fast)[0]


@needs_espeak
def test_a_name_can_be_no_option_of_the_program(tmp_path: Path) -> None:
    """Players can have any name: the sentence is passed as input, never as an argument."""
    file, other = tmp_path / "said.wav", tmp_path / "stolen.wav"
    Espeak(wav=file).say(f"-w {other} wins; $(touch {tmp_path}/x) <voice>", "en")
    assert file.exists()
    assert not other.exists()
    assert not (tmp_path / "x").exists()


def test_without_the_program_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoVoice, match="sudo apt install espeak-ng"):
        Espeak().say("Hello", "en")
