#!/bin/bash
# Installs, upgrades and uninstalls the companion as a service on Debian or Raspberry Pi OS. The data is never removed.
#
#   install.sh install [--wheels DIR]   install a new release and switch to it; switch back if it does not start
#   install.sh uninstall                stop the service and remove the programs; data and settings stay
#   install.sh files DESTDIR            only copy the system files into a folder (for the Debian package)
#
# Each release is a virtual environment under /opt/table-companion/releases; `current` points to the one in use.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_tree=$(dirname "$here")
unset PYTHONPATH  # a checkout on it would count as installed
prefix=/opt/table-companion
python=${PYTHON:-/usr/bin/python3}

main() {
    case "${1:-}" in
        install) shift; install "$@" ;;
        uninstall) uninstall ;;
        files) files "${2:?The destination folder is missing.}" ;;
        *) die "Usage: install.sh install|uninstall|files" ;;
    esac
}

die() { echo "$*" >&2; exit 1; }

need_root() { [ "$(id -u)" = 0 ] || die "This changes the system. Run it with sudo."; }

install() {
    need_root
    local wheels=
    [ "${1:-}" != --wheels ] || wheels=${2:?The folder of wheels is missing.}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "The companion needs Python 3.11 or newer; $python is older. Try: sudo make install PYTHON=/usr/bin/python3.11"
    "$python" -c 'import ensurepip' 2>/dev/null || die "Python cannot create virtual environments here. Install python3-venv."
    local release last=
    release=$prefix/releases/$(date -u +%Y%m%d-%H%M%S)
    last=$(readlink -f "$prefix/current" 2>/dev/null || true)
    make_release "$release" "$wheels"
    [ -n "$wheels" ] || files /
    settle_system
    ln -sfn "$release" "$prefix/current.new" && mv -T "$prefix/current.new" "$prefix/current"
    start "$last" "$release"
    prune "$release" "$last"
    tell
}

make_release() { # FOLDER WHEELS: creates a complete environment, or none
    local release=$1 wheels=$2 shared='' parts=mqtt
    trap 'rm -rf "'"$release"'"' ERR
    # If the system's Python has picamera2, the release must see it, and use the NumPy version that it was built with.
    ! "$python" -c 'import picamera2' 2>/dev/null || shared=--system-site-packages
    [ ! -e /proc/device-tree/model ] || ! grep -q Raspberry /proc/device-tree/model || parts+=,pi
    # On the floor's server: `sudo make install FLOOR=1`, and every upgrade once its service is enabled.
    if [ -n "${FLOOR:-}" ] || systemctl is-enabled --quiet companion-floor.service 2>/dev/null; then
        parts+=,floor
    fi
    mkdir -p "$(dirname "$release")"
    "$python" -m venv $shared "$release"
    local pip=("$release/bin/python" -m pip install --quiet --disable-pip-version-check --no-input)
    if [ -n "$wheels" ]; then
        "${pip[@]}" --no-index --find-links "$wheels" "table-companion[$parts]"
    else
        local pins; pins=$(mktemp)
        if [ -n "$shared" ]; then grep -v '^numpy==' "$source_tree/constraints.txt" >"$pins"; else cat "$source_tree/constraints.txt" >"$pins"; fi
        echo "Installing the companion into $release ..."
        local copy; copy=$(mktemp -d)  # building leaves files behind, and not root's in somebody's folder
        cp -r "$source_tree"/{pyproject.toml,README.md,companion,hardware,web_ui} "$copy"
        "${pip[@]}" -c "$pins" "$copy[$parts]"
        rm -rf "$pins" "$copy"
    fi
    "$release/bin/companion" --help >/dev/null
    sign_files "$release"
    trap - ERR
}

sign_files() { # FOLDER: unless the package's maker has signed the files, signs them with a key that only root can read
    local packages; packages=$("$1/bin/python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    [ -e "$packages/companion/release.json" ] ||
        "$1/bin/python" -I -m companion.app.operations.release "$packages" --key /etc/companion/release.key
}

files() { # DESTDIR: units, users, rules; settings only if there are none
    local root=${1%/}
    local lib=$root/usr/lib
    put() { command install -D -m "$1" "$here/$2" "$3"; }
    put 644 companion.service "$lib/systemd/system/companion.service"
    put 644 companion-kiosk.service "$lib/systemd/system/companion-kiosk.service"
    put 644 companion-floor.service "$lib/systemd/system/companion-floor.service"
    put 644 sysusers.conf "$lib/sysusers.d/companion.conf"
    put 644 tmpfiles.conf "$lib/tmpfiles.d/companion.conf"
    put 644 70-companion.rules "$lib/udev/rules.d/70-companion.rules"
    put 644 avahi.service "$root/etc/avahi/services/companion.service"
    put 644 display.conf "$root/usr/share/doc/table-companion/display.conf"
    put 644 voice.conf "$root/usr/share/doc/table-companion/voice.conf"
    put 644 hardware-watchdog.conf "$root/usr/share/doc/table-companion/hardware-watchdog.conf"
    put 644 push.conf "$root/usr/share/doc/table-companion/push.conf"
    put 644 journald.conf "$root/usr/share/doc/table-companion/journald.conf"
    put 644 mosquitto/companion.conf "$root/usr/share/doc/table-companion/mosquitto/companion.conf"
    put 644 mosquitto/companion.acl "$root/usr/share/doc/table-companion/mosquitto/companion.acl"
    for page in README.md SECURITY.md $(cd "$here/.." && echo docs/*.md); do
        put 644 "../$page" "$root/usr/share/doc/table-companion/$page"
    done
    [ -e "$root/etc/companion/companion.toml" ] || put 644 companion.toml "$root/etc/companion/companion.toml"
    mkdir -p "$root/usr/bin"
    ln -sfn "$prefix/current/bin/companion" "$root/usr/bin/companion"
}

settle_system() {
    systemd-sysusers
    systemd-tmpfiles --create companion.conf
    ! is_booted || { udevadm control --reload && udevadm trigger --subsystem-match=gpio --subsystem-match=video4linux; } || true
    ! is_booted || systemctl daemon-reload
}

is_booted() { [ -d /run/systemd/system ]; }

start() { # LAST NEW: enables and starts the service; switches back to LAST if NEW does not start
    if ! is_booted; then
        systemctl enable --quiet companion.service
        echo "systemd is not running here: the service starts at the next boot."
        return
    fi
    systemctl enable --quiet companion.service
    if systemctl restart companion.service; then return; fi  # Type=notify: returns once the table is open
    journalctl -u companion -n 15 --no-pager >&2 || true
    [ -n "$1" ] && [ -d "$1" ] || die "The table did not start; see above. Fix the fault, then run: sudo systemctl restart companion"
    ln -sfn "$1" "$prefix/current.new" && mv -T "$prefix/current.new" "$prefix/current"
    systemctl restart companion.service || true
    rm -rf "$2"
    die "The new release did not start; see above. The previous release is in use again, and no data was changed."
}

prune() { # NEW LAST: removes all releases but these two
    local release
    for release in "$prefix"/releases/*/; do
        release=${release%/}
        [ "$release" = "$1" ] || [ "$release" = "$2" ] || rm -rf "$release"
    done
}

tell() {
    is_booted || return 0
    echo "The table runs: https://$(hostname).local:8080 (where mDNS works) or https://$(hostname -I | cut -d' ' -f1):8080"
    journalctl -u companion -b --no-pager -o cat 2>/dev/null | grep '^First start' | tail -1 || true
    echo "Settings: /etc/companion/companion.toml. Data: /var/lib/companion. On a TV here: sudo systemctl enable --now companion-kiosk"
}

uninstall() {
    need_root
    ! is_booted || systemctl disable --now --quiet companion-kiosk.service companion-floor.service companion.service 2>/dev/null || true
    is_booted || systemctl disable --quiet companion.service 2>/dev/null || true
    rm -rf "$prefix"
    rm -f /usr/lib/systemd/system/companion.service /usr/lib/systemd/system/companion-kiosk.service \
        /usr/lib/systemd/system/companion-floor.service /usr/lib/sysusers.d/companion.conf /usr/lib/tmpfiles.d/companion.conf \
        /usr/lib/udev/rules.d/70-companion.rules /etc/avahi/services/companion.service /usr/bin/companion
    rm -rf /usr/share/doc/table-companion
    ! is_booted || systemctl daemon-reload
    echo "Removed. The data stays in /var/lib/companion and the settings in /etc/companion; delete them yourself if they are not needed."
}

main "$@"
