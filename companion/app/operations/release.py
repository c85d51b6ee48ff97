"""Signed manifest of a release's files: written by the release build, verified at every start.

    python -m companion.app.operations.release WHEEL|FOLDER --key FILE

signs a wheel, or the packages installed in a folder, with an Ed25519 key, which is generated if the file is missing.
`make deb` uses the maintainer's key, `make install` one that only the machine's root can read.
"""

import argparse
import base64
import hashlib
import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Self

from companion.journal.durable import DAMAGED, write_private
from companion.journal.trust.signing import HeadCheck, SeedSigner

DISTRIBUTION: Final = "table-companion"
PACKAGES: Final = ("companion", "hardware", "web_ui")
LIST: Final = "companion/release.json"
_SEED_BYTES: Final = 32


def installed_version() -> str:
    """Return the installed version; empty when run from a source folder."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""


class NoRelease(ValueError):
    """A manifest is damaged, or its signature is invalid."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release: SHA-256 of each file, as hex digits, by path from its root.

    Attributes:
        public: the signer's public key.
    """

    version: str
    files: Mapping[str, str]
    public: str
    signature: str

    @classmethod
    def signed(cls, version: str, files: Mapping[str, str], seed: bytes) -> Self:
        """Sign a manifest with the key derived from a 32-byte seed."""
        signer = SeedSigner(seed)
        return cls(version, files, signer.public, signer.sign(_text(version, files)).hex())

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Parse a manifest and verify its signature.

        Raises:
            NoRelease: damaged, or the signature is invalid.
        """
        try:
            told = json.loads(data)
            files = {str(name): str(digest) for name, digest in told["files"].items()}
            found = cls(str(told["version"]), files, str(told["public"]), str(told["signature"]))
            signature = bytes.fromhex(found.signature)
        except DAMAGED as error:
            raise NoRelease("the list of files is damaged") from error
        if not HeadCheck("").is_text(_text(found.version, files), found.public, signature):
            raise NoRelease("the list of files is not signed with its key")
        return found

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        told = {"version": self.version, "public": self.public, "signature": self.signature, "files": dict(self.files)}
        return json.dumps(told, indent=1, sort_keys=True).encode()


def _text(version: str, files: Mapping[str, str]) -> bytes:
    """Return the signed bytes."""
    return b"companion release " + json.dumps([version, sorted(files.items())]).encode()


def digest(data: bytes) -> str:
    """Return a SHA-256 as in manifests."""
    return hashlib.sha256(data).hexdigest()


def present(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each package file in a folder, without compiled bytecode."""
    for package in PACKAGES:
        for path in (root / package).rglob("*"):
            name = path.relative_to(root).as_posix()
            if name != LIST and (path.is_symlink() or not path.is_dir()) and "__pycache__" not in path.parts:
                yield name, path


def sign_folder(root: Path, version: str, seed: bytes) -> Release:
    """Sign the packages in a folder and write the manifest beside them.

    Raises:
        OSError: a file cannot be read, or the manifest cannot be written.
    """
    made = Release.signed(version, {name: digest(path.read_bytes()) for name, path in present(root)}, seed)
    (root / LIST).write_bytes(made.to_bytes())
    (root / LIST).chmod(0o644)  # must be readable by the service's user
    return made


def sign_wheel(wheel: Path, seed: bytes) -> Release:
    """Sign a wheel and add the manifest to it.

    Raises:
        OSError: it cannot be read or written.
        ValueError: not a wheel of this program.
    """
    with zipfile.ZipFile(wheel) as archive:
        parts = {info.filename: (info, archive.read(info)) for info in archive.infolist() if info.filename != LIST}
    record = next((name for name in parts if name.endswith(".dist-info/RECORD")), None)
    files = {name: digest(data) for name, (_, data) in parts.items() if name.partition("/")[0] in PACKAGES}
    if record is None or not files:
        raise ValueError(f"{wheel} is no wheel of the companion")
    made = Release.signed(wheel.name.split("-")[1], files, seed)
    data = made.to_bytes()
    code = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    kept = [line for line in parts[record][1].decode().splitlines() if not line.startswith(f"{LIST},")]
    parts[record] = (parts[record][0], "\n".join([*kept, f"{LIST},sha256={code},{len(data)}", ""]).encode())
    draft = wheel.with_name(f"{wheel.name}.tmp")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in parts.values():
            archive.writestr(info, content)
        archive.writestr(LIST, data)
    draft.replace(wheel)
    return made


def key_in(file: Path) -> bytes:
    """Return the seed in a file, 64 hex digits; generates one, owner-readable only, if the file is missing.

    Raises:
        OSError: it cannot be read or written.
        ValueError: no valid key.
    """
    try:
        seed = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        seed = os.urandom(_SEED_BYTES)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, f"{seed.hex()}\n".encode())
    if len(seed) != _SEED_BYTES:
        raise ValueError(f"{file} holds no key: it is {2 * _SEED_BYTES} hexadecimal digits")
    return seed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release", description="Signs the list of a release's files.")
    parser.add_argument("what", type=Path, help="a wheel, or the folder with the installed packages")
    parser.add_argument(
        "--key", type=Path, required=True, help="file with the secret key; created if it does not exist"
    )
    options = parser.parse_args(arguments)
    try:
        seed = key_in(options.key)
        folder = options.what.is_dir()
        made = (
            sign_folder(options.what, metadata.version(DISTRIBUTION), seed)
            if folder
            else sign_wheel(options.what, seed)
        )
    except (OSError, ValueError, zipfile.BadZipFile, metadata.PackageNotFoundError) as error:
        print(f"Not signed: {error}.", file=sys.stderr)
        return 1
    print(f"{len(made.files)} files are signed. The public key, to compare with: {made.public}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
