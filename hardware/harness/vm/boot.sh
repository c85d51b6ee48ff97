#!/bin/bash
# Boots the bench's machine once: JOB/job.sh runs in it as root; JOB/job.out and JOB/job.rc come back.
# The disk is a throw-away copy; SNAPSHOT=off keeps what was written (for crash tests).
# Usage: boot.sh CACHE JOB [more for qemu]       LIMIT: seconds, MEM: megabytes, SMP: processors, ACCEL
#
# The emulated processor does 1000 million instructions a second of the guest's own clock (-icount; a core of a Pi 4 does
# some 1800), however busy this machine is: the guest's times and time-outs mean the same everywhere, only waiting for it
# takes longer. While the guest has nothing to do its clock leaps to the next timer (sleep=off): pauses cost nothing. With
# ACCEL (kvm, where it is known to work: a nested machine's often does not; or tcg,thread=multi) the clock is this machine's.
set -euo pipefail
cache=$1 job=$2
shift 2
rm -f "$job/job.out" "$job/job.rc"
if [ -n "${ACCEL:-}" ]; then clock=(-accel "$ACCEL" -smp "${SMP:-2}")
else clock=(-accel tcg,thread=single -icount shift=0,sleep=off -rtc clock=vm -smp 1); fi
# In the foreground: `timeout` would otherwise make a process group of its own, which outlives whoever ends this one.
timeout --foreground "${LIMIT:-900}" qemu-system-x86_64 "${clock[@]}" -cpu max -m "${MEM:-2048}" \
    -display none -serial "file:$job/console.log" -no-reboot -nic none \
    -kernel "$cache/kernel/vmlinuz" -initrd "$cache/kernel/initrd.gz" \
    -append "console=ttyS0 no_timer_check root=/dev/vda rw quiet loglevel=4 panic=-1 mitigations=off random.trust_cpu=on systemd.show_status=false net.ifnames=0" \
    -drive "file=$cache/disk.img,if=virtio,format=raw,cache=unsafe,snapshot=${SNAPSHOT:-on}" \
    -fsdev "local,id=hil,path=$job,security_model=none" -device virtio-9p-pci,fsdev=hil,mount_tag=hil \
    -device virtio-rng-pci "$@" || { echo "The machine did not end by itself in ${LIMIT:-900} s; see $job/console.log." >&2; exit 1; }
[ -e "$job/job.rc" ] || { echo "The machine ended before its job did; see $job/console.log." >&2; exit 1; }
