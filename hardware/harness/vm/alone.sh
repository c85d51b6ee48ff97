#!/bin/bash
# Runs as the first process of a guest that does nothing but run the companion: up in seconds, and its power may be cut.
# Its data lie on the second disk; the dealer's PIN is $PIN, from the kernel's command line.
set -euo pipefail
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
modprobe virtio_net
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2
mkdir -p /var/lib/companion
mount -t ext4 /dev/vdb /var/lib/companion
echo "up after $(cut -d ' ' -f 1 /proc/uptime) s"
export HOME=/root COMPANION_PIN=$PIN
/opt/table-companion/current/bin/companion run --data /var/lib/companion --camera 97 --panel none --host 0.0.0.0 || true
echo "The companion has ended; its files:"
ls -l /var/lib/companion
sleep infinity
