#!/bin/sh
# Installs the scalr-agent package, from the repository that is configured already. $1: its version, or nothing.
set -eu
# shellcheck source=/dev/null
. /etc/os-release
case $ID in
  ubuntu)
    install -d /etc/apt/keyrings
    curl -fsS --retry 5 -o /etc/apt/keyrings/scalr.asc "$SCALR_PACKAGE_KEY"
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes "scalr-agent${1:+=$1}"
    ;;
  rocky)
    dnf install --assumeyes "scalr-agent${1:+-$1}"
    ;;
  *)
    echo "scalr-agent: Scalr has packages for Ubuntu and Rocky Linux, not for $ID" >&2
    exit 1
    ;;
esac
