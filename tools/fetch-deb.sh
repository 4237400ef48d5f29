#!/usr/bin/env bash
# Unpacks one program from a Debian package into a cache folder and prints the path of its binary.
#
#   fetch-deb.sh PACKAGE BINARY_PATH_IN_DEB CACHE_DIR [SUITE…]        suites are tried in order (default: testing sid)
#   fetch-deb.sh nats-server usr/sbin/nats-server ~/.cache/retrace
#
# Needs no root and changes nothing on the system (see private-apt.sh), and `dpkg -x` only unpacks.
# Standard output carries the path and nothing else; what went wrong goes to standard error, exit status 1 (2 for misuse).
set -euo pipefail
# shellcheck source=private-apt.sh
. "$(dirname "$0")/private-apt.sh"

if [ $# -lt 3 ]; then
  echo "usage: fetch-deb.sh PACKAGE BINARY_PATH_IN_DEB CACHE_DIR [SUITE…]" >&2
  exit 2
fi
package=$1 binary=$2 cache=$3
shift 3
suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then suites=(testing sid); fi

root="$cache/$package/root"
log="$cache/$package/fetch.log"

finish_if_cached() {
  if [ -x "$root/$binary" ]; then
    echo "$root/$binary"
    exit 0
  fi
}

# The package is named, never a pool address: Debian keeps only the newest version there.
download() {
  local downloads="$cache/$package/download"
  rm -rf "$downloads" && mkdir -p "$downloads"
  apt-get update -qq && (cd "$downloads" && apt-get download -qq "$package")
}

# A binary from a newer suite may need a newer libc: one that does not start counts as not found.
unpack() {
  rm -rf "$root.new" && dpkg -x "$cache/$package/download/"*.deb "$root.new" && "$root.new/$binary" --version
}

# Renamed into place when complete, so that a cached binary is a whole one.
install_unpacked() {
  rm -rf "$root" "$cache/$package/download" && mv "$root.new" "$root"
}

finish_if_cached
require_debian fetch-deb.sh "$package"
mkdir -p "$cache/$package"
exec 9>"$cache/.lock"
flock 9 # one fetch at a time; whoever waited finds it done
finish_if_cached

mirror=$(machine_mirror fetch-deb.sh)
: >"$log"
for suite in "${suites[@]}"; do
  use_private_apt "$cache/apt-$suite" "$suite" "$mirror"
  if download >>"$log" 2>&1 && unpack >>"$log" 2>&1; then
    install_unpacked
    finish_if_cached
  fi
done

echo "fetch-deb.sh: no usable $package in ${suites[*]}; details: $log" >&2
tail -n 5 "$log" >&2
exit 1
