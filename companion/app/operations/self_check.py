"""Verifies the installed files against the release's signed manifest: detects a failing SD card and manual edits.

Trust on first use: the data directory remembers the key that signed the table's first release; others are reported.

    python -m companion.app.operations.self_check FOLDER --key PUBLIC

verifies the installation in a folder, such as a table's SD card in another machine, from a trusted copy.
"""

import argparse
import base64
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal, TypedDict

import companion
from companion.app.operations.release import DISTRIBUTION, LIST, PACKAGES, NoRelease, Release, digest, present
from companion.journal.durable import write_private
from companion.journal.trust.signing import brief

KNOWN_KEY: Final = "release-key"
_MAX_NAMED: Final = 5


class FilesJson(TypedDict):
    """Result of the self-check in `/readyz`."""

    state: str
    wrong: list[str]


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """Result of the verification.

    Attributes:
        state: ``same``; ``changed``; ``forged``: invalid signature; ``other-key``: signed with another key than this
            table's programs before, or no longer signed; ``unsigned``: matches the installer's record, which is
            unsigned; ``unlisted``: not a release, no manifest.
        count: number of files compared.
        wrong: some of the changed, missing or additional files.
        signer: public key of the manifest, if signed.
    """

    state: Literal["same", "changed", "forged", "other-key", "unsigned", "unlisted"]
    count: int = 0
    wrong: tuple[str, ...] = ()
    signer: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether somebody must check the installation."""
        return self.state in ("changed", "forged", "other-key")

    @property
    def key(self) -> str:
        """The signing key's fingerprint for people; empty without one."""
        return brief(self.signer) if self.signer else ""

    def to_json(self) -> FilesJson:
        """Return the result for monitors."""
        return {"state": self.state, "wrong": list(self.wrong)}


def self_check(data_dir: Path | None = None, distribution: metadata.Distribution | None = None) -> SelfCheck:
    """Verify every file of the installation.

    Args:
        data_dir: where the trusted signing key is remembered; the first key is stored there.
        distribution: the distribution to verify; None: the running program.
    """
    found = _compared(distribution)
    known = known_key(data_dir)
    if known is None:
        if data_dir is not None and found.state == "same":
            accept_key(data_dir, found)
        return found
    is_expected = found.state in ("changed", "forged") or found.signer == known
    return found if is_expected else SelfCheck("other-key", found.count, found.wrong, found.signer)


def known_key(data_dir: Path | None) -> str | None:
    """Return the trusted signing key; None before the first signed release."""
    if data_dir is None:
        return None
    try:
        return (data_dir / KNOWN_KEY).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return ""  # matches no key, so the owner is asked


def accept_key(data_dir: Path, found: SelfCheck) -> None:
    """Trust this installation's signing key from now on; if it is unsigned, forget the trusted key.

    Raises:
        OSError: it could not be written.
    """
    if found.signer:
        write_private(data_dir / KNOWN_KEY, f"{found.signer}\n".encode())
    else:
        (data_dir / KNOWN_KEY).unlink(missing_ok=True)


def _compared(distribution: metadata.Distribution | None) -> SelfCheck:
    try:
        found = distribution or metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return SelfCheck("unlisted")
    root = Path(str(found.locate_file("")))
    if distribution is None and Path(companion.__file__).resolve().parents[1] != root.resolve():
        return SelfCheck("unlisted")  # editable install from a source folder
    try:
        release = Release.parse((root / LIST).read_bytes())
    except FileNotFoundError:
        return _compared_with_record(found, root)
    except (OSError, NoRelease):
        return SelfCheck("forged", wrong=(LIST,))
    there = dict(present(root))
    wrong = [name for name, listed in release.files.items() if name not in there or _digest(there[name]) != listed]
    wrong += [name for name in there if name not in release.files]
    return _result("same", len(release.files), wrong, release.public)


def _compared_with_record(found: metadata.Distribution, root: Path) -> SelfCheck:
    """Compare with the installer's record, which is unsigned."""
    listed = {str(path): path.hash.value for path in found.files or () if path.parts[0] in PACKAGES and path.hash}
    if not listed:
        return SelfCheck("unlisted")
    wrong = [name for name, recorded in listed.items() if _recorded(root / name) != recorded]
    wrong += [name for name, _ in present(root) if name not in listed]
    return _result("unsigned", len(listed), wrong, "")


def _result(whole: Literal["same", "unsigned"], count: int, wrong: list[str], signer: str) -> SelfCheck:
    return SelfCheck("changed" if wrong else whole, count, tuple(sorted(wrong)[:_MAX_NAMED]), signer)


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""


def _recorded(path: Path) -> str:
    """Return a file's SHA-256 in the installers' format; empty if it cannot be read."""
    try:
        found = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(found).decode().rstrip("=")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="self_check", description="Compares installed files with their signed list.")
    parser.add_argument("folder", type=Path, help="folder with the installed packages, such as .../site-packages")
    parser.add_argument("--key", required=True, help="public key of the expected signature, 64 hexadecimal digits")
    options = parser.parse_args(arguments)
    there = metadata.distributions(name=DISTRIBUTION, path=[str(options.folder)])
    found = next((self_check(distribution=one) for one in there), SelfCheck("unlisted"))
    is_theirs = found.signer == "".join(options.key.split()).lower()
    state = found.state if is_theirs or found.is_wrong or not found.signer else "other-key"
    print(f"{state}: {found.count} files compared, signed with {found.signer or 'no key'}")
    print("".join(f"  {name}\n" for name in found.wrong), end="")
    return 0 if state == "same" else 1


if __name__ == "__main__":
    sys.exit(main())
