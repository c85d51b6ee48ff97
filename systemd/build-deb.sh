#!/bin/bash
# Builds a Debian package for this machine's architecture and Python. It contains all wheels, so that it installs without
# a network. The list of the program's files is signed with the key in $RELEASE_KEY, which is created if it does not
# exist: keep it. Usage: build-deb.sh OUTDIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_tree=$(dirname "$here")
unset PYTHONPATH  # a checkout on it would count as installed
python=${PYTHON:-/usr/bin/python3}
out=${1:-$source_tree/dist}
version=$("$python" -c 'import sys, tomllib; print(tomllib.load(open(sys.argv[1], "rb"))["project"]["version"])' "$source_tree/pyproject.toml")
arch=$(dpkg --print-architecture)
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
next=3.$((${minor#3.} + 1))
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
root=$work/root
wheels=$root/opt/table-companion/wheels
mkdir -p "$wheels" "$root/DEBIAN" "$out"

extra='[mqtt,floor]'; [ "$arch" != arm64 ] || extra='[mqtt,floor,pi]'
echo "Gathering wheels for Python $minor on $arch ..."
"$python" -m venv "$work/venv"
mkdir "$work/source"
cp -r "$source_tree"/{pyproject.toml,README.md,companion,hardware,web_ui} "$work/source"
"$work/venv/bin/python" -m pip wheel --quiet --disable-pip-version-check -c "$source_tree/constraints.txt" -w "$wheels" "$work/source$extra"
key=${RELEASE_KEY:-${XDG_CONFIG_HOME:-$HOME/.config}/table-companion/release.key}
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$wheels" table-companion
(cd / && "$work/venv/bin/python" -I -m companion.app.operations.release "$wheels"/table_companion-*.whl --key "$key")

bash "$here/install.sh" files "$root"
install -D -m 755 "$here/install.sh" "$root/opt/table-companion/setup/systemd/install.sh"
echo /etc/companion/companion.toml >"$root/DEBIAN/conffiles"
echo /etc/avahi/services/companion.service >>"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/control" <<CONTROL
Package: table-companion
Version: $version
Architecture: $arch
Maintainer: The table companion's makers <table-companion@localhost>
Depends: python3 (>= $minor), python3 (<< $next), python3-venv, libzbar0, systemd
Recommends: avahi-daemon, espeak-ng
Suggests: cage, chromium, mosquitto, postgresql
Section: games
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Description: companion for physical card tables
 A camera looks down on a real card table: the companion reads QR-coded Roche cards, suit tokens and dice,
 settles every bet, and shows the table on a dashboard.
CONTROL
cat >"$root/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
[ "$1" != configure ] || PYTHON=/usr/bin/python3 bash /opt/table-companion/setup/systemd/install.sh install --wheels /opt/table-companion/wheels
POSTINST
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ]; then
    if [ -d /run/systemd/system ]; then systemctl disable --now --quiet companion-kiosk.service companion-floor.service companion.service || true
    else systemctl disable --quiet companion.service || true; fi
    rm -rf /opt/table-companion/releases /opt/table-companion/current
fi
PRERM
cat >"$root/DEBIAN/postrm" <<'POSTRM'
#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload || true
if [ "$1" = purge ]; then
    echo "The coins' journal and the decks' keys stay in /var/lib/companion; delete them yourself if they are not needed."
fi
POSTRM
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
# The wheels are already compressed: compressing them again would only cost a minute.
dpkg-deb --root-owner-group -Zgzip -z1 --build "$root" "$out/table-companion_${version}_$arch.deb"
