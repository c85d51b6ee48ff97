"""A virtual machine that runs the companion and nothing else, on a disk whose cache is lost with the power."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from hardware.harness.gpiosim.image import Image

from .disk import VolatileDisk

PIN: Final = "4711"
_SIZE: Final = "48M"
_KERNEL: Final = "console=ttyS0 no_timer_check quiet panic=-1 mitigations=off random.trust_cpu=on net.ifnames=0"
_TOOL_S: Final = 120.0


def accelerator() -> str:
    """Return what runs the guest's instructions: an emulator. ``ACCEL=kvm`` is quicker, and often fails when nested."""
    return os.environ.get("ACCEL") or "tcg,thread=multi"


class Machine:
    """The machine. It has no state but the disk's.

    Args:
        image: the guest; nothing that is written to it is kept.
        disk: the socket that the data's disk is served on.
        port: of this machine; the companion's page answers there.
        console: a file that what it says is added to.
    """

    def __init__(self, image: Image, disk: Path, port: int, console: Path) -> None:
        self._console = console
        self._command = [
            "qemu-system-x86_64", "-accel", accelerator(), "-smp", "2", "-cpu", "max", "-m", "1024",
            "-display", "none", "-no-reboot",
            "-chardev", f"file,id=console,path={console},append=on", "-serial", "chardev:console",
            "-kernel", str(image.folder / "kernel" / "vmlinuz"), "-initrd", str(image.folder / "kernel" / "initrd.gz"),
            "-append", f"{_KERNEL} root=/dev/vda rw init=/usr/local/sbin/alone PIN={PIN}",
            "-drive", f"file={image.folder / 'disk.img'},if=none,id=root,format=raw,cache=unsafe,snapshot=on",
            "-device", "virtio-blk-pci,drive=root",
            "-blockdev", f"driver=nbd,node-name=data,server.type=unix,server.path={disk}",
            "-device", "virtio-blk-pci,drive=data,write-cache=on",
            "-nic", f"user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:{port}-10.0.2.15:8080",
            "-device", "virtio-rng-pci",
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Boot it."""
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        """Stop it between two instructions, as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def why_dead(self) -> str | None:
        """Say why it does not run any more; None while it does."""
        ended = self._process is None or self._process.poll() is not None
        return f"The machine has ended; see {self._console}." if ended else None


def new_disk(content: Path, folder: Path) -> VolatileDisk:
    """Return a disk with a file system that holds a folder's files."""
    image = folder / "new.img"
    _run("mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", str(content), str(image), _SIZE)
    made = VolatileDisk(image.read_bytes())
    image.unlink()
    return made


def files_on(disk: VolatileDisk, folder: Path) -> Path:
    """Return a new folder with the files that a machine would find, once its file system has been recovered."""
    image, found = folder / "medium.img", folder / "found"
    image.write_bytes(disk.medium)
    shutil.rmtree(found, ignore_errors=True)
    found.mkdir(mode=0o700)
    _run("e2fsck", "-p", "-E", "journal_only", str(image))
    _run("e2fsck", "-fn", str(image))
    _run("debugfs", "-R", f"rdump / {found}", str(image))
    assert (found / "companion.toml").exists(), "the file system is empty"
    return found


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=_TOOL_S, check=False)
    assert done.returncode in (0, 1), f"{' '.join(words)} ends with {done.returncode}: {done.stdout}{done.stderr}"
