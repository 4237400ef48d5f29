# Sourced by the scripts that unpack Debian packages without root and without touching the system: apt runs on a state
# folder of its own, and what it downloads is checked: the index against Debian's keys, the package against the index.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# require_debian SCRIPT WHAT
require_debian() {
  local tool
  for tool in apt-get apt-cache dpkg flock; do
    if ! command -v "$tool" >/dev/null; then
      echo "$1: $tool is missing; this way of fetching $2 needs Debian" >&2
      exit 1
    fi
  done
  if [ ! -r "$debian_keyring" ]; then
    echo "$1: $debian_keyring is missing (package debian-archive-keyring); nothing is unpacked unchecked" >&2
    exit 1
  fi
}

# machine_mirror SCRIPT: the mirror this machine's own apt is set up with, so that proxies and closed networks keep working.
machine_mirror() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | awk '!/security/ && !seen { print; seen = 1 }')
  if [ -z "$mirror" ]; then
    echo "$1: apt has no package source set up on this machine" >&2
    return 1
  fi
  echo "$mirror"
}

# use_private_apt FOLDER SUITE MIRROR: own lists, own (empty) list of installed packages, one source. An empty status file
# makes apt consider a package alone, whatever the system has installed; the sandbox user is off because the folder
# belongs to the caller.
use_private_apt() {
  local folder=$1 suite=$2 mirror=$3
  mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial"
  : >"$folder/state/status"
  echo "deb [signed-by=$debian_keyring] $mirror $suite main" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<CONF
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::State::lists "$folder/state/lists";
Dir::State::extended_states "$folder/state/extended_states";
Dir::Cache "$folder/cache";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
APT::Sandbox::User "";
CONF
  export APT_CONFIG="$folder/apt.conf"
}
