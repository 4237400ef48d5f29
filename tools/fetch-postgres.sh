#!/usr/bin/env bash
# Unpacks a PostgreSQL server from Debian's packages into a cache folder, with every shared library that this system
# lacks. Prints two lines: the path of `postgres`, and the folders of the libraries (for LD_LIBRARY_PATH), empty where none is missing.
#
#   fetch-postgres.sh CACHE_DIR
#
# Needs no root and changes nothing on the system (see private-apt.sh), and `dpkg -x` only unpacks. The
# suite is this system's own, so that its libraries fit.
# Standard output carries the answer and nothing else; what went wrong goes to standard error, exit status 1 (2 for
# misuse).
set -euo pipefail
# shellcheck source=private-apt.sh
. "$(dirname "$0")/private-apt.sh"

if [ $# -ne 1 ]; then
  echo "usage: fetch-postgres.sh CACHE_DIR" >&2
  exit 2
fi
home="$1/postgresql"
root="$home/root"
log="$home/fetch.log"

server() {
  { find "$root/usr/lib/postgresql" -path '*/bin/postgres' -type f 2>/dev/null || true; } | sort -V | tail -n 1
}

libraries() {
  find "$root/usr/lib" -name '*.so*' -not -path "$root/usr/lib/postgresql/*" -printf '%h\n' | sort -u | paste -sd:
}

finish_if_cached() {
  local binary
  binary=$(server)
  if [ -x "$binary" ]; then
    echo "$binary"
    libraries
    exit 0
  fi
}

machine_suite() {
  sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# The newest major version of the suite.
package() {
  apt-cache pkgnames postgresql- | grep -E '^postgresql-[0-9]+$' | sort -V | tail -n 1
}

is_installed() {
  [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The libraries that a package needs, whatever needs them in between, as far as the system lacks them. Scripts and
# accounts that Debian would set up beside the server are left out.
missing_libraries() {
  local library
  apt-cache depends --recurse --important "$1" | grep -E '^lib[a-z0-9.+-]+$' | sort -u |
    while read -r library; do is_installed "$library" || echo "$library"; done
}

# By name, never a pool address: Debian keeps only the newest version there.
download() {
  local packages
  packages=$(missing_libraries "$1" | grep -v -- '-perl$' || true)
  rm -rf "$home/download" && mkdir -p "$home/download"
  # shellcheck disable=SC2086 # one word per package
  (cd "$home/download" && apt-get download -qq "$1" $packages)
}

unpack() {
  local archive
  rm -rf "$root.new"
  for archive in "$home"/download/*.deb; do dpkg -x "$archive" "$root.new"; done
  # Renamed into place when complete, so that what is cached is whole.
  rm -rf "$root" && mv "$root.new" "$root"
  LD_LIBRARY_PATH=$(libraries) "$(server)" --version
}

finish_if_cached
require_debian fetch-postgres.sh PostgreSQL
mkdir -p "$home"
exec 9>"$home/.lock"
flock 9 # one fetch at a time; whoever waited finds it done
finish_if_cached

mirror=$(machine_mirror fetch-postgres.sh)
suite=$(machine_suite)
if {
  use_private_apt "$home/apt" "${suite:-stable}" "$mirror" && apt-get update -qq && name=$(package) && download "$name" && unpack
} >"$log" 2>&1; then
  rm -rf "$home/download"
  finish_if_cached
fi

rm -rf "$root"
echo "fetch-postgres.sh: no usable PostgreSQL; details: $log" >&2
tail -n 5 "$log" >&2
exit 1
