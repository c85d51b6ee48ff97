"""The signed list of a release's files: written where the release is made, compared at every start.

    python -m companion.app.operations.release WHEEL|FOLDER --key FILE

signs a wheel, or the packages that are installed in a folder, with an Ed25519 key; a key that is not there is made.
`make deb` uses its maker's key, `make install` one that only root of the machine can read.
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
    """Return the version of the installed program; an empty text where it is run from a folder."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""


class NoRelease(ValueError):
    """A list of files is damaged, or not signed with the key that it names."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release: the SHA-256 of each of its files, in hexadecimal digits, by the path from its root.

    Attributes:
        public: the public key of whoever made it.
    """

    version: str
    files: Mapping[str, str]
    public: str
    signature: str

    @classmethod
    def signed(cls, version: str, files: Mapping[str, str], seed: bytes) -> Self:
        """Sign a list of files with the key that is made from 32 secret bytes."""
        signer = SeedSigner(seed)
        return cls(version, files, signer.public, signer.sign(_text(version, files)).hex())

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a list and check its signature.

        Raises:
            NoRelease: it is damaged, or signed with another key than it says.
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
        """Return the list as it is kept."""
        told = {"version": self.version, "public": self.public, "signature": self.signature, "files": dict(self.files)}
        return json.dumps(told, indent=1, sort_keys=True).encode()


def _text(version: str, files: Mapping[str, str]) -> bytes:
    """Return what is signed."""
    return b"companion release " + json.dumps([version, sorted(files.items())]).encode()


def digest(data: bytes) -> str:
    """Return the SHA-256 as lists of files have it."""
    return hashlib.sha256(data).hexdigest()


def present(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the packages in a folder, by name; what Python has compiled is no file of a release."""
    for package in PACKAGES:
        for path in (root / package).rglob("*"):
            name = path.relative_to(root).as_posix()
            if name != LIST and (path.is_symlink() or not path.is_dir()) and "__pycache__" not in path.parts:
                yield name, path


def sign_folder(root: Path, version: str, seed: bytes) -> Release:
    """Sign the packages that lie in a folder, and lay the list beside them.

    Raises:
        OSError: a file cannot be read, or the list cannot be written.
    """
    made = Release.signed(version, {name: digest(path.read_bytes()) for name, path in present(root)}, seed)
    (root / LIST).write_bytes(made.to_bytes())
    (root / LIST).chmod(0o644)  # the service's user reads it
    return made


def sign_wheel(wheel: Path, seed: bytes) -> Release:
    """Sign a wheel: it then holds the list.

    Raises:
        OSError: it cannot be read or written.
        ValueError: it is no wheel of this program.
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
    """Return the secret key in a file, 64 hexadecimal digits; one that is not there is made, for its owner alone.

    Raises:
        OSError: it cannot be read or written.
        ValueError: it holds no key.
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
    parser.add_argument("what", type=Path, help="a wheel, or the folder in which the packages are installed")
    parser.add_argument("--key", type=Path, required=True, help="the file with the secret key; made if it is not there")
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
