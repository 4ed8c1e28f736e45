#!/bin/sh
# Installs Docker on a machine that has none, from Docker's own repository over HTTPS: Ubuntu and Rocky Linux.
set -eu
command -v docker >/dev/null && exit 0
# shellcheck source=/dev/null
. /etc/os-release
base=https://download.docker.com/linux
case $ID in
  ubuntu)
    install -d /etc/apt/keyrings
    curl -fsS --retry 5 -o /etc/apt/keyrings/docker.asc "$base/ubuntu/gpg"
    echo "deb [signed-by=/etc/apt/keyrings/docker.asc] $base/ubuntu $VERSION_CODENAME stable" >/etc/apt/sources.list.d/docker.list
    # This repository alone: those of Ubuntu speak plain HTTP, which nothing here needs.
    apt-get update -o Dir::Etc::sourcelist=sources.list.d/docker.list -o Dir::Etc::sourceparts=-
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends docker-ce docker-ce-cli containerd.io
    ;;
  rocky)
    curl -fsS --retry 5 -o /etc/yum.repos.d/docker.repo "$base/rhel/docker-ce.repo"
    dnf install --assumeyes docker-ce docker-ce-cli containerd.io
    ;;
  *)
    echo "scalr-agent: no Docker here, and no way known to install it on $ID: use an image that has it" >&2
    exit 1
    ;;
esac
systemctl enable --now docker
