#!/usr/bin/env bash
# Unpacks one program from a Debian package into a cache folder and prints the path of its binary.
#
#   fetch-deb.sh PACKAGE BINARY_PATH_IN_DEB CACHE_DIR [SUITE…]        suites are tried in order (default: testing sid)
#   fetch-deb.sh nats-server usr/sbin/nats-server ~/.cache/retrace
#
# Needs no root and changes nothing on the system: apt runs on a state folder of its own, and `dpkg -x` only unpacks.
# What is unpacked is checked: apt verifies the index against Debian's keys and the package against the index.
# Standard output carries the path and nothing else; what went wrong goes to standard error, exit status 1 (2 for misuse).
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: fetch-deb.sh PACKAGE BINARY_PATH_IN_DEB CACHE_DIR [SUITE…]" >&2
  exit 2
fi
package=$1 binary=$2 cache=$3
shift 3
suites=("$@")
if [ ${#suites[@]} -eq 0 ]; then suites=(testing sid); fi

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
root="$cache/$package/root"
log="$cache/$package/fetch.log"

finish_if_cached() {
  if [ -x "$root/$binary" ]; then
    echo "$root/$binary"
    exit 0
  fi
}

require_debian() {
  local tool
  for tool in apt-get dpkg flock; do
    if ! command -v "$tool" >/dev/null; then
      echo "fetch-deb.sh: $tool is missing; this way of fetching $package needs Debian" >&2
      exit 1
    fi
  done
  if [ ! -r "$keyring" ]; then
    echo "fetch-deb.sh: $keyring is missing (package debian-archive-keyring); nothing is unpacked unchecked" >&2
    exit 1
  fi
}

# The mirror this machine's own apt is set up with, so that proxies and closed networks keep working.
machine_mirror() {
  apt-get indextargets --format '$(REPO_URI)' | awk '!/security/ && !seen { print; seen = 1 }'
}

# A private apt: own lists, own (empty) list of installed packages, one source. An empty status file makes apt consider
# the package alone, whatever the system has installed; the sandbox user is off because the folder belongs to the caller.
write_private_apt() {
  local state=$1 suite=$2 mirror=$3
  mkdir -p "$state/state/lists/partial" "$state/cache/archives/partial"
  : >"$state/state/status"
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$state/sources.list"
  cat >"$state/apt.conf" <<CONF
Dir::State "$state/state";
Dir::State::status "$state/state/status";
Dir::State::lists "$state/state/lists";
Dir::Cache "$state/cache";
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
APT::Sandbox::User "";
CONF
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
require_debian
mkdir -p "$cache/$package"
exec 9>"$cache/.lock"
flock 9 # one fetch at a time; whoever waited finds it done
finish_if_cached

mirror=$(machine_mirror)
if [ -z "$mirror" ]; then
  echo "fetch-deb.sh: apt has no package source set up on this machine" >&2
  exit 1
fi
: >"$log"
for suite in "${suites[@]}"; do
  write_private_apt "$cache/apt-$suite" "$suite" "$mirror"
  export APT_CONFIG="$cache/apt-$suite/apt.conf"
  if download >>"$log" 2>&1 && unpack >>"$log" 2>&1; then
    install_unpacked
    finish_if_cached
  fi
done

echo "fetch-deb.sh: no usable $package in ${suites[*]}; details: $log" >&2
tail -n 5 "$log" >&2
exit 1
