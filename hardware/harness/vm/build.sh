#!/bin/bash
# Builds the virtual machine of the gpiosim rig: a real Debian kernel with gpio-sim and v4l2loopback, and a guest in which
# the companion is installed from its own Debian package and started by its own systemd unit.
#
# Usage: build.sh CACHE PACKAGE.deb      CACHE keeps what does not depend on the companion (kernel, guest without it)
# Needs root, and the packages mmdebstrap, e2fsprogs, cpio and busybox-static.
set -euo pipefail
cache=${1:?Say the cache folder.}
package=${2:?Say the Debian package.}
here=$(cd "$(dirname "$0")" && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME") # the package holds wheels for this suite's Python
mkdir -p "$cache"
say() { echo "hil: $*"; }

mirror() {
    if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR"; return; fi
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        sed -n 's/^URIs: *//p; s/^deb *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' | head -1
}

bootstrap() { # SUITE OUT PACKAGES
    mmdebstrap --quiet --mode=root --variant=minbase --components=main --include="$3" \
        --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$1" "$2" "$(mirror)"
}

# Debian leaves gpio-sim out of its kernels, and the irq_sim that it needs: both are built into one module, from Debian's own
# sources. The one symbol that modules may not use, irq_to_desc, stands in a line for which there is a public function.
kernel() {
    [ ! -e "$cache/kernel/done" ] || return 0
    say "kernel, gpio-sim and v4l2loopback (a few minutes, once) ..."
    local root=$cache/kernel/root
    rm -rf "$cache/kernel"; mkdir -p "$root"
    bootstrap trixie "$cache/kernel/base.tar" kmod,ca-certificates
    tar xf "$cache/kernel/base.tar" -C "$root"; rm "$cache/kernel/base.tar"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount --bind /proc "$root/proc"
    trap 'umount "'"$root"'/proc" 2>/dev/null || true' EXIT
    local inside=(chroot "$root" env DEBIAN_FRONTEND=noninteractive)
    "${inside[@]}" apt-get -qq update
    "${inside[@]}" apt-get -qq install -y --no-install-recommends \
        linux-headers-amd64 linux-image-amd64 v4l2loopback-dkms make gcc linux-source xz-utils >/dev/null
    "${inside[@]}" sh -euc 'mkdir /root/gpio-sim; cd /root/gpio-sim
        archive=$(ls /usr/src/linux-source-*.tar.xz | head -1); tree=$(basename $archive .tar.xz)
        tar xf $archive $tree/drivers/gpio $tree/kernel/irq/irq_sim.c
        cp $tree/drivers/gpio/gpio-sim.c gpio_sim_main.c; cp $tree/drivers/gpio/*.h $tree/kernel/irq/irq_sim.c .; rm -r $tree
        sed -i "s/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq(irqnum)/" irq_sim.c; ! grep -q irq_to_desc irq_sim.c
        printf "obj-m := gpio-sim.o\ngpio-sim-y := gpio_sim_main.o irq_sim.o\n" > Makefile
        version=$(ls /lib/modules | head -1)
        make -s -C /lib/modules/$version/build M=$PWD modules
        mkdir -p /lib/modules/$version/extra; cp gpio-sim.ko /lib/modules/$version/extra/; depmod $version'
    umount "$root/proc"; trap - EXIT
    local version; version=$(ls "$root/lib/modules" | head -1)
    cp "$root/boot/vmlinuz-$version" "$cache/kernel/vmlinuz"
    rm -f "$root/usr/lib/modules/$version/build" "$root/usr/lib/modules/$version/source"
    mv "$root/usr/lib/modules" "$cache/kernel/modules"
    rm -rf "$root"
    touch "$cache/kernel/done"
}

initrd() { # only what finds the disk
    local tree=$cache/kernel/initrd version module file
    version=$(ls "$cache/kernel/modules" | head -1)
    rm -rf "$tree"; mkdir -p "$tree/bin" "$tree/modules" "$tree/newroot"
    cp "$(command -v busybox)" "$tree/bin/busybox"
    install -m 755 "$here/init" "$tree/init"
    for module in crc16 crc32c_generic libcrc32c crc32c-intel mbcache jbd2 ext4 virtio_blk; do
        file=$(find "$cache/kernel/modules/$version" -name "$module.ko.xz")
        [ -z "$file" ] || xz -dc "$file" >"$tree/modules/$module.ko"
    done
    (cd "$tree" && find . | cpio -o -H newc 2>/dev/null | gzip >"$cache/kernel/initrd.gz")
    rm -rf "$tree"
}

base() {
    [ ! -e "$cache/$suite.tar" ] || return 0
    say "a guest of $suite (two minutes, once) ..."
    bootstrap "$suite" "$cache/new.tar" \
        systemd-sysv,systemd,udev,dbus,kmod,python3,python3-venv,sqlite3,v4l-utils,procps,iproute2,libzbar0,ca-certificates,curl
    mv "$cache/new.tar" "$cache/$suite.tar"
}

guest() {
    local root=$cache/guest unit
    local made="$cache/disk.from"
    local wanted; wanted=$(cat "$package" "$here"/{build.sh,hil.service,hil.target,alone.sh} "$cache/kernel/vmlinuz" | sha256sum)
    [ "$(cat "$made" 2>/dev/null)" != "$wanted" ] || [ ! -e "$cache/disk.img" ] || return 0
    say "the guest with the companion's package ..."
    rm -rf "$root" "$cache/disk.img"; mkdir -p "$root"
    tar xf "$cache/$suite.tar" -C "$root"
    mkdir -p "$root/usr/lib/modules" "$root/mnt/hil"
    cp -a "$cache/kernel/modules/." "$root/usr/lib/modules/"
    cp "$package" "$root/companion.deb"
    mount --bind /proc "$root/proc"
    trap 'umount "'"$root"'/proc" 2>/dev/null || true' EXIT
    chroot "$root" env -i PATH="$PATH" DEBIAN_FRONTEND=noninteractive dpkg -i /companion.deb >"$cache/dpkg.log" 2>&1 ||
        { tail -20 "$cache/dpkg.log" >&2; echo "The package does not install in the guest; see above." >&2; exit 1; }
    umount "$root/proc"; trap - EXIT
    rm "$root/companion.deb"
    pins "$root"
    install -m 755 "$here/alone.sh" "$root/usr/local/sbin/alone"
    install -m 644 "$here/hil.service" "$here/hil.target" "$root/etc/systemd/system/"
    mkdir -p "$root/etc/systemd/system/hil.target.wants"
    ln -sf ../hil.service "$root/etc/systemd/system/hil.target.wants/"
    ln -sf /etc/systemd/system/hil.target "$root/etc/systemd/system/default.target"
    # Nothing else: emulation is slow. The table is started by the job, when its devices are there.
    for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_reap.service fstrim.timer dpkg-db-backup.timer; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
    rm -f "$root/etc/systemd/system/multi-user.target.wants/companion.service"
    install -d "$root/etc/systemd/system-preset"
    echo "disable companion*" >"$root/etc/systemd/system-preset/00-hil.preset" # a first boot would enable it again
    echo hil >"$root/etc/hostname"
    echo '/dev/vda / ext4 rw 0 1' >"$root/etc/fstab"
    echo uninitialized >"$root/etc/machine-id"
    mke2fs -q -t ext4 -d "$root" -O ^metadata_csum "$cache/disk.img" 3G
    rm -rf "$root"
    echo "$wanted" >"$made"
}

pins() { # ROOT: lgpio as on a Pi; the package for a PC leaves it out
    local wheels=$cache/lgpio
    [ -d "$wheels" ] || /usr/bin/python3 -m pip download --quiet --disable-pip-version-check --no-deps \
        --only-binary=:all: --dest "$wheels" lgpio==0.2.2.0
    cp -r "$wheels" "$1/lgpio"
    chroot "$1" /opt/table-companion/current/bin/python -m pip install --quiet --no-index --no-deps --find-links /lgpio lgpio
    rm -r "$1/lgpio"
}

[ "$(id -u)" = 0 ] || { echo "Building a guest needs root. Run it with sudo." >&2; exit 1; }
kernel
initrd
base
guest
say "ready in $cache"
