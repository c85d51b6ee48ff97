#!/bin/bash
# The bench's job, run as root in the virtual machine: makes it look like a Pi with a camera, then runs the scenarios.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
modprobe configfs
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
modprobe gpio-sim
modprobe v4l2loopback video_nr=10 exclusive_caps=1 card_label=bench
modprobe vivid n_devs=1 node_types=0x1 vid_cap_nr=0

# gpiozero asks /proc/cpuinfo which board this is: a Pi 4B. In the unit's own /proc as well.
{ cat /proc/cpuinfo; printf 'Revision\t: c03114\n'; } >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
mkdir -p /run/systemd/system/companion.service.d
cat >/run/systemd/system/companion.service.d/bench.conf <<UNIT
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
# An emulated machine takes a minute to import what a Pi imports in seconds.
TimeoutStartSec=900
WatchdogSec=60
UNIT
systemctl daemon-reload
exec /opt/table-companion/current/bin/python -u -m hardware.harness.gpiosim.guest "$here"
