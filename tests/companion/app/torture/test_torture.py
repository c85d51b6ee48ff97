"""`companion torture`: works on a copy alone, finds what is broken, and signs a certificate that tells on a forger."""

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from companion.app.torture.certificate import Certificate, CertificateUnusable
from companion.app.torture.model import InvariantViolation
from companion.app.torture.runner import TortureTest
from companion.cli import run_command_line as run
from companion.config.file import load_config
from companion.journal.store import FILE_NAME
from companion.journal.trust.signing import KeyBook
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

GAME = sorted(INSTALLED)[-1]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An installation with a journal, a deck and a configuration that names a witness elsewhere."""
    folder = tmp_path / "data"
    folder.mkdir()
    players = (("Ann", 1000), ("Bo", 1000), ("Cy", 1000))
    with TableService.open(folder / FILE_NAME, new_header(GAME, players), INSTALLED) as service:
        service.submit({"do": "buy-in", "player": "Ann", "coins": 5}, source="dealer")
    design = next(design for plugin in INSTALLED.values() for design in plugin.decks)
    DeckStore(folder, INSTALLED.decks).new(design.kind)
    witness = tmp_path / "witness"
    (folder / "companion.toml").write_text(f'[table]\ngame = "{GAME}"\n[journal]\nwitness = "{witness}"\n')
    return folder


def fingerprints(folder: Path) -> dict[str, str]:
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


def made(data_dir: Path, tmp_path: Path) -> TortureTest:
    work = tmp_path / "work"
    work.mkdir()
    return TortureTest(data_dir, data_dir / "companion.toml", work, INSTALLED, seed=1)


def test_the_copy_is_tortured_and_the_original_is_only_read(data_dir: Path, tmp_path: Path) -> None:
    before = fingerprints(data_dir)
    torture = made(data_dir, tmp_path)
    torture._simulate(0)
    torture._forge(0)
    certificate = torture._certificate("2026-05-01T20:00:00.000Z")
    assert (certificate.is_own_key, certificate.entries > 0, certificate.is_as_signed) == (True, True, True)
    assert certificate.figures["simulated evenings"] == 4
    assert certificate.figures["genuine cards taken for genuine"] == 3
    assert fingerprints(data_dir) == before
    assert not (tmp_path / "witness").exists()


def test_the_copy_speaks_to_nobody_outside(data_dir: Path, tmp_path: Path) -> None:
    """No house's floor takes its entries for the table's, no broker and no webhook is told, no backup gives way."""
    (data_dir / "floor").mkdir()
    (data_dir / "floor" / "floor.json").write_text("{}")
    (data_dir / "secret").write_text("whsec_" + b64encode(bytes(24)).decode())
    with (data_dir / "companion.toml").open("a") as file:
        file.write(
            f'[backup]\nfolder = "{tmp_path / "stick"}"\n[mqtt]\nhost = "broker.lan"\n'
            f'[[webhooks]]\nurl = "http://ha.lan/"\nsecret_file = "{data_dir / "secret"}"\n'
        )
    torture = made(data_dir, tmp_path)
    assert not (torture._fresh("house") / "floor").exists()
    config, _ = load_config(torture._config, INSTALLED)
    assert (config.backup.folder, config.mqtt.host, config.webhooks) == (None, None, [])


def test_a_forged_card_that_is_believed_is_found(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TortureTest, "_is_genuine", lambda *_: True)
    with pytest.raises(InvariantViolation, match=r"a forged \w+ of deck \w+ was taken for genuine"):
        made(data_dir, tmp_path)._forge(0)


@pytest.fixture
def certificate(data_dir: Path, tmp_path: Path) -> Path:
    path = tmp_path / "torture.json"
    signer = KeyBook.beside(data_dir / FILE_NAME).signer()
    assert signer is not None
    told = Certificate("a", "b", 1, "journal", "head", 2, {"companion": "1"}, {}, {"kills": 7}, (), True)
    told.signed(signer).write(path)
    return path


def test_a_certificate_is_checked(certificate: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["torture", "--check", str(certificate), "--data", str(data_dir)]) == 0
    assert "with the table's key" in capsys.readouterr().out
    assert run(["torture", "--check", str(certificate), "--data", str(data_dir / "nothing")]) == 0
    assert "Whose key that is" in capsys.readouterr().out
    assert run(["torture", "--check", str(certificate), "--key", "ab" * 32]) == 1
    assert "another key" in capsys.readouterr().err


def test_a_changed_certificate_is_told(certificate: Path) -> None:
    told = json.loads(certificate.read_text())
    for change in ({"faults": ["none"]}, {"figures": {"kills": 5000}}, {"seed": 2}, {"signature": "no"}):
        certificate.write_text(json.dumps({**told, **change}))
        with pytest.raises(CertificateUnusable, match="not as it was signed"):
            Certificate.read(certificate)
    for text in ("", "{}", "[1]", json.dumps({**told, "what": "else"}), json.dumps({**told, "more": 1})):
        certificate.write_text(text)
        with pytest.raises(CertificateUnusable, match="is no certificate"):
            Certificate.read(certificate)


def test_what_cannot_be_tortured_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["torture", "--data", str(tmp_path / "nothing")]) == 2
    assert "Check --data" in capsys.readouterr().err


@pytest.mark.thorough
def test_the_whole_command(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once through everything: real processes, a bet storm, the camera cut off, kills, and the certificate."""
    before, out = fingerprints(data_dir), tmp_path / "out.json"
    assert run(["torture", "--data", str(data_dir), "--minutes", "0.1", "--seed", "3", "--out", str(out)]) == 0
    found = Certificate.read(out)
    assert found.faults == ()
    for name in ("kills of the whole companion", "kills of the table alone", "camera faults", "requests"):
        assert found.figures[name] > 0
    assert "Every promise was kept" in capsys.readouterr().out
    assert fingerprints(data_dir) == before
