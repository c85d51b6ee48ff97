"""The signed list of a release's files: what it names, and that it cannot be written anew without the key."""

import base64
import hashlib
import json
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from companion.app.operations import self_check as from_outside
from companion.app.operations.release import LIST, NoRelease, Release, key_in, main, sign_folder, sign_wheel
from companion.app.operations.self_check import SelfCheck, accept_key, known_key, self_check
from companion.journal.trust.signing import SeedSigner

OURS, THEIRS = bytes(range(32)), bytes(range(1, 33))
FILES = {"companion/__init__.py": b"", "companion/rules.py": b"PAYS = 35\n", "web_ui/page.html": b"<p>Coins</p>\n"}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """An installation of three files, with the list that an installer makes."""
    root = tmp_path / "packages"
    info = root / "table_companion-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: table-companion\nVersion: 1.2\n")
    lines = []
    for name, data in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(data)}")
    (info / "RECORD").write_text("\n".join(lines))
    return root


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def found(root: Path, data_dir: Path | None = None) -> SelfCheck:
    return self_check(data_dir, next(iter(metadata.distributions(path=[str(root)]))))


def public(seed: bytes) -> str:
    return SeedSigner(seed).public


def test_a_release_as_it_was_signed_is_the_same(installed: Path) -> None:
    sign_folder(installed, "1.2", OURS)
    (installed / "companion" / "__pycache__").mkdir()
    (installed / "companion" / "__pycache__" / "rules.cpython-311.pyc").write_bytes(b"compiled")
    assert found(installed) == SelfCheck("same", 3, (), public(OURS))


def test_changed_missing_and_additional_files_are_named(installed: Path) -> None:
    sign_folder(installed, "1.2", OURS)
    (installed / "companion" / "rules.py").write_text("PAYS = 36\n")
    (installed / "web_ui" / "page.html").unlink()
    (installed / "companion" / "rules.cpython-311.so").write_bytes(b"taken before rules.py")
    wrong = found(installed)
    assert (wrong.state, wrong.count, wrong.is_wrong) == ("changed", 3, True)
    assert wrong.wrong == ("companion/rules.cpython-311.so", "companion/rules.py", "web_ui/page.html")


def test_an_edit_that_the_installers_record_was_made_to_fit_is_named_all_the_same(installed: Path) -> None:
    """Whoever changes a file can change its line in RECORD, but cannot sign."""
    sign_folder(installed, "1.2", OURS)
    (installed / "companion" / "rules.py").write_text("PAYS = 36\n")
    code = base64.urlsafe_b64encode(hashlib.sha256(b"PAYS = 36\n").digest()).decode().rstrip("=")
    record = installed / "table_companion-1.2.dist-info" / "RECORD"
    lines = [line for line in record.read_text().splitlines() if "rules" not in line]
    record.write_text("\n".join([*lines, f"companion/rules.py,sha256={code},10"]))
    assert found(installed).wrong == ("companion/rules.py",)


@pytest.mark.parametrize("edit", ["files", "version", "public", "signature"])
def test_an_edited_list_is_forged(installed: Path, edit: str) -> None:
    sign_folder(installed, "1.2", OURS)
    told = json.loads((installed / LIST).read_bytes())
    told[edit] = {
        "files": {**told["files"], "companion/rules.py": hashlib.sha256(b"PAYS = 36\n").hexdigest()},
        "version": "1.3",
        "public": public(THEIRS),
        "signature": told["signature"].replace(told["signature"][0], "7" if told["signature"][0] != "7" else "8"),
    }[edit]
    (installed / LIST).write_text(json.dumps(told))
    assert found(installed) == SelfCheck("forged", wrong=(LIST,))


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"files": []}', b"[" * 100_000])
def test_a_damaged_list_is_named(installed: Path, data: bytes) -> None:
    (installed / LIST).write_bytes(data)
    assert found(installed) == SelfCheck("forged", wrong=(LIST,))
    with pytest.raises(NoRelease, match="damaged"):
        Release.parse(data)


def test_a_link_to_a_folder_of_other_files_is_an_additional_file(installed: Path, tmp_path: Path) -> None:
    sign_folder(installed, "1.2", OURS)
    (installed / "companion" / "more").symlink_to(tmp_path, target_is_directory=True)
    assert found(installed).wrong == ("companion/more",)


def test_a_list_signed_anew_with_another_key_is_told_from_the_tables_own(installed: Path, data_dir: Path) -> None:
    """The table remembers who signed its first release; its owner may accept another."""
    sign_folder(installed, "1.2", OURS)
    assert found(installed, data_dir).state == "same"
    assert known_key(data_dir) == public(OURS)
    (installed / "companion" / "rules.py").write_text("PAYS = 36\n")
    sign_folder(installed, "1.2", THEIRS)
    other = found(installed, data_dir)
    assert (other.state, other.signer, other.is_wrong) == ("other-key", public(THEIRS), True)
    assert known_key(data_dir) == public(OURS), "a look accepts nothing"
    accept_key(data_dir, other)
    assert found(installed, data_dir).state == "same"


def test_a_list_that_was_taken_away_is_missed(installed: Path, data_dir: Path) -> None:
    sign_folder(installed, "1.2", OURS)
    found(installed, data_dir)
    (installed / LIST).unlink()
    gone = found(installed, data_dir)
    assert gone == SelfCheck("other-key", 3)
    accept_key(data_dir, gone)
    assert found(installed, data_dir).state == "unsigned"


def test_a_damaged_note_of_the_key_is_not_taken_for_none(installed: Path, data_dir: Path) -> None:
    sign_folder(installed, "1.2", OURS)
    (data_dir / "release-key").write_bytes(b"\xff")
    assert found(installed, data_dir).state == "other-key"


def test_changed_files_are_no_reason_to_learn_a_key(installed: Path, data_dir: Path) -> None:
    sign_folder(installed, "1.2", THEIRS)
    (installed / "companion" / "rules.py").unlink()
    assert found(installed, data_dir).state == "changed"
    assert known_key(data_dir) is None


def test_an_installation_that_nobody_signed_is_compared_with_the_installers_record(installed: Path) -> None:
    assert found(installed) == SelfCheck("unsigned", 3)
    (installed / "companion" / "rules.py").write_text("PAYS = 36\n")
    assert found(installed) == SelfCheck("changed", 3, ("companion/rules.py",))


def test_a_source_folder_has_nothing_to_compare_with(tmp_path: Path, data_dir: Path) -> None:
    info = tmp_path / "table_companion-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: table-companion\nVersion: 1.2\n")
    assert found(tmp_path, data_dir) == SelfCheck("unlisted")
    assert self_check(data_dir) == SelfCheck("unlisted"), "the tests run from the source folder themselves"
    assert not SelfCheck("unlisted").is_wrong
    assert not list(data_dir.iterdir())


def test_a_wheel_is_signed_and_stays_a_wheel(tmp_path: Path, installed: Path) -> None:
    wheel, key = tmp_path / "table_companion-1.2-py3-none-any.whl", tmp_path / "keys" / "release.key"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(installed.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(installed).as_posix())
    assert main([str(wheel), "--key", str(key)]) == 0
    assert key.stat().st_mode & 0o777 == 0o600
    sign_wheel(wheel, key_in(key))  # once more: it holds one list, not two
    with zipfile.ZipFile(wheel) as archive:
        assert archive.namelist().count(LIST) == 1
        archive.extractall(tmp_path / "unpacked")
    assert found(tmp_path / "unpacked") == SelfCheck("same", 3, (), public(key_in(key)))
    record = (tmp_path / "unpacked" / "table_companion-1.2.dist-info" / "RECORD").read_text()
    assert record.count(LIST) == 1, "so that pip takes it off again"


def test_what_cannot_be_signed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "short.key").write_text("ab")
    (tmp_path / "other.whl").write_bytes(b"no archive")
    assert main([str(tmp_path / "other.whl"), "--key", str(tmp_path / "short.key")]) == 1
    assert "holds no key" in capsys.readouterr().err
    assert main([str(tmp_path / "other.whl"), "--key", str(tmp_path / "new.key")]) == 1
    assert "Not signed: File is not a zip file." in capsys.readouterr().err


def test_a_card_is_compared_from_outside_with_a_key_that_somebody_wrote_down(
    installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sign_folder(installed, "1.2", OURS)
    assert from_outside.main([str(installed), "--key", public(OURS).upper()]) == 0
    assert from_outside.main([str(installed), "--key", public(THEIRS)]) == 1
    (installed / "companion" / "rules.py").unlink()
    assert from_outside.main([str(installed), "--key", public(OURS)]) == 1
    assert from_outside.main([str(tmp_path), "--key", public(OURS)]) == 1
    told = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert told == ["same", "other-key", "changed", "  companion/rules.py", "unlisted"]
