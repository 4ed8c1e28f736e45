#!/bin/sh
# Installs Docker on a machine that has none, from Docker's own repository over HTTPS: Ubuntu and Rocky Linux.
set -eu
command -v docker >/dev/null && exit 0
# shellcheck source=/dev/null
. /etc/os-release
base=https://download.docker.com/linux

# Downloads $1 and writes the one key with fingerprint $2 to $3. Docker's documentation has the fingerprints.
key() {
  command -v gpg >/dev/null || { echo "scalr-agent: gpg is missing, which checks Docker's key: use an image with gpg or Docker" >&2; exit 1; }
  keys=$(mktemp -d)
  curl -fsS --retry 5 -o "$keys/downloaded" "$1"
  gpg --homedir "$keys" --batch --quiet --import "$keys/downloaded" || true
  gpg --homedir "$keys" --batch --quiet --armor --export "$2" >"$3"
  # A key is also exported because of a subkey with this fingerprint, which anybody can add to a key of their own.
  found=$(gpg --homedir "$keys" --batch --quiet --with-colons --show-keys "$3" | awk -F: '$1 == "pub" {p = 1} $1 == "fpr" && p {print $10; p = 0}')
  rm -rf "$keys"
  [ "$found" = "$2" ] || { rm -f "$3"; echo "scalr-agent: $1 is not the key with fingerprint $2, so Docker is not installed" >&2; exit 1; }
}

case $ID in
  ubuntu)
    install -d /etc/apt/keyrings
    key "$base/ubuntu/gpg" 9DC858229FC7DD38854AE2D88D81803C0EBFCD88 /etc/apt/keyrings/docker.asc
    echo "deb [signed-by=/etc/apt/keyrings/docker.asc] $base/ubuntu $VERSION_CODENAME stable" >/etc/apt/sources.list.d/docker.list
    # This repository alone: those of Ubuntu speak plain HTTP, which nothing here needs.
    apt-get update -o Dir::Etc::sourcelist=sources.list.d/docker.list -o Dir::Etc::sourceparts=-
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends docker-ce docker-ce-cli containerd.io
    ;;
  rocky)
    key "$base/rhel/gpg" 060A61C51B558A7F742B77AAC52FEB6B621E9F35 /etc/pki/rpm-gpg/docker.asc
    cat >/etc/yum.repos.d/docker.repo <<EOF
[docker-ce-stable]
name=Docker
baseurl=$base/rhel/\$releasever/\$basearch/stable
gpgcheck=1
gpgkey=file:///etc/pki/rpm-gpg/docker.asc
EOF
    dnf install --assumeyes docker-ce docker-ce-cli containerd.io
    ;;
  *)
    echo "scalr-agent: cannot install Docker on $ID: use an image with Docker" >&2
    exit 1
    ;;
esac
systemctl enable --now docker
